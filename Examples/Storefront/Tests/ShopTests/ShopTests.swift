// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetWebVisitors
import Testing

@Suite(.timeLimit(.minutes(5))) struct ShopTests {
    private static let visitor = VisitorID.random()

    @Test func aVisitorGetsACookieOnceAndKeepsIt() async throws {
        try await OpenShop.visit { shop async throws in
            let first = try await shop.send(.get, "/")
            #expect(first.status == 200)
            let cookie = try #require(first.visitorCookie)
            #expect(cookie.hasPrefix("1.") && cookie.utf8.count == 68)
            #expect(first.headers["Set-Cookie"]?.contains("HttpOnly; SameSite=Lax") == true)
            #expect(try await shop.send(.get, "/", cookie: cookie).visitorCookie == nil)
        }
    }

    @Test(arguments: ["../../etc/passwd", "cookie-17", "6F9619FF-8B86-D011-B42D-00C04FC964FF"])
    func aCookieThatIsNotOursOpensNothingAndIsRemoved(cookie: String) async throws {
        let emulator = try await OpenShop.visit { shop async throws in
            let page = try await shop.send(.get, "/", cookie: cookie)
            #expect(page.status == 200 && page.visitorCookie == "")
            #expect(try await shop.send(.post, "/login", cookie: cookie, form: "customer=ann").status == 403)
        }
        #expect(emulator.users().isEmpty)
    }

    @Test func whoHasNoCookieIsANewVisitor() async throws {
        try await OpenShop.visit { shop async throws in
            #expect(try await shop.send(.get, "/", cookie: "").visitorCookie?.isEmpty == false)
        }
    }

    @Test func pagesAndTheCartArriveWithTheirVisitor() async throws {
        let emulator = try await OpenShop.visit { shop async throws in
            _ = try await shop.send(.get, "/", as: Self.visitor)
            #expect(try await shop.send(.get, "/products/t-1", as: Self.visitor).text.contains("Teapot, blue"))
            #expect(try await shop.send(.post, "/cart/t-1", as: Self.visitor).status == 303)
            #expect(try await shop.send(.get, "/products/none", as: Self.visitor).status == 404)
        }
        let events = emulator.allEvents
        #expect(events.count { $0.type == "screen_view" } == 2)
        #expect(events.count { $0.type == "commerce_event" } == 2)
        #expect(Set(emulator.batches().map(\.mpid)).count == 1)
        #expect(emulator.batches().allSatisfy { $0.ip == "127.0.0.1" && $0.deviceInfo["locale_country"] == "CH" })
    }

    @Test func aLoginIsAwaitedAndWhatTheGuestDidIsTheCustomers() async throws {
        let emulator = try await OpenShop.visit { shop async throws in
            _ = try await shop.send(.get, "/", as: Self.visitor)
            #expect(try await shop.send(.post, "/login", as: Self.visitor, form: "customer=ann").status == 303)
            #expect(try await shop.send(.get, "/", as: Self.visitor).text.contains("Hello, ann"))
            #expect(try await shop.send(.post, "/logout", as: Self.visitor).status == 303)
            let page = try await shop.send(.get, "/", as: Self.visitor).text
            #expect(!page.contains("Hello"))
        }
        #expect(emulator.users().contains { $0.identities[.customerID]?.contains("ann") == true })
    }

    @Test func whatAGuestDidIsToldToCountForWhomThePlatformKeepsApart() async throws {
        let emulator = try await OpenShop.visit(.link) { shop async throws in
            _ = try await shop.send(.get, "/", as: Self.visitor)
            // Who logs in before the platform knows of the guest was never anybody else.
            let visitor = try await shop.signet.open(Self.visitor.installation, identify: .none)
            while visitor.currentUser == nil { await Task.yield() }
            #expect(try await shop.send(.post, "/login", as: Self.visitor, form: "customer=ann").status == 303)
        }
        let alias = try #require(emulator.aliases().first)
        #expect(emulator.aliases().count == 1)
        let customer = try #require(emulator.users().first { $0.mpid == alias.destination })
        #expect(customer.identities[.customerID]?.contains("ann") == true)
    }

    @Test func theEndOfASessionIsInTheLog() async throws {
        try await OpenShop.visit(sessionTimeout: .seconds(1)) { shop async throws in
            _ = try await shop.send(.get, "/", as: Self.visitor)
            let ends = shop.lines.filter { $0 == "A session has ended." }
            #expect(await ends.first { _ in true } != nil)
        }
    }

    @Test func aCustomerAfterAnotherTakesNothingOver() async throws {
        let emulator = try await OpenShop.visit(.link) { shop async throws in
            for customer in ["ann", "bob"] {
                let form = "customer=\(customer)"
                #expect(try await shop.send(.post, "/login", as: Self.visitor, form: form).status == 303)
            }
            #expect(try await shop.send(.get, "/", as: Self.visitor).text.contains("Hello, bob"))
        }
        let known = emulator.users().filter { $0.identities[.customerID] != nil }
        #expect(known.count == 2)
        #expect(!emulator.aliases().contains { alias in known.contains { $0.mpid == alias.source } })
    }

    @Test func whatIsNotThereMakesNoVisitorAndAFailureDoes() async throws {
        try await OpenShop.visit { shop async throws in
            #expect(try await shop.send(.get, "/favicon.ico").visitorCookie == nil)
            let refused = try await shop.send(.post, "/login", form: "customer=")
            #expect(refused.status == 400)
            #expect(refused.visitorCookie != nil)
        }
    }

    @Test func whoIsForgottenIsDeliveredFirstAndNewAfterwards() async throws {
        let emulator = try await OpenShop.visit { shop async throws in
            _ = try await shop.send(.post, "/login", as: Self.visitor, form: "customer=ann")
            _ = try await shop.send(.get, "/products/t-1", as: Self.visitor)
            let answer = try await shop.send(.post, "/forget", as: Self.visitor)
            #expect(answer.status == 303 && answer.visitorCookie == "")
            #expect(shop.emulator.allEvents.contains { $0.type == "screen_view" })
            #expect(try await !shop.send(.get, "/", as: Self.visitor).text.contains("Hello"))
        }
        #expect(emulator.allEvents.contains { $0.type == "session_end" })
    }

    @Test func aBrowserThatGoesSilentDoesNotHoldTheShutdown() async throws {
        try await OpenShop.visit { shop async throws in
            _ = try await shop.send(.get, "/", as: Self.visitor)
            try SilentBrowser.beginRequest(on: shop.port)
        }
    }

    @Test func twoLoginsOfOneVisitorAreAConflict() async throws {
        try await OpenShop.visit { shop async throws in
            _ = try await shop.send(.get, "/", as: Self.visitor)
            let gate = EmulatorGate()
            shop.emulator.faults.inject(.held(gate), on: .login)
            async let first = shop.send(.post, "/login", as: Self.visitor, form: "customer=ann")
            await gate.arrived()
            let second = try await shop.send(.post, "/login", as: Self.visitor, form: "customer=bob")
            #expect(second.status == 409)
            gate.open()
            let status = try await first.status
            #expect(status == 303)
        }
    }

    @Test func aPlatformThatFailsIsABadGatewayAndThePagesGoOn() async throws {
        try await OpenShop.visit { shop async throws in
            shop.emulator.faults.inject(.status(503), on: .login)
            #expect(try await shop.send(.post, "/login", as: Self.visitor, form: "customer=ann").status == 502)
            #expect(try await shop.send(.get, "/", as: Self.visitor).status == 200)
        }
    }

    @Test(arguments: [("", 400), ("customer=", 400), ("name=ann", 400)])
    func aFormThatMakesNoSenseIsABadRequest(form: String, status: Int) async throws {
        try await OpenShop.visit { shop async throws in
            #expect(try await shop.send(.post, "/login", as: Self.visitor, form: form).status == status)
        }
    }

    @Test func aFormThatIsTooLongIsRefused() async throws {
        try await OpenShop.visit { shop async throws in
            let form = "customer=" + String(repeating: "a", count: 10_000)
            #expect(try await shop.send(.post, "/login", as: Self.visitor, form: form).status == 413)
        }
    }

    @Test func aNameIsTextAndNoScript() async throws {
        try await OpenShop.visit { shop async throws in
            let form = "customer=%3Cscript%3Ealert(1)%3C%2Fscript%3E"
            #expect(try await shop.send(.post, "/login", as: Self.visitor, form: form).status == 303)
            let page = try await shop.send(.get, "/", as: Self.visitor).text
            #expect(page.contains("&lt;script&gt;") && !page.contains("<script>"))
        }
    }

    @Test func closingTheShopDeliversEverything() async throws {
        let emulator = try await OpenShop.visit { shop async throws in
            for _ in 0..<50 { _ = try await shop.send(.get, "/") }
        }
        #expect(emulator.allEvents.count { $0.type == "screen_view" } == 50)
    }
}
