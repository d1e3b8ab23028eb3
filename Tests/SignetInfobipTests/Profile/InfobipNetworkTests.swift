// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetInfobip

/// The checklist of facts 9, rows 1, 47, 58 and 59: where the service is, and what makes it be asked again.
@Suite struct InfobipNetworkTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")

    /// The host and the last part of the path of everything that was sent.
    private static func asked(_ signet: EmulatedSignet) -> [String] {
        signet.transport.exchanges.map { exchange in
            let host = exchange.request.url.split(separator: "/").dropFirst().first.map(String.init) ?? ""
            return host + " " + (exchange.endpoint.split(separator: "?").first.map(String.init) ?? "")
        }
    }

    @Test func row1AServerOfOnesOwnIsTheOnlyOneThatIsAsked() async throws {
        #expect(InfobipConfiguration(applicationCode: "code").requestTimeout == .seconds(20))
        #expect(InfobipConfiguration(applicationCode: "code").followsLogin)
        let world = try InfobipWorld()
        let url = try ServerURL("http://127.0.0.1:8080")
        try await world.live(configure: { $0.infobip?.baseURL = url }) { signet, it in
            world.infobip.configure { $0.newBaseURL = "https://mobile-2.infobip.com" }
            try await it.infobip.register()
            try await it.infobip.fetchUser()
            world.clock.advance(by: .seconds(90_000))
            try await it.infobip.fetchUser()
            let urls = signet.transport.exchanges.map(\.request.url)
            #expect(urls.count == 3)
            #expect(urls.allSatisfy { $0.hasPrefix("http://127.0.0.1:8080/mobile/1/appinstance") })
        }
        // Where it is is not asked for there.
        #expect(world.infobip.requests(on: .baseURL).isEmpty)
    }

    @Test func row47AnotherAddressTriesAgain() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            let other = try await signet.runtime.open("other", identify: .none).infobip
            try await other.register("BB")
            world.emulator.faults.inject(.status(503), on: .depersonalize)
            #expect(try await it.infobip.depersonalize() == .pending)
            try await it.infobip.waitUntilIdle()
            #expect(it.infobip.isDepersonalizationPending)
            // Another installation is told of it; nobody waits for the pause to end.
            world.infobip.configure { $0.newBaseURL = "https://mobile-2.infobip.com" }
            try await other.fetchInstallation()
            try await it.infobip.waitUntilIdle()
            #expect(!it.infobip.isDepersonalizationPending)
            #expect(Self.asked(signet).last == "mobile-2.infobip.com depersonalize")
        }
    }

    @Test func row58TheAddressIsAskedForAgainAfterADay() async throws {
        let world = try InfobipWorld()
        world.infobip.configure { $0.baseURL = "https://mobile-3.infobip.com" }
        try await world.live { signet, it in
            let id = try await it.infobip.register()
            world.clock.advance(by: .seconds(86_399))
            try await it.infobip.fetchUser()
            #expect(world.infobip.requests(on: .baseURL).count == 1)
            world.infobip.configure { $0.baseURL = "https://mobile-4.infobip.com" }
            world.clock.advance(by: .seconds(1))
            try await it.infobip.fetchUser()
            #expect(
                Self.asked(signet) == [
                    "mobile.infobip.com baseurl", "mobile-3.infobip.com appinstance", "mobile-3.infobip.com user",
                    "mobile.infobip.com baseurl", "mobile-4.infobip.com user",
                ]
            )
            #expect(world.infobip.installation(id) != nil)
        }
        // A day is a day also for the next life.
        try await world.live { signet, it in
            try await it.infobip.fetchUser()
            #expect(Self.asked(signet) == ["mobile-4.infobip.com user"])
        }
    }

    @Test func row58AnErrorNamesAnAddressToo() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            try await it.infobip.register()
            for (number, name) in ["New-Base-URL", "new-base-url", "NEW-BASE-URL"].enumerated() {
                var headers = HTTPHeaders()
                headers.append(name: name, value: "https://mobile-\(number + 2).infobip.com")
                world.emulator.faults.inject(
                    .answer(TransportResponse(status: 400, headers: headers)),
                    on: .fetchPerson
                )
                #expect(await code { try await it.infobip.fetchUser() } == .rejected)
                try await it.infobip.fetchUser()
                #expect(Self.asked(signet).last == "mobile-\(number + 2).infobip.com user")
            }
        }
    }

    @Test func row59TheNetworkIsBackForAllInstallations() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let other = try await signet.runtime.open("other", identify: .none)
            let ids = [try await it.infobip.register(), try await other.infobip.register("BB")]
            world.emulator.faults.injectAlways(.connectionRefused)
            for installation in [it, other] {
                #expect(try await installation.infobip.save { $0.firstName = .set("A") } == .pending)
                try await installation.infobip.waitUntilIdle()
            }
            world.emulator.faults.clear()
            for installation in [it, other] {
                try await installation.infobip.waitUntilIdle()
                #expect(installation.infobip.hasPendingChanges)
            }
            try await signet.runtime.retryInfobip()
            for installation in [it, other] {
                try await installation.infobip.waitUntilIdle()
                #expect(!installation.infobip.hasPendingChanges)
            }
            #expect(ids.map { world.infobip.person(of: $0)?.firstName } == ["A", "A"])
        }
    }

    /// What the service has asked for holds also when the network is back.
    @Test func row59TheNetworkThatIsBackDoesNotEndAPauseThatTheServiceAskedFor() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let id = try await it.infobip.register()
            world.emulator.faults.inject(.status(429, retryAfter: .seconds(30)), on: .updatePerson)
            #expect(try await it.infobip.save { $0.firstName = .set("A") } == .pending)
            try await signet.runtime.retryInfobip()
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.person(of: id)?.firstName == nil)
            world.clock.advance(by: .seconds(30))
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.person(of: id)?.firstName == "A")
        }
    }
}
