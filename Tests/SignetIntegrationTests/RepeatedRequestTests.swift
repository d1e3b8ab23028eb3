// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import AsyncHTTPClient
import NIOCore
import NIOHTTP2
import NIOSSL
import Signet
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTransport
import Testing

/// The requests that AsyncHTTPClientTransport sends a second time, and those that it does not.
@Suite(.watched) struct RepeatedRequestTests {
    private static func withTransport(
        to server: HTTP2Server,
        _ configuration: HTTPClient.Configuration = AsyncHTTPClientTransport.recommendedConfiguration(),
        _ body: (AsyncHTTPClientTransport) async throws -> Void
    ) async throws {
        var configuration = configuration
        // Beside other tests a handshake takes seconds in a debug build; its duration decides nothing here.
        configuration.timeout.connect = .minutes(10)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([server.certificate])
        configuration.tlsConfiguration = tls
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            try await body(AsyncHTTPClientTransport(sharing: client))
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private static func request(
        _ url: String,
        isRepeatable: Bool = false,
        timeout: Duration = .seconds(600)
    ) -> TransportRequest {
        TransportRequest(
            method: .post,
            url: url,
            body: Array("body".utf8),
            timeout: timeout,
            isRepeatable: isRepeatable
        )
    }

    /// Sends a request that is answered, then a second one that meets the reactions in order, over HTTP/2.
    ///
    /// - Returns: The connections of the second request; its status or its error.
    private static func send(
        isRepeatable: Bool,
        _ configuration: HTTPClient.Configuration = AsyncHTTPClientTransport.recommendedConfiguration(),
        meeting reactions: [HTTP2Server.Reaction]
    ) async throws -> (connections: [Int], result: Result<Int, TransportError>) {
        let server = try await HTTP2Server { request in
            // The first request opens the connection.
            let turn = request.number - 2
            return reactions.indices.contains(turn) ? reactions[turn] : .answer
        }
        var result = Result<Int, TransportError>.success(0)
        try await Self.withTransport(to: server, configuration) { transport async throws in
            #expect(try await transport.send(Self.request(server.url + "/first")).status == 200)
            do throws(TransportError) {
                let request = Self.request(server.url + "/second", isRepeatable: isRepeatable)
                result = .success(try await transport.send(request).status)
            } catch {
                result = .failure(error)
            }
        }
        return (server.requests.filter { $0.path == "/second" }.map(\.connection), result)
    }

    // MARK: HTTP/2

    @Test(arguments: [HTTP2Server.Reaction.goAwayBefore, .reset(.refusedStream)], [false, true])
    func aRequestThatHTTP2RefusesGoesAgainOnAnotherConnection(
        reaction: HTTP2Server.Reaction,
        isRepeatable: Bool
    ) async throws {
        let sent = try await Self.send(isRepeatable: isRepeatable, meeting: [reaction])
        #expect(sent.connections == [1, 2])
        #expect(sent.result == .success(200))
    }

    @Test(arguments: [HTTP2Server.Reaction.goAwayBefore, .reset(.refusedStream)])
    func aRequestThatIsRefusedTwiceIsNotConnected(reaction: HTTP2Server.Reaction) async throws {
        let sent = try await Self.send(isRepeatable: true, meeting: [reaction, reaction])
        #expect(sent.connections == [1, 2])
        #expect(throws: TransportError.self) { try sent.result.get() }
        #expect(sent.result.failure?.code == .notConnected)
    }

    @Test(arguments: [HTTP2Server.Reaction.goAwayAfterAndClose, .close, .reset(.cancel), .reset(.internalError)])
    func aRequestThatMayHaveBeenProcessedGoesAgainOnlyIfRepeatable(reaction: HTTP2Server.Reaction) async throws {
        let repeated = try await Self.send(isRepeatable: true, meeting: [reaction])
        #expect(repeated.connections.count == 2)
        #expect(repeated.result == .success(200))
        let single = try await Self.send(isRepeatable: false, meeting: [reaction])
        #expect(single.connections == [1])
        #expect(single.result.failure?.code == .notConnected)
    }

    @Test func anAnswerThatHasBegunIsNotAskedForAgain() async throws {
        let sent = try await Self.send(isRepeatable: true, meeting: [.headAndReset(.refusedStream)])
        #expect(sent.connections == [1])
        #expect(sent.result.failure?.code == .badResponse)
    }

    @Test func aClientWithAnotherConfigurationRepeatsExcludedStreamsOnlyIfRepeatable() async throws {
        let plain = HTTPClient.Configuration(redirectConfiguration: .disallow)
        let single = try await Self.send(isRepeatable: false, plain, meeting: [.goAwayBefore])
        #expect(single.connections == [1])
        #expect(single.result.failure?.code == .notConnected)
        let repeated = try await Self.send(isRepeatable: true, plain, meeting: [.goAwayBefore])
        #expect(repeated.connections == [1, 2])
        let refused = try await Self.send(isRepeatable: false, plain, meeting: [.reset(.refusedStream)])
        #expect(refused.result == .success(200))
    }

    // MARK: Connections that fall silent

    /// Sends requests one by one, and gives each up once the server has seen it, as a time limit does.
    private static func giveUp(
        _ count: Int,
        at server: HTTP2Server,
        through transport: AsyncHTTPClientTransport
    ) async throws {
        for _ in 0..<count {
            let before = server.requests.count
            let task = Task { try await transport.send(Self.request(server.url + "/silent")) }
            await until("the request at the server") { server.requests.count > before }
            task.cancel()
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
    }

    @Test func aConnectionOnWhichThreeRequestsInARowAreGivenUpIsReplaced() async throws {
        let server = try await HTTP2Server { $0.path == "/silent" ? .silence : .answer }
        try await Self.withTransport(to: server) { transport async throws in
            #expect(try await transport.send(Self.request(server.url + "/first")).status == 200)
            try await Self.giveUp(3, at: server, through: transport)
            #expect(server.requests.map(\.connection) == [1, 1, 1, 1])
            await until("the end of the silent connection") { server.endedConnections == 1 }
            #expect(try await transport.send(Self.request(server.url + "/next")).status == 200)
            #expect(server.requests.last?.connection == 2)
        }
    }

    @Test func anAnswerBetweenGivenUpRequestsKeepsTheConnection() async throws {
        let server = try await HTTP2Server { $0.path == "/silent" ? .silence : .answer }
        try await Self.withTransport(to: server) { transport async throws in
            for _ in 0..<3 {
                #expect(try await transport.send(Self.request(server.url + "/answered")).status == 200)
                try await Self.giveUp(2, at: server, through: transport)
            }
            #expect(Set(server.requests.map(\.connection)) == [1])
        }
    }

    // MARK: HTTP/1.1

    /// A server whose reaction depends on the number of the request, from 1.
    private static func server(
        _ react: @escaping @Sendable (Int) -> LoopbackServer.Reaction
    ) throws -> (server: LoopbackServer, count: Locked<Int>) {
        let count = Locked(0)
        let server = try LoopbackServer { _ in
            react(
                count.withLock { count in
                    count += 1
                    return count
                }
            )
        }
        return (server, count)
    }

    @Test func aKeptConnectionThatEndsBeforeAnAnswerCostsARepeatableRequestNothing() async throws {
        let (server, count) = try Self.server { $0 == 2 ? .answerAndClose([]) : .answer(LoopbackServer.answer()) }
        let transport = AsyncHTTPClientTransport()
        for _ in 0..<2 {
            #expect(try await transport.send(Self.request(server.url, isRepeatable: true)).status == 200)
        }
        #expect(count.withLock { $0 } == 3)
    }

    @Test func aKeptConnectionThatEndsBeforeAnAnswerFailsAnyOtherRequest() async throws {
        let (server, count) = try Self.server { $0 == 2 ? .answerAndClose([]) : .answer(LoopbackServer.answer()) }
        let transport = AsyncHTTPClientTransport()
        #expect(try await transport.send(Self.request(server.url)).status == 200)
        let error = await #expect(throws: TransportError.self) { try await transport.send(Self.request(server.url)) }
        #expect(error?.code == .notConnected)
        #expect(count.withLock { $0 } == 2)
    }

    @Test func aRequestGoesAgainOnceOnly() async throws {
        let (server, count) = try Self.server { _ in .answerAndClose([]) }
        let request = Self.request(server.url, isRepeatable: true)
        let error = await #expect(throws: TransportError.self) { try await AsyncHTTPClientTransport().send(request) }
        #expect(error?.code == .notConnected)
        #expect(count.withLock { $0 } == 2)
    }

    @Test func theSecondTryEndsWithTheTimeLimitOfTheRequest() async throws {
        var timeout = Duration.milliseconds(50)
        var asked = 0
        // On a machine that is busy enough, the time is over before the second try: then there is more of it.
        while asked < 2 {
            let (server, count) = try Self.server { $0 == 1 ? .answerAndClose([]) : .stall([]) }
            let request = Self.request(server.url, isRepeatable: true, timeout: timeout)
            let error = await #expect(throws: TransportError.self) {
                try await AsyncHTTPClientTransport().send(request)
            }
            try #require(error?.code == .timedOut)
            asked = count.withLock { $0 }
            timeout *= 2
        }
    }

    @Test func aPortWhereNobodyListensIsAskedOnce() async throws {
        let url = "http://127.0.0.1:\(try LoopbackServer.deafPort())"
        let error = await #expect(throws: TransportError.self) {
            try await AsyncHTTPClientTransport().send(Self.request(url, isRepeatable: true))
        }
        #expect(error?.code == .notConnected)
    }

