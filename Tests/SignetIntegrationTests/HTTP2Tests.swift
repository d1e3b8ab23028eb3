// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Signet
import SignetTestSupport
import SignetTransport
import Testing

/// HTTP/2, where a server offers it over TLS.
@Suite(.watched) struct HTTP2Tests {
    /// A client of one's own is how a root of one's own is trusted.
    private static func withTransport(
        to server: TLSServer,
        trusting isTrusting: Bool = true,
        _ body: (AsyncHTTPClientTransport) async throws -> Void
    ) async throws {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        // Beside other tests a handshake takes seconds in a debug build; how long decides nothing here.
        configuration.timeout.connect = .minutes(10)
        if isTrusting {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates([server.certificate])
            configuration.tlsConfiguration = tls
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            try await body(AsyncHTTPClientTransport(sharing: client))
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private static func request(_ number: Int, to server: TLSServer, limit: Int = 1 << 20) -> TransportRequest {
        let filling = [UInt8](repeating: UInt8(ascii: "x"), count: 1000 * (number % 100))
        let body = Array("request \(number) ".utf8) + filling
        return TransportRequest(
            method: .post,
            url: server.url + "/\(number)",
            body: body,
            timeout: .seconds(600),
            responseLimit: limit
        )
    }

    @Test func requestsShareOneConnectionOverHTTP2() async throws {
        let server = try await TLSServer()
        try await Self.withTransport(to: server) { transport async throws in
            // Before the first connection is there, a client cannot know how many it needs.
            _ = try await transport.send(Self.request(0, to: server))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...200 {
                    group.addTask {
                        let request = Self.request(number, to: server)
                        let answer = try await transport.send(request)
                        #expect(answer.status == 200)
                        #expect(answer.body == request.body)
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(server.connections == 1)
        #expect(server.versions == Array(repeating: .http2, count: 201))
    }

    @Test func withoutHTTP2ThereIsHTTP1() async throws {
        let server = try await TLSServer(protocols: ["http/1.1"])
        try await Self.withTransport(to: server) { transport async throws in
            #expect(try await transport.send(Self.request(7, to: server)).status == 200)
        }
        #expect(server.versions == [.http1_1])
    }

    @Test func theLimitOfAnAnswerHoldsAndOtherRequestsGoOn() async throws {
        let server = try await TLSServer()
        try await Self.withTransport(to: server) { transport async throws in
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(Self.request(99, to: server, limit: 1000))
            }
            #expect(error?.code == .responseTooLarge)
            #expect(try await transport.send(Self.request(1, to: server)).status == 200)
        }
    }

    @Test func aCertificateThatNobodyVouchesForIsNoSecureConnection() async throws {
        let server = try await TLSServer()
        try await Self.withTransport(to: server, trusting: false) { transport async throws in
            let error = await #expect(throws: TransportError.self) {
                try await transport.send(Self.request(1, to: server))
            }
            #expect(error?.code == .secureConnectionFailed, "\(String(describing: error))")
        }
        #expect(server.versions.isEmpty)
    }
}
#endif
