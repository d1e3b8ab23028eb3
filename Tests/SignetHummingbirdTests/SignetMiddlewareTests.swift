// SPDX-License-Identifier: Apache-2.0

#if SIGNET_HUMMINGBIRD
import HTTPTypes
import Hummingbird
import Signet
import SignetEmulator
import SignetHummingbird
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetWebVisitors
import Testing

/// An error of an app that says nothing of HTTP.
private struct NoAnswer: Error {}

@Suite(.watched) struct SignetMiddlewareTests {
    private let folder: TemporaryFolder
    private let configuration = WebVisitorsConfiguration(keys: .ofThisProcess())

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private static func html(_ status: HTTPResponse.Status = .ok) -> Response {
        Response(status: status, headers: [.contentType: "text/html; charset=utf-8"])
    }

    /// Paths, and what their answers say of caches.
    private static let caching = [
        ("fresh", "no-cache, max-age=0"), ("shared", "Public, s-maxage=600, max-age=60"), ("none", "no-store"),
    ]

    /// Fields that shared caches follow in place of `Cache-Control`.
    private static let forSharedCaches = [
        "CDN-Cache-Control", "Cloudflare-CDN-Cache-Control", "Surrogate-Control", "Edge-Control", "X-Accel-Expires",
    ]

    /// A site, and the installations that its routes have seen.
    private static func site(
        _ visitors: WebVisitors,
        screens: SignetScreens = .routeTemplates,
        times: Int = 1
    ) -> (router: Router<VisitorContext>, seen: Locked<[InstallationID?]>) {
        let seen = Locked<[InstallationID?]>([])
        let router = Router(context: VisitorContext.self)
        let pages = router.group()
        for _ in 0..<times { pages.add(middleware: SignetMiddleware(visitors, screens: screens)) }
        pages.get("/products/:id") { _, context in
            let id = context.signet.installation?.id
            seen.withLock { $0.append(id) }
            return Self.html()
        }
        for (path, value) in Self.caching {
            pages.get("/caching/\(path)") { _, _ in Response(status: .ok, headers: [.cacheControl: value]) }
        }
        pages.get("/caching/targeted") { _, _ -> Response in
            var headers: HTTPFields = [.cacheControl: "no-store", .expires: "0"]
            for name in Self.forSharedCaches { HTTPField.Name(name).map { headers[$0] = "max-age=60" } }
            return Response(status: .ok, headers: headers)
        }
        pages.get("/moved") { _, _ in Response.redirect(to: "/products/1") }
        pages.get("/data") { _, _ in Response(status: .ok, headers: [.contentType: "application/json"]) }
        pages.get("/gone") { _, _ -> Response in throw HTTPError(.gone) }
        pages.get("/full") { _, _ -> Response in throw NoAnswer() }
        pages.get("/broken") { _, _ in Self.html(.internalServerError) }
        pages.post("/login") { _, context in
            _ = try context.signet.requireInstallation()
            return Self.html()
        }
        return (router, seen)
    }

    @Test func aScreenIsTheTemplateOfARouteThatWasShown() async throws {
        let purpose = try #require(HTTPField.Name("Sec-Purpose"))
        let emulator = try await withEmulatedSignet(in: self.folder.path) { signet in
            var browser = Browser(Self.site(WebVisitors(signet.runtime, self.configuration)).router)
            for path in ["/products/1", "/products/2", "/moved", "/data", "/gone", "/broken", "/nowhere"] {
                try await browser.send(.get, path)
            }
            try await browser.send(.post, "/login")
            try await browser.send(.get, "/products/3", [purpose: "prefetch"])
            await until("the platform knows the visitor") { !signet.emulator.users().isEmpty }
            return signet.emulator
        }
        let screens = emulator.users().flatMap { emulator.events(of: $0.mpid) }.filter { $0.type == "screen_view" }
        #expect(screens.count == 2)
        #expect(screens.allSatisfy { $0.name == "/products/{id}" })
        #expect(emulator.users().count == 1)
    }

