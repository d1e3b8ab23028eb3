// SPDX-License-Identifier: Apache-2.0

#if SIGNET_URL_SESSION || SIGNET_ASYNC_HTTP_CLIENT
import Signet
import SignetTestSupport
import SignetTransport
import Testing

#if SIGNET_ASYNC_HTTP_CLIENT
import AsyncHTTPClient
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Requests that go through a proxy: https through a tunnel; http by URLSession as a whole address, by AsyncHTTPClient through
/// a tunnel, too.
@Suite(.watched) struct ProxyTests {
    /// What a proxy is asked; it never reaches the host, which does not exist.
    private static func asked(
        by transport: any Transport,
        for url: String,
        _ proxy: LoopbackServer,
        isTunnel: Bool
    ) async throws -> LoopbackServer.Request {
        let request = TransportRequest(method: .get, url: url, timeout: .seconds(200))
        do throws(TransportError) {
            let answer = try await transport.send(request)
            guard answer.body == Array("by the proxy".utf8) else { throw TransportError(.other, "Another answer.") }
        } catch {
            // A tunnel is refused: there is nothing at its end.
            guard isTunnel else { throw error }
        }
        return try await proxy.nextRequest()
    }

    private static func proxy() throws -> LoopbackServer {
        try LoopbackServer { request in
            request.method == "CONNECT"
                ? .answerAndClose(LoopbackServer.answer("502 Bad Gateway"))
                : .answer(LoopbackServer.answer(body: "by the proxy"))
        }
    }

    #if SIGNET_URL_SESSION && os(Linux)
    // The environment is the process's: in one of its own.
    @Test func theEnvironmentTellsURLSessionOfAProxyOnLinux() async {
        await #expect(processExitsWith: .success) {
            let proxy = try Self.proxy()
            for name in ["http_proxy", "https_proxy"] { setenv(name, proxy.url, 1) }
            setenv("no_proxy", "127.0.0.1", 1)
            let transport = URLSessionTransport()
            let plain = try await Self.asked(by: transport, for: "http://shop.invalid/v1/x", proxy, isTunnel: false)
            precondition(plain.method == "GET" && plain.target == "http://shop.invalid/v1/x", "\(plain)")
            let tunnel = try await Self.asked(by: transport, for: "https://shop.invalid/v1/x", proxy, isTunnel: true)
            precondition(tunnel.method == "CONNECT" && tunnel.target == "shop.invalid:443", "\(tunnel)")
            let direct = try LoopbackServer { _ in .answer(LoopbackServer.answer(body: "direct")) }
            let answer = try await transport.send(TransportRequest(method: .get, url: direct.url))
            precondition(answer.body == Array("direct".utf8))
        }
    }
    #endif

    #if SIGNET_ASYNC_HTTP_CLIENT
    @Test func aClientOfYoursBringsItsProxy() async throws {
        let proxy = try Self.proxy()
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.proxy = .server(host: "127.0.0.1", port: Int(proxy.port))
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let transport = AsyncHTTPClientTransport(sharing: client)
        let asked: [LoopbackServer.Request]
        do {
            let plain = try await Self.asked(by: transport, for: "http://shop.invalid/v1/x", proxy, isTunnel: true)
            let tunnel = try await Self.asked(by: transport, for: "https://shop.invalid/v1/x", proxy, isTunnel: true)
            asked = [plain, tunnel]
        } catch {
            try await client.shutdown()
            throw error
        }
        #expect(asked.map(\.method) == ["CONNECT", "CONNECT"])
        #expect(asked.map(\.target) == ["shop.invalid:80", "shop.invalid:443"])
        try await client.shutdown()
    }

    @Test func theEnvironmentTellsAsyncHTTPClientOfNoProxy() async {
        await #expect(processExitsWith: .success) {
            let proxy = try Self.proxy()
            for name in ["http_proxy", "https_proxy", "all_proxy"] { setenv(name, proxy.url, 1) }
            let direct = try LoopbackServer { _ in .answer(LoopbackServer.answer(body: "direct")) }
            let answer = try await AsyncHTTPClientTransport().send(TransportRequest(method: .get, url: direct.url))
            precondition(answer.body == Array("direct".utf8) && proxy.connectionCount == 0)
        }
    }
    #endif
}
#endif
