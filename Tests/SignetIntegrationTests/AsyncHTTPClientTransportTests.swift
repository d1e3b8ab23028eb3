// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import AsyncHTTPClient
import Signet
import SignetTestSupport
import SignetTransport
import Testing

/// What is of AsyncHTTPClient's own; the rest is in ``TransportCompatibilityTests`` and ``TransportFaultTests``.
@Suite(.watched) struct AsyncHTTPClientTransportTests {
    @Test func aHeadThatIsCutIsAnErrorAndNotTheEndOfTheProcess() async throws {
        let server = try LoopbackServer { _ in .answerAndClose(Array("HTTP/1.1 200 OK\r\nContent-Le".utf8)) }
        let error = await #expect(throws: TransportError.self) {
            try await AsyncHTTPClientTransport().send(TransportRequest(method: .get, url: server.url))
        }
        #expect([.badResponse, .notConnected].contains(error?.code))
    }

    @Test func aClientOfTheCallersIsSharedAndStaysOpen() async throws {
        let server = try LoopbackServer { _ in .answer(LoopbackServer.answer(body: "ok")) }
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let request = TransportRequest(method: .get, url: server.url)
        #expect(try await AsyncHTTPClientTransport(sharing: client).send(request).body == Array("ok".utf8))
        #expect(try await AsyncHTTPClientTransport(sharing: client).send(request).body == Array("ok".utf8))
        try await client.shutdown()
        let error = await #expect(throws: TransportError.self) {
            try await AsyncHTTPClientTransport(sharing: client).send(request)
        }
        #expect(error?.code == .other)
    }

    @Test(arguments: ["http+unix://%2Ftmp%2Fsocket/", "unix:///tmp/socket", "https+unix://%2Ftmp%2Fsocket/"])
    func aSocketOfThisMachineIsNoHTTPURL(url: String) async {
        let error = await #expect(throws: TransportError.self) {
            try await AsyncHTTPClientTransport().send(TransportRequest(method: .get, url: url))
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func oneConnectionServesManyRequests() async throws {
        let server = try LoopbackServer { _ in .answer(LoopbackServer.answer()) }
        let transport = AsyncHTTPClientTransport(maximumConnectionsPerHost: 1)
        for _ in 0..<20 {
            _ = try await transport.send(TransportRequest(method: .get, url: server.url))
        }
        #expect(server.connectionCount == 1)
    }
}
#endif