    @Test func theCookieIsSetOnceAndKeepsSharedCachesAway() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let (router, seen) = Self.site(WebVisitors(signet.runtime, self.configuration))
            var browser = Browser(router)
            let first = try await browser.send(.get, "/products/1")
            #expect(browser.setCookie?.hasPrefix("__Host-signet-visitor=1.") == true)
            #expect(first.headers[.cacheControl] == "private")
            let second = try await browser.send(.get, "/products/1")
            #expect(browser.setCookie == nil && second.headers[.cacheControl] == nil)
            let ids = seen.withLock { $0 }
            #expect(ids.count == 2 && ids[0] != nil && ids[0] == ids[1])
        }
    }

    @Test(
        arguments: [
            ("fresh", "private, no-cache, max-age=0"), ("shared", "private, max-age=60"), ("none", "no-store"),
        ]
    )
    func theCookieKeepsWhatTheAnswerSaysOfCaches(path: String, expected: String) async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var browser = Browser(Self.site(WebVisitors(signet.runtime, self.configuration)).router)
            let response = try await browser.send(.get, "/caching/\(path)")
            #expect(browser.setCookie != nil)
            #expect(response.headers[.cacheControl] == expected)
        }
    }

    @Test func theCookieRemovesWhatSharedCachesFollowFirst() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var browser = Browser(Self.site(WebVisitors(signet.runtime, self.configuration)).router)
            let first = try await browser.send(.get, "/caching/targeted")
            #expect(browser.setCookie != nil)
            let second = try await browser.send(.get, "/caching/targeted")
            #expect(browser.setCookie == nil)
            for text in Self.forSharedCaches {
                let name = try #require(HTTPField.Name(text))
                #expect(first.headers[name] == nil, "\(text)")
                #expect(second.headers[name] == "max-age=60", "\(text)")
            }
            #expect(first.headers[.cacheControl] == "no-store" && first.headers[.expires] == "0")
        }
    }

    @Test func anErrorThatIsNoAnswerSetsTheCookieToo() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var browser = Browser(Self.site(WebVisitors(signet.runtime, self.configuration)).router)
            let response = try await browser.send(.get, "/full")
            #expect(response.status == .internalServerError)
            #expect(browser.setCookie?.hasPrefix("__Host-signet-visitor=1.") == true)
        }
    }

    @Test func anErrorSetsTheCookieToo() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var browser = Browser(Self.site(WebVisitors(signet.runtime, self.configuration)).router)
            let gone = try await browser.send(.get, "/gone")
            #expect(gone.status == .gone)
            #expect(browser.setCookie != nil)
            var stranger = Browser(Self.site(WebVisitors(signet.runtime, self.configuration)).router)
            let nowhere = try await stranger.send(.get, "/nowhere")
            #expect(nowhere.status == .notFound)
            #expect(stranger.setCookie == nil)
        }
    }

    @Test func twiceAroundARouteIsOneVisitorAndOneScreen() async throws {
        let emulator = try await withEmulatedSignet(in: self.folder.path) { signet in
            let (router, _) = Self.site(WebVisitors(signet.runtime, self.configuration), times: 2)
            var browser = Browser(router)
            let response = try await browser.send(.get, "/products/1")
            #expect(response.headers[values: .setCookie].count == 1)
            await until("the platform knows the visitor") { !signet.emulator.users().isEmpty }
            return signet.emulator
        }
        let users = emulator.users()
        #expect(users.count == 1)
        #expect(users.flatMap { emulator.events(of: $0.mpid) }.count { $0.type == "screen_view" } == 1)
    }

    @Test func aSkippedVisitorGetsTheirPageAndNoInstallation() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var configuration = self.configuration
            configuration.consent = { _ in .undecided }
            let (router, seen) = Self.site(WebVisitors(signet.runtime, configuration), times: 2)
            var browser = Browser(router)
            let page = try await browser.send(.get, "/products/1")
            #expect(page.status == .ok)
            let login = try await browser.send(.post, "/login")
            #expect(login.status == .forbidden)
            #expect(browser.cookie == nil)
            #expect(seen.withLock { $0 } == [nil])
            #expect(signet.transport.exchanges.isEmpty)
        }
    }

    @Test func aRouteTellsABotThatItIsTakenForOne() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let fields = [(name: "User-Agent", value: "curl/8.5")]
            let request = VisitorRequest(method: "POST", path: "/login", fields: fields)
            let visit = try await WebVisitors(signet.runtime, self.configuration).visit(request)
            let error = #expect(throws: HTTPError.self) { try SignetVisitor(decided: visit).requireInstallation() }
            #expect(error?.status == .forbidden && error?.body?.contains("User-Agent") == true)
        }
    }

    @Test func aRuntimeThatHasEndedHoldsNoPageBack() async throws {
        let outside = try await withEmulatedSignet(in: self.folder.path) { $0 }
        var browser = Browser(Self.site(WebVisitors(outside.runtime, self.configuration)).router)
        let page = try await browser.send(.get, "/products/1")
        #expect(page.status == .ok)
        #expect(browser.setCookie == nil)
    }
}
#endif
