// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION
import Foundation
import Signet
import SignetTestSupport
import SignetTransport
import Testing

/// What is of Foundation's own; the rest is in ``TransportCompatibilityTests`` and ``TransportFaultTests``.
@Suite(.watched) struct URLSessionTransportTests {
    #if os(Linux)
    static let isLinux = true
    #else
    static let isLinux = false
    #endif

    // Not ours to mend: the process ends inside of Foundation. When this is no longer so, drop the warning of the type.
    @Test(.enabled(if: URLSessionTransportTests.isLinux)) func aHeadThatIsCutEndsTheProcessOnLinux() async {
        await withKnownIssue {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer { _ in .answerAndClose(Array("HTTP/1.1 200 OK\r\nContent-Le".utf8)) }
                let transport = URLSessionTransport()
                await #expect(throws: TransportError.self) {
                    try await transport.send(TransportRequest(method: .get, url: server.url))
                }
            }
        }
    }

    // 200 MB go out, each request with an hour's limit: none of them may wait in memory for its limit to pass.
    @Test(.enabled(if: URLSessionTransportTests.isLinux)) func anExchangeThatIsOverLeavesNothingInMemory() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .answer(LoopbackServer.answer()) }
            let transport = URLSessionTransport()
            var before = 0
            for number in 0..<220 {
                if number == 20 { before = try Self.anonymousKilobytes() }
                let body = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1 << 20)
                let request = TransportRequest(
                    method: .post,
                    url: server.url,
                    body: body,
                    timeout: .seconds(3600)
                )
                _ = try await transport.send(request)
                _ = try await server.nextRequest()
            }
            let growth = try Self.anonymousKilobytes() - before
            precondition(growth < 50 << 10, "\(growth) KiB")
        }
    }

    /// What the process has of memory of its own, as Linux says.
    private static func anonymousKilobytes() throws -> Int {
        let status = String(decoding: try Data(contentsOf: URL(fileURLWithPath: "/proc/self/status")), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    }

    // A body that is not compressed though it says so, and a status without a reason, which others take.
    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 200\r\n\r\n",
    ])
    func foundationIsStricterThanOthers(answer: String) async throws {
        let server = try LoopbackServer { _ in .answerAndClose(Array(answer.utf8)) }
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(TransportRequest(method: .get, url: server.url))
        }
        #expect(error?.code == .badResponse)
    }

    #if SIGNET_ASYNC_HTTP_CLIENT
    // The server is NIO's. Asked by its address: a name may have a second one, where nobody listens.
    @Test func aCertificateThatNobodyVouchesForIsNoSecureConnection() async throws {
        let server = try await TLSServer()
        let url = "https://127.0.0.1:\(server.port)"
        let error = await #expect(throws: TransportError.self) {
            try await URLSessionTransport().send(TransportRequest(method: .get, url: url, timeout: .seconds(200)))
        }
        #expect(error?.code == .secureConnectionFailed, "\(String(describing: error))")
        #expect(server.connections > 0)
        #expect(server.versions.isEmpty)
    }
    #endif
}
#endif
