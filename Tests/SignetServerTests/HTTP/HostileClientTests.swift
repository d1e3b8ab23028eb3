// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetServer
import SignetTransport
import Testing

/// Clients that mean no good, or do not know what they do.
@Suite struct HostileClientTests {
    private static let head = "POST /v2/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"

    private static let garbage: [(name: String, bytes: String)] = [
        ("nothing that is HTTP", "hello\r\n\r\n"), ("a TLS hello", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n"),
        ("no Host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"),
        ("two Hosts", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
        ("a stranger's Host", "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
        ("another address", "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
        ("no path", "GET * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
        ("a method that nobody knows", "BREW / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
        ("OPTIONS", "OPTIONS /v1/identify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
        ("two lengths", head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
        ("a length that is none", head + "Content-Length: -2\r\n\r\n{}"),
        ("a huge length", head + "Content-Length: 99999999999999999999\r\n\r\n{}"),
        ("a length and chunks", head + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("chunks that are none", head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n"),
        ("a path with an escape", "GET /v1/%69dentify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
        ("a long path", "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("a long field", head + "X: \(String(repeating: "a", count: 100_000))\r\n\r\n"),
        ("a field of combining marks", head + "Origin: a\(String(repeating: "\u{301}\u{316}", count: 7000))\r\n\r\n"),
        (
            "a query of them",
            "GET /_signet/users?q=a\(String(repeating: "%CC%81%CC%96", count: 2000)) HTTP/1.1\r\n"
                + "Host: localhost\r\nConnection: close\r\n\r\n"
        ),
        ("many fields", head + String(repeating: "X: a\r\n", count: 5000) + "\r\n"),
        ("HTTP/0.9", "GET /\r\n\r\n"), ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ]

    @Test(arguments: garbage.indices)
    func garbageIsRefusedOrHungUpOn(index: Int) async throws {
        try await EmulatorServer().serve { url async throws in
            let bytes = try await HTTPConnection.exchange([Array(Self.garbage[index].bytes.utf8)], with: url)
            let status = HTTPAnswer(bytes)?.status
            #expect(status == nil || (400...499).contains(status ?? 0), "\(Self.garbage[index].name): \(status ?? 0)")
            try await Self.expectService(at: url)
        }
    }

    @Test func randomBytesHurtNobody() async throws {
        var random = SystemRandomNumberGenerator()
        let seed = random.next()
        var state = seed
        try await EmulatorServer().serve { [state] url async throws in
            var state = state
            for _ in 0..<100 {
                var bytes = Self.head.utf8.prefix(Int(state % UInt64(Self.head.utf8.count))).map { $0 }
                for _ in 0..<200 {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    bytes.append(UInt8(truncatingIfNeeded: state >> 33))
                }
                let answer = HTTPAnswer(
                    try await HTTPConnection.exchange([bytes + Array("\r\n\r\n\r\n\r\n".utf8)], with: url)
                )
                #expect(answer == nil || (400...499).contains(answer?.status ?? 0), "seed \(seed)")
            }
            try await Self.expectService(at: url)
        }
        state = 0
    }

    @Test func aLongBodyIsRefusedAndWhatIsBeyondAServicesLimitByTheService() async throws {
        let emulator = Emulator()
        try await EmulatorServer(emulator).serve { url async throws in
            let headers = [("Content-Type", "application/json"), Requests.basic]
            for (size, status) in [(300 << 10, 400), (3 << 20, 413)] {
                let body = "\"" + String(repeating: "a", count: size) + "\""
                let answer = try await HTTPConnection.send(.post, "/v2/events", body, headers: headers, to: url)
                #expect(answer?.status == status)
                #expect(try answer?.json["errors"]?.array?.isEmpty == false)
            }
            let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
            let answer = try await HTTPConnection.send(.post, "/v2/events", deep, headers: headers, to: url)
            #expect(answer?.status == 400)
            #expect(answer?.text.contains("tooDeep") == true, "\(answer?.text ?? "")")
        }
        #expect(emulator.batches().isEmpty)
    }

    @Test(arguments: ["POST /v2/events HTT", head + "Content-Length: 100\r\n\r\n{"])
    func whoNeverFinishesIsHungUpOnWhileOthersAreServed(beginning: String) async throws {
        var configuration = EmulatorServerConfiguration()
        configuration.headerTime = .milliseconds(300)
        configuration.bodyTime = .milliseconds(300)
        try await EmulatorServer(configuration: configuration).serve { url async throws in
            async let slow = HTTPConnection.exchange([Array(beginning.utf8)], with: url)
            // On a machine that is busy enough, an honest client may be too slow as well, and tries again.
            while try await Self.status(at: url) != 200 {}
            // It comes to an end by the server's doing alone.
            #expect(HTTPAnswer(try await slow)?.status != 202)
        }
    }

    /// The answer comes before the end of the request; the rest of it comes late, and then nothing.
    @Test func whoIsAnsweredTooEarlyAndStaysIsHungUpOn() async throws {
        var configuration = EmulatorServerConfiguration()
        configuration.headerTime = .milliseconds(300)
        configuration.bodyTime = .seconds(3600)
        try await EmulatorServer(configuration: configuration).serve { url async throws in
            let head = "POST /_signet/faults HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
            let request = Array((head + "Content-Length: 1\r\n\r\n").utf8)
            var bytes: [UInt8] = []
            // On a machine that is busy enough, the head may come too late, and is sent again.
            while bytes.isEmpty {
                bytes = try await HTTPConnection.exchangeAfterAnswer(request, then: Array("x".utf8), with: url)
            }
            #expect(HTTPAnswer(bytes)?.status == 415)
        }
    }

    /// The end of the server waits for requests that it answers: it comes only when it has hung up.
    @Test func whoDoesNotReadIsHungUpOnAndKeepsNoServerFromEnding() async throws {
        let emulator = Emulator()
        emulator.faults.injectAlways(.hugeAnswer, on: .baseURL)
        var configuration = EmulatorServerConfiguration()
        configuration.answerTime = .milliseconds(300)
        let server = EmulatorServer(emulator, configuration: configuration)
        try await server.serve { url async throws in
            let request = "GET /mobile/1/baseurl HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await HTTPConnection.sendAndNeverRead(Array(request.utf8), to: url)
            try await Self.expectService(at: url)
        }
    }

    @Test func aPageOfAStrangerReachesNoService() async throws {
        let emulator = Emulator()
        emulator.faults.inject(.status(503), on: .identify, times: 1)
        try await EmulatorServer(emulator).serve { url async throws in
            for header in [("Sec-Fetch-Site", "cross-site"), ("Origin", "http://evil.example"), ("Origin", "null")] {
                let answer = try await HTTPConnection.send(.post, "/v1/identify", "{}", headers: [header], to: url)
                #expect(answer?.status == 403)
            }
            let listed = try #require(try await HTTPConnection.send(.get, "/_signet/exchanges", to: url)).json
            // They are shown to whoever looks for the fault.
            #expect(listed.array?.map { $0["status"]?.number?.int64 } == [403, 403, 403])
        }
        #expect(emulator.faults.remaining == 1)
    }

    @Test(arguments: [204, 304]) func aFaultWithoutABodySendsNone(status: Int) async throws {
        let emulator = Emulator()
        emulator.faults.injectAlways(.status(status))
        try await EmulatorServer(emulator).serve { url async throws in
            let request = "GET /mobile/1/baseurl HTTP/1.1\r\nHost: localhost\r\n"
            let bytes = Array((request + "\r\n" + request + "Connection: close\r\n\r\n").utf8)
            let text = String(decoding: try await HTTPConnection.exchange([bytes], with: url), as: UTF8.self)
            #expect(!text.contains("{") && !text.contains("scripted"), "\(text)")
            #expect(text.split(separator: "HTTP/1.1 \(status)").count == 2, "\(text)")
        }
    }

    @Test(
        arguments: [
            ("/api/events/track", "params"), ("/mobile/1/appinstance", "requestError"), ("/v2/events", "errors"),
        ]
    )
    func whatTheServerItselfRefusesHasTheFormOfTheServiceAndIsShown(path: String, member: String) async throws {
        try await EmulatorServer().serve { url async throws in
            let long = String(repeating: " ", count: 3 << 20)
            let tooLong = try #require(try await HTTPConnection.send(.post, path, long, to: url))
            #expect(tooLong.status == 413)
            #expect(try tooLong.json[member] != nil, "\(tooLong.text)")
            let trace = "TRACE \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            let unknown = try #require(HTTPAnswer(try await HTTPConnection.exchange([Array(trace.utf8)], with: url)))
            #expect(unknown.status == 405)
            #expect(try unknown.json[member] != nil, "\(unknown.text)")
            let listed = try #require(try await HTTPConnection.send(.get, "/_signet/exchanges", to: url)).json
            #expect(listed.array?.compactMap { $0["status"]?.number?.int64 } == [413, 405])
            #expect(listed.array?.compactMap { $0["method"]?.string } == ["POST", "TRACE"])
        }
    }

    private static func expectService(at url: String) async throws {
        let status = try await Self.status(at: url)
        #expect(status == 200)
    }

    private static func status(at url: String) async throws -> Int? {
        try await HTTPConnection.send(
            .post,
            "/v1/identify",
            Requests.identity("c1"),
            headers: [("Content-Type", "application/json"), Requests.basic],
            to: url
        )?.status
    }
}
#endif
