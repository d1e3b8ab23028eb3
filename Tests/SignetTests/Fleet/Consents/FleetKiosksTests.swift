// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Two kiosks on two replicas, each with a consent of its own: the later of what a kiosk and what the customer says
/// counts.
@Suite(.watched) struct FleetKiosksTests {
    private static let given = ConsentState(gdpr: ["ads": Consent(true)])
    private static let refused = ConsentState(gdpr: ["ads": Consent(false)])

    /// The kiosks, each on a replica of its own, and the customer who is logged in on both.
    private struct Kiosks {
        let fleet: TestFleet
        let one: Installation
        let two: Installation
        let mpid: MPID

        init(_ fleet: TestFleet) async throws {
            self.fleet = fleet
            self.one = try await fleet[0].open("one")
            self.two = try await fleet[1].open("two")
            self.mpid = try await self.one.login([.customerID: "c"]).user.mpid
            try await self.two.login([.customerID: "c"])
        }

        /// What the platform knows of the customer's answer.
        var isGiven: Bool? { self.fleet.platform.user(self.mpid)?.consent?.gdpr["ads"]?.isGiven }

        /// The number of batches that have carried a consent.
        var consents: Int {
            self.fleet.platform.batches().count { $0.mpid == self.mpid && $0.json["consent_state"] != nil }
        }

        /// The record of the customer in the store.
        var record: UserConsent? {
            self.fleet.engine.database.consents[self.mpid].flatMap { UserConsent($0.consent.state) }
        }

        /// A page view that is delivered, and noted in the store.
        func view(_ kiosk: Installation, on replica: Int) async throws {
            try kiosk.log(.screen("page"))
            let runtime = self.fleet[replica].runtime
            _ = try await self.fleet.passing { try await runtime.upload() }
            try await self.fleet.pass(3)
        }

        func set(_ consent: ConsentState?, on kiosk: Installation) async throws {
            self.fleet.clock.advance(by: .milliseconds(10))
            try await kiosk.setInstallationConsent(consent)
        }
    }

    private static func withKiosks(_ body: (Kiosks) async throws -> Void) async throws {
        let fleet = try TestFleet { $0.events.userFacts = .changes }
        try await fleet.run { fleet in
            try await body(try await Kiosks(fleet))
            #expect(fleet.platform.refusedBatches() == [])
        }
    }

    @Test func theyDoNotFlipACustomerWithEachView() async throws {
        try await Self.withKiosks { kiosks in
            try await kiosks.set(Self.given, on: kiosks.one)
            try await kiosks.view(kiosks.one, on: 0)
            #expect(kiosks.isGiven == true)
            try await kiosks.set(Self.refused, on: kiosks.two)
            try await kiosks.view(kiosks.two, on: 1)
            #expect(kiosks.isGiven == false)
            let said = kiosks.consents
            try await kiosks.view(kiosks.one, on: 0)
            try await kiosks.view(kiosks.two, on: 1)
            #expect(kiosks.isGiven == false)
            #expect(kiosks.consents == said, "the platform has the later one")
            #expect(kiosks.record?.answered == nil, "the customer has answered nothing")
        }
    }

    @Test func theCustomersLaterAnswerCountsUntilTheKioskIsSetAgain() async throws {
        try await Self.withKiosks { kiosks in
            try await kiosks.set(Self.given, on: kiosks.one)
            try await kiosks.view(kiosks.one, on: 0)
            kiosks.fleet.clock.advance(by: .milliseconds(10))
            try await kiosks.two.setConsent(Self.refused)
            try await kiosks.view(kiosks.two, on: 1)
            #expect(kiosks.isGiven == false)
            try await kiosks.view(kiosks.one, on: 0)
            #expect(kiosks.isGiven == false)
            try await kiosks.one.refresh()
            try await kiosks.set(ConsentState(gdpr: ["ads": Consent(true, document: "2")]), on: kiosks.one)
            try await kiosks.view(kiosks.one, on: 0)
            #expect(kiosks.isGiven == true)
        }
    }

    @Test func whatAKioskSupersededCountsAgainOnceItsConsentIsRemoved() async throws {
        try await Self.withKiosks { kiosks in
            try await kiosks.two.setConsent(Self.refused)
            try await kiosks.view(kiosks.two, on: 1)
            #expect(kiosks.isGiven == false)
            try await kiosks.set(Self.given, on: kiosks.one)
            try await kiosks.view(kiosks.one, on: 0)
            #expect(kiosks.isGiven == true)
            try await kiosks.set(nil, on: kiosks.one)
            #expect(kiosks.record?.isUnsent == true)
            try await kiosks.view(kiosks.one, on: 0)
            #expect(kiosks.isGiven == false)
            #expect(kiosks.record?.isUnsent == false)
        }
    }
}