    // MARK: The runtime

    @Test func anUploadWhoseConnectionEndsOnceIsDeliveredWithoutAPause() async throws {
        let folder = try TemporaryFolder()
        let uploads = Locked(0)
        let server = try LoopbackServer { request in
            guard request.target.hasSuffix("/events") || request.target.hasSuffix("/bulkevents") else {
                return .answer(Platform.user)
            }
            let isFirst = uploads.withLock { uploads in
                uploads += 1
                return uploads == 1
            }
            return isFirst ? .answerAndClose([]) : .answer(LoopbackServer.answer("202 Accepted"))
        }
        var configuration = SignetConfiguration(apiKey: "us1-key", secret: "secret", directory: folder.path)
        configuration.baseURL = try ServerURL(server.url)
        try await withSignet(configuration, transport: AsyncHTTPClientTransport()) { signet in
            let visitor = try await signet.open("a")
            _ = try await visitor.login([.customerID: "c-1"])
            try visitor.log(.custom("bought"))
            let report = try await signet.upload(within: .seconds(600))
            #expect(report.eventsWithoutUser == 0)
            #expect(signet.health == .ready)
        }
        #expect(uploads.withLock { $0 } >= 2)
    }
}

/// The answers of a platform that knows one user.
enum Platform {
    static let user = LoopbackServer.answer(
        ["Content-Type: application/json"],
        body: #"{"mpid":"7","is_logged_in":true,"is_ephemeral":false,"context":null,"matched_identities":{}}"#
    )
}

extension LoopbackServer {
    fileprivate static func answer(_ headers: [String], body: String) -> [UInt8] {
        Self.answer("200 OK", headers, body: body)
    }
}

extension Result {
    /// The error of a failure; nil for a success.
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
#endif
