// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import HTTPTypes
import Hummingbird
import NIOCore
import SignetEmulator
import SignetTransport

/// Passes each request to the live page or to the emulated services.
struct EmulatorResponder: HTTPResponder {
    let services: ServiceRequestHandler
    /// Nil if the page is not served.
    let page: PageRequestHandler?
    let hosts: HostRule
    /// The maximum run of combining marks in a header field.
    let marks: Int

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        let response = try await self.answer(to: request, context: context)
        // HEAD answers have no body (RFC 9110, 9.3.2): the client would read it as the beginning of the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func answer(to request: Request, context: ServerContext) async throws -> Response {
        let head = request.head
        // This runs before the first comparison, which could take long.
        guard !self.exceedsMarks(head) else {
            return .plain(.badRequest, "More than \(self.marks) combining marks in a row. Remove some.\n")
        }
        // The first Host is the authority; a second one would be among the fields.
        guard self.hosts.allows(head.authority), !head.headerFields.contains(where: { $0.name.canonicalName == "host" })
        else {
            return .plain(
                .misdirectedRequest,
                "This Host is not allowed. Use an address or localhost, or allow the name (--allow-host).\n"
            )
        }
        guard let path = head.path, path.hasPrefix("/") else {
            return .plain(.badRequest, "A path must begin with a slash.\n")
        }
        if let page, PageRequestHandler.answers(path) {
            return try await page.respond(to: request, path: path)
        }
        return try await self.services.respond(to: request, path: path, on: context.channel)
    }

    private func exceedsMarks(_ head: HTTPRequest) -> Bool {
        [head.path, head.authority].contains { $0.map { CombiningMarks.exceed(self.marks, in: $0) } ?? false }
            || head.headerFields.contains { CombiningMarks.exceed(self.marks, in: $0.value) }
    }
}

extension Response {
    /// Makes a plain-text answer that closes the connection.
    static func plain(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: "text/plain; charset=utf-8", .connection: "close"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text))
        )
    }
}

/// The connection of a request.
struct ServerContext: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        self.channel = source.channel
    }
}

extension Response {
    /// Converts the platform's answer.
    init(_ response: TransportResponse) {
        // 204 and 304 have no body (RFC 9110, 15.3.5 and 15.4.5): the client would read it as the beginning of the next answer.
        let mayHaveBody = response.status != 204 && response.status != 304
        var headers = HTTPFields()
        for field in response.headers {
            guard let name = HTTPField.Name(field.name), mayHaveBody || name != .contentType else { continue }
            headers.append(HTTPField(name: name, value: field.value))
        }
        let body = ResponseBody(byteBuffer: ByteBuffer(bytes: response.body))
        self.init(
            status: HTTPResponse.Status(code: (100...999).contains(response.status) ? response.status : 500),
            headers: headers,
            body: mayHaveBody ? body : ResponseBody()
        )
    }

    /// Makes an answer that is longer than any client should read: a JSON text of 64 MiB.
    static func endless() -> Response {
        let chunk = ByteBuffer(repeating: UInt8(ascii: "a"), count: 64 << 10)
        return Response(
            status: .ok,
            headers: [.contentType: "application/json; charset=utf-8"],
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: #"{"padding":""#))
                for _ in 0..<1024 { try await writer.write(chunk) }
                try await writer.write(ByteBuffer(string: #""}"#))
                try await writer.finish(nil)
            }
        )
    }
}
#endif
