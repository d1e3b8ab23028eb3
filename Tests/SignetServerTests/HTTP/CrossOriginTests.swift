// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetServer
import SignetTestSupport
import SignetTransport
import Testing

/// Web pages of other origins, as browsers ask for them.
@Suite(.watched) struct CrossOriginTests {
    private static let shop = "https://shop.example"
    private static let json = ("Content-Type", "application/json")

    private static func server(_ origins: Set<String> = [shop, "http://localhost:5173"]) -> EmulatorServer {
        var configuration = EmulatorConfiguration()
        configuration.allowedOrigins = origins
        return EmulatorServer(Emulator(configuration))
    }

    /// Sends any method, also those that no service has.
    private static func send(
        _ method: String,
        _ path: String,
        _ headers: [(String, String)],
        to url: String
    ) async throws -> HTTPAnswer {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: \(url.dropFirst("http://".count))\r\nConnection: close\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        let bytes = Array((head + "Content-Length: 0\r\n\r\n").utf8)
        return try #require(HTTPAnswer(try await HTTPConnection.exchange([bytes], with: url)))
    }

    private static func preflight(
        _ path: String,
        from origin: String,
        _ names: String = "content-type,x-mp-key",
        to url: String
    ) async throws -> HTTPAnswer {
        let headers = [
            ("Origin", origin), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "cors"),
            ("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", names),
        ]
        return try await Self.send("OPTIONS", path, headers, to: url)
    }

    private static func permissions(of answer: HTTPAnswer) -> [String] {
        answer.headers.map { $0.name.lowercased() }.filter { $0.hasPrefix("access-control-") }
    }

    @Test(arguments: [
        "/v1/identify", "/identity/v1/login", "/api/events/track", "/mobile/1/baseurl", "/v3/nothing",
        "/webevents/v3/JS/us1-emulated/events", "/v1/identity/us1-emulated/Alias", "/tags/JS/v2/us1-emulated/config",
    ])
    func thePreflightOfAnAllowedPageIsAnswered(path: String) async throws {
        try await Self.server().serve { url async throws in
            let answer = try await Self.preflight(path, from: Self.shop, to: url)
            #expect(answer.status == 204 && answer.body.isEmpty)
            #expect(answer.headers["Access-Control-Allow-Origin"] == Self.shop)
            #expect(answer.headers["Access-Control-Allow-Headers"] == "content-type,x-mp-key")
            #expect(answer.headers["Access-Control-Allow-Methods"] == "GET, POST, PATCH, DELETE")
            #expect(answer.headers["Vary"] == "Origin")
            #expect(answer.headers["Access-Control-Allow-Credentials"] == nil)
        }
    }

    @Test func namesThatAreNoneAreNotAllowed() async throws {
        try await Self.server().serve { url async throws in
            let answer = try await Self.preflight("/v1/identify", from: Self.shop, "x<y>:z", to: url)
            #expect(answer.status == 204 && answer.headers["Access-Control-Allow-Headers"] == nil)
        }
    }

    @Test func anAllowedPageReadsEachAnswer() async throws {
        let server = Self.server()
        try await server.serve { url async throws in
            let page = [("Origin", Self.shop), ("Sec-Fetch-Site", "cross-site"), ("Cookie", "a=b"), Self.json]
            let body = Requests.identity("d1")
            func expect(_ status: Int, _ headers: [(String, String)], _ body: String) async throws {
                let answer = try #require(
                    try await HTTPConnection.send(.post, "/v1/identify", body, headers: headers, to: url)
                )
                #expect(answer.status == status)
                #expect(answer.headers.values(of: "Access-Control-Allow-Origin") == [Self.shop], "\(status)")
                #expect(answer.headers["Access-Control-Expose-Headers"] == "X-MP-Max-Age, Retry-After", "\(status)")
                #expect(answer.headers["Vary"] == "Origin", "\(status)")
                // Cookies are of no use to the services.
                #expect(answer.headers["Access-Control-Allow-Credentials"] == nil, "\(status)")
            }
            try await expect(200, page + [Requests.basic], body)
            try await expect(401, page, body)
            try await expect(400, page + [Requests.basic], "{")
            try await expect(413, page, String(repeating: " ", count: server.configuration.bodyBytes + 1))
            server.emulator.faults.inject(.status(503, retryAfter: .seconds(2)), on: .identify)
            try await expect(503, page + [Requests.basic], body)
            let missing = try await Self.send("OPTIONS", "/v1/identify", [("Origin", Self.shop)], to: url)
            #expect(missing.status == 405 && missing.headers["Access-Control-Allow-Origin"] == Self.shop)
            // Others get no permissions: the answer says nothing of the pages that are allowed.
            let other = try #require(
                try await HTTPConnection.send(
                    .post,
                    "/v1/identify",
                    body,
                    headers: [Self.json, Requests.basic],
                    to: url
                )
            )
            #expect(other.status == 200 && Self.permissions(of: other).isEmpty)
        }
    }

    @Test(
        arguments: [
            "http://shop.example", "https://shop.example.evil.com", "https://evilshop.example", "https://shop.example.",
            "https://cart.shop.example", "https://shop.example:8443", "https://shop.example@evil.com",
            "https://evil.com/https://shop.example", "https://shop.example/", "https://shop.example, https://evil.com",
            "https://shop.example\r\nOrigin: https://evil.com", "null", "", "*", "https://*", "file://", "shop.example",
            "https://", "http://localhost", "http://localhost:51730", "https://localhost:5173",
            "http://127.0.0.1:5173", "chrome-extension://shop.example", "https://evil.com",
        ]
    )
    func aPageThatIsNotAllowedNeitherAsksNorReads(origin: String) async throws {
        let server = Self.server()
        server.emulator.faults.inject(.status(503), on: .identify)
        try await server.serve { url async throws in
            let preflight = try await Self.preflight("/v1/identify", from: origin, to: url)
            #expect(preflight.status == 403 && Self.permissions(of: preflight).isEmpty)
            let headers = [("Origin", origin), Self.json, Requests.basic]
            let answer = try await Self.send("POST", "/v1/identify", headers, to: url)
            #expect(answer.status == 403 && Self.permissions(of: answer).isEmpty)
        }
        // Nor does it use up the faults.
        #expect(!server.emulator.faults.isClear)
        #expect(server.emulator.requestCounts().isEmpty && server.emulator.users().isEmpty)
    }

    @Test(arguments: ["*", "null", "", "https://*.example", "shop.example", "https://shop.example/"])
    func whatIsNoOriginAllowsNobody(text: String) async throws {
        try await Self.server([text]).serve { url async throws in
            for origin in [text, Self.shop, "null", "https://evil.com"] {
                let preflight = try await Self.preflight("/v1/identify", from: origin, to: url)
                #expect(preflight.status == 403 && Self.permissions(of: preflight).isEmpty, "\(origin)")
            }
        }
    }

    /// A page sends batches as text, also when it is left, so that the browser does not ask first: the origin decides.
    @Test func aPageSendsBatchesWithoutAPreflightIfItsOriginIsAllowed() async throws {
        let server = Self.server()
        try await server.serve { url async throws in
            func send(from origin: String, _ id: String) async throws -> HTTPAnswer {
                let page = [("Origin", origin), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")]
                return try #require(
                    try await HTTPConnection.send(
                        .post,
                        "/webevents/v3/JS/us1-emulated/events",
                        Requests.batch(id, customer: "c"),
                        headers: page + [("Content-Type", "text/plain;charset=UTF-8")],
                        to: url
                    )
                )
            }
            let allowed = try await send(from: Self.shop, "b1")
            #expect(allowed.status == 202 && allowed.headers["Access-Control-Allow-Origin"] == Self.shop)
            let other = try await send(from: "https://evil.com", "b2")
            #expect(other.status == 403 && Self.permissions(of: other).isEmpty)
        }
        #expect(server.emulator.batches().map(\.requestID) == ["b1"])
    }

    @Test(arguments: [true, false]) func noOtherPageReachesTheLivePage(showsPage: Bool) async throws {
        var workspace = EmulatorConfiguration()
        workspace.allowedOrigins = [Self.shop]
        var configuration = EmulatorServerConfiguration()
        configuration.showsPage = showsPage
        let server = EmulatorServer(Emulator(workspace), configuration: configuration)
        try await server.serve { url async throws in
            let page = [("Origin", Self.shop), ("Sec-Fetch-Site", "cross-site"), Self.json]
            for path in ["/_signet/users", "/_signet/faults", "/_signet/feed", "/_signet/exchanges/1", "/_signet/"] {
                for method in ["GET", "POST", "PUT", "DELETE", "OPTIONS"] {
                    let answer = try await Self.send(method, path, page, to: url)
                    #expect(answer.status == 403 && Self.permissions(of: answer).isEmpty, "\(method) \(path)")
                }
                let preflight = try await Self.preflight(path, from: Self.shop, to: url)
                #expect(preflight.status == 403 && Self.permissions(of: preflight).isEmpty, "\(path)")
            }
            // The files of the page hold no data, and no other page may read them.
            for path in ["/", "/_signet/page.js"] {
                let file = try await Self.send("GET", path, page, to: url)
                #expect(file.status == (showsPage ? 200 : 403) && Self.permissions(of: file).isEmpty, "\(path)")
            }
        }
        #expect(server.emulator.faults.isClear)
    }

    @Test func aRefusalIsOnTheLivePageWithTheOptionThatAllowsIt() async throws {
        try await Self.server([]).serve { url async throws in
            let origin = "http://127.0.0.1:8791"
            for _ in 0..<3 { _ = try await Self.preflight("/v1/identify?a=1", from: origin, to: url) }
            _ = try await Self.preflight("/v1/identify", from: "null", to: url)
            _ = try await Self.send("POST", "/v1/login", [("Sec-Fetch-Site", "cross-site")], to: url)
            // One of each page: it could use up the list.
            let list = try #require(try await HTTPConnection.send(.get, "/_signet/exchanges", to: url)).json
            #expect(list.array?.map { $0["status"]?.number?.int64 } == [403, 403, 403])
            #expect(list.array?.map { $0["method"]?.string } == ["OPTIONS", "OPTIONS", "POST"])
            #expect(list.array?.map { $0["path"]?.string } == ["/v1/identify?a=1", "/v1/identify", "/v1/login"])
            for (number, option) in [(1, "--allow-origin \(origin),"), (2, "no origin"), (3, "no origin")] {
                let shown = try #require(try await HTTPConnection.send(.get, "/_signet/exchanges/\(number)", to: url))
                #expect(try shown.json["responseBody"]?.string?.contains(option) == true, "\(shown.text)")
            }
        }
    }

    /// A development proxy serves the page over HTTPS, and keeps the `Host` of the browser.
    @Test func aPageOfThisServerMayComeOverEitherScheme() async throws {
        try await Self.server([]).serve { url async throws in
            let host = url.dropFirst("http://".count)
            let port = try #require(host.split(separator: ":").last.flatMap { Int($0) })
            for (origin, isOwn) in [
                ("http://\(host)", true), ("https://\(host)", true), ("HTTPS://\(host)", true),
                ("ftp://\(host)", false),
                ("https://\(host).evil.com", false), ("https://evil.com:\(port)", false), (String(host), false),
                ("https://\(host)/", false), ("https://127.0.0.1:\(port - 1)", false),
            ] {
                let headers = [("Origin", origin), Self.json, Requests.basic]
                let answer = try #require(
                    try await HTTPConnection.send(
                        .post,
                        "/v1/identify",
                        Requests.identity("d"),
                        headers: headers,
                        to: url
                    )
                )
                #expect(answer.status == (isOwn ? 200 : 403), "\(origin)")
                #expect(Self.permissions(of: answer).isEmpty, "\(origin)")
                let cleared = try #require(
                    try await HTTPConnection.send(.delete, "/_signet/faults", headers: headers, to: url)
                )
                #expect(cleared.status == (isOwn ? 200 : 403), "\(origin)")
            }
        }
    }
}
#endif
