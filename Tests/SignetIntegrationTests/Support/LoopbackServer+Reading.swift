// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION || SIGNET_ASYNC_HTTP_CLIENT

extension LoopbackServer {
    struct NothingSeen: Error {}

    func nextRequest() async throws -> Request {
        for await sight in self.sights {
            if case .request(let request) = sight {
                return request
            }
        }
        throw NothingSeen()
    }

    func clientHasLeft() async throws {
        for await sight in self.sights {
            if case .clientLeft = sight {
                return
            }
        }
        throw NothingSeen()
    }
}

extension LoopbackServer {
    /// The bytes of an answer with its length.
    static func answer(
        _ status: String = "200 OK",
        _ headers: [String] = [],
        body: String = ""
    ) -> [UInt8] {
        let head = ["HTTP/1.1 \(status)"] + headers + ["Content-Length: \(body.utf8.count)"]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}

extension LoopbackServer.Reaction {
    /// Field after field, so that the head of the answer has no end; after 8 MiB, the client's leaving is waited for.
    static let endlessHead = Self.flood(
        Array("HTTP/1.1 200 OK\r\n".utf8),
        piece: Array("X-Filler: \(String(repeating: "x", count: 1000))\r\n".utf8)
    )
}
#endif
