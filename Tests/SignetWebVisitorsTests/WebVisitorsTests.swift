// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetWebVisitors
import Testing

@Suite(.watched) struct WebVisitorsTests {
    private static let old = [UInt8](repeating: 1, count: 32)
    private static let new = [UInt8](repeating: 2, count: 32)

    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private static func request(
        _ method: String = "GET",
        cookie: String? = nil,
        agent: String = "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0",
        site: String = "same-origin",
        destination: String? = nil
    ) -> VisitorRequest {
        var fields = [(name: "User-Agent", value: agent), (name: "Sec-Fetch-Site", value: site)]
        if let destination { fields.append((name: "Sec-Fetch-Dest", value: destination)) }
        if let cookie { fields.append((name: "Cookie", value: "__Host-signet-visitor=\(cookie)")) }
        return VisitorRequest(method: method, path: "/", peer: "192.0.2.7:4711", fields: fields)
    }

    @Test func aVisitorKeepsTheirInstallationOverRotationsOfTheKey() async throws {
        let emulator = try await withEmulatedSignet(in: self.folder.path) { signet in
            let before = WebVisitors(signet.runtime, WebVisitorsConfiguration(keys: try VisitorKeys([Self.old])))
            let first = try await before.visit(Self.request())
            let (token, installation) = (try #require(first.token), try #require(first.installation))
            #expect(first.outcome == .new)
            #expect(first.setCookie == VisitorCookie.standard.setting(token))
            try installation.log(.custom("came"))

            let second = try await before.visit(Self.request(cookie: token))
            #expect(second.outcome == .known && second.setCookie == nil && second.token == nil)
            #expect(second.installation?.id == installation.id)

            let keys = try VisitorKeys([Self.new, Self.old])
            let rotated = WebVisitors(signet.runtime, WebVisitorsConfiguration(keys: keys))
            let third = try await rotated.visit(Self.request(cookie: token))
            #expect(third.outcome == .known && third.installation?.id == installation.id)
            let renewed = try #require(third.token)
            #expect(try await rotated.visit(Self.request(cookie: renewed)).setCookie == nil)
            let fourth = try await before.visit(Self.request(cookie: renewed))
            #expect(fourth.outcome == .skipped(.forged) && fourth.installation == nil)
            await until("the platform knows the visitor") { !signet.emulator.users().isEmpty }
            return signet.emulator
        }
        #expect(!emulator.batches().isEmpty && emulator.batches().allSatisfy { $0.ip == "192.0.2.7" })
    }

    @Test func aForgedOrOversizedCookieOpensNothingAndGoes() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitors = WebVisitors(signet.runtime, WebVisitorsConfiguration(keys: .ofThisProcess()))
            let forged = VisitorKeys.ofThisProcess().token(for: .random())
            let cookies = [(forged, VisitorDecision.Reason.forged), (String(repeating: "a", count: 4000), .oversized)]
            for (cookie, reason) in cookies {
                let visit = try await visitors.visit(Self.request(cookie: cookie))
                #expect(visit.outcome == .skipped(reason) && visit.installation == nil)
                #expect(visit.setCookie == VisitorCookie.standard.removal)
            }
            #expect(signet.transport.exchanges.isEmpty)
        }
    }

    @Test func aValidCookieStaysWhateverOtherCookiesComeWithIt() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let configuration = WebVisitorsConfiguration(keys: .ofThisProcess())
            let visitors = WebVisitors(signet.runtime, configuration)
            let token = configuration.keys.token(for: .random())
            let others = "; others=" + String(repeating: "a", count: VisitorCookieState.maximumFieldLength)
            let many = try await visitors.visit(Self.request(cookie: token + others))
            #expect(many.outcome == .skipped(.oversized) && many.installation == nil && many.setCookie == nil)
            let planted = try await visitors.visit(Self.request(cookie: "\(token); __Host-signet-visitor=x"))
            #expect(planted.outcome == .skipped(.duplicate) && planted.setCookie == nil)
            #expect(try await visitors.visit(Self.request(cookie: token)).outcome == .known)
        }
    }

    @Test func aFormOfTheBankReplacesNoVisitor() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let visitors = WebVisitors(signet.runtime, WebVisitorsConfiguration(keys: .ofThisProcess()))
            let visit = try await visitors.visit(Self.request("POST", site: "cross-site"))
            #expect(visit.outcome == .skipped(.cookieWithheld) && visit.setCookie == nil)
        }
    }

    @Test func clicksInAFrameWithoutTheCookieAreNoVisitorsAndTheCookieCounts() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            let configuration = WebVisitorsConfiguration(keys: .ofThisProcess())
            let visitors = WebVisitors(signet.runtime, configuration)
            for _ in 0..<3 {
                let click = try await visitors.visit(Self.request(destination: "iframe"))
                #expect(click.outcome == .skipped(.cookieWithheld) && click.setCookie == nil)
                #expect(click.installation == nil)
            }
            let token = configuration.keys.token(for: .random())
            let known = try await visitors.visit(Self.request(cookie: token, destination: "iframe"))
            #expect(known.outcome == .known && known.installation != nil)
        }
    }

    @Test func consentComesBeforeTheCookieAndABotIsNotAsked() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var configuration = WebVisitorsConfiguration(keys: .ofThisProcess())
            configuration.consent = { request in
                #expect(request["User-Agent"] != "curl/8.5.0")
                return request.method == "GET" ? .undecided : .refused
            }
            let visitors = WebVisitors(signet.runtime, configuration)
            let token = configuration.keys.token(for: .random())
            for (cookie, method, setCookie) in [
                (nil, "GET", nil), (token, "GET", nil), (nil, "POST", nil),
                (token, "POST", VisitorCookie.standard.removal),
            ] {
                let visit = try await visitors.visit(Self.request(method, cookie: cookie))
                #expect(visit.outcome == .skipped(.noConsent) && visit.installation == nil)
                #expect(visit.setCookie == setCookie)
            }
            let bot = try await visitors.visit(Self.request(cookie: token, agent: "curl/8.5.0"))
            #expect(bot.outcome == .skipped(.bot) && bot.setCookie == nil)
        }
    }

    @Test func anAppOfOnesOwnIsAVisitorAndTheFilterIsNotAsked() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var configuration = WebVisitorsConfiguration(keys: .ofThisProcess())
            let strict = WebVisitors(signet.runtime, configuration)
            configuration.appUserAgents = ["", "Shop", "grpc-", "okhttp/"]
            configuration.isBot = { request in
                #expect(request["User-Agent"]?.hasPrefix("Shop/") == false)
                return KnownBots.sends(request)
            }
            let visitors = WebVisitors(signet.runtime, configuration)
            for agent in [
                "Shop/412 CFNetwork/3826.500.131 Darwin/24.5.0", "shop", "grpc-swift-nio/2.0", "okhttp/4.12.0",
            ] {
                let (without, with) = (
                    try await strict.visit(Self.request(agent: agent)),
                    try await visitors.visit(Self.request(agent: agent))
                )
                #expect(without.outcome == .skipped(.bot) && with.outcome == .new, "\(agent)")
            }
            for agent in ["", "Shopping/1", "Shop2/1", "My Shop/1", "okhttp", "curl/8.5.0"] {
                let visit = try await visitors.visit(Self.request(agent: agent))
                #expect(visit.outcome == .skipped(.bot), "\(agent)")
            }
            #expect(try await visitors.visit(Self.request()).outcome == .new)
        }
    }

    @Test func whoDropsCookiesIsStoppedAndWhoKeepsThemIsNot() async throws {
        try await withEmulatedSignet(in: self.folder.path) { signet in
            var configuration = WebVisitorsConfiguration(keys: .ofThisProcess())
            configuration.limit = try VisitorLimit(perSecond: 1, burst: 3)
            let visitors = WebVisitors(signet.runtime, configuration, clock: signet.clock)
            var outcomes: [WebVisit.Outcome] = []
            for _ in 0..<5 { outcomes.append(try await visitors.visit(Self.request()).outcome) }
            #expect(outcomes == [.new, .new, .new, .skipped(.limited), .skipped(.limited)])
            let known = configuration.keys.token(for: .random())
            #expect(try await visitors.visit(Self.request(cookie: known)).outcome == .known)
            signet.clock.advance(by: .seconds(1))
            #expect(try await visitors.visit(Self.request()).outcome == .new)
            #expect(try await visitors.visit(Self.request()).outcome == .skipped(.limited))
        }
    }
}
