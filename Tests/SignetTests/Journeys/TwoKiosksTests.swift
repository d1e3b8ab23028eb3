// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Two kiosks of a shop with a consent of their own, and a customer who stands before both: on a server with its
/// defaults the later of what the kiosk says and what the customer says counts.
@Suite(.watched) struct TwoKiosksTests {
    private static let given = ConsentState(gdpr: ["ads": Consent(true)])
    private static let refused = ConsentState(gdpr: ["ads": Consent(false)])

    /// The kiosks, and the customer who is logged in on them.
    private struct Kiosks {
        let signet: EmulatedSignet
        let one: Installation
        let two: Installation

        init(_ signet: EmulatedSignet) async throws {
            self.signet = signet
            self.one = try await signet.runtime.open("one", identify: .none)
            self.two = try await signet.runtime.open("two", identify: .none)
        }

        func login(on kiosk: Installation) async throws {
            try await kiosk.login([.customerID: "c"])
        }

        private var mpid: MPID? { self.one.currentUser?.mpid ?? self.two.currentUser?.mpid }

        /// What the platform knows of the customer's answer.
        var isGiven: Bool? { self.mpid.flatMap { self.signet.emulator.user($0) }?.consent?.gdpr["ads"]?.isGiven }

        var batches: [EmulatedBatch] { self.signet.emulator.batches().filter { $0.mpid == self.mpid } }

        /// The number of batches that have carried a consent.
        var consents: Int { self.batches.count { $0.json["consent_state"] != nil } }

        /// The record of the customer on disk.
        func record() throws -> UserConsent? {
            guard let mpid = self.mpid else { return nil }
            return try self.signet.runtime.context.consents?.record(of: mpid)
        }

        /// A page view that is delivered.
        func view(_ kiosk: Installation) async throws {
            try kiosk.log(.screen("page"))
            try await self.signet.runtime.upload()
        }

        func set(_ consent: ConsentState?, on kiosk: Installation) async throws {
            self.signet.clock.advance(by: .seconds(1))
            try await kiosk.setInstallationConsent(consent)
        }

        func answer(_ consent: ConsentState?, on kiosk: Installation) async throws {
            self.signet.clock.advance(by: .seconds(1))
            try await kiosk.setConsent(consent)
        }
    }

    private static func withKiosks(
        in folder: TemporaryFolder? = nil,
        clock: ManualClock = ManualClock(),
        configure: (inout SignetConfiguration) -> Void = { _ in },
        _ body: (Kiosks) async throws -> Void
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        try await SignetTesting.withEmulatedSignet(in: folder.path, clock: clock, configure: configure) { signet in
            try await body(try await Kiosks(signet))
            #expect(signet.emulator.refusedBatches() == [])
        }
    }

    @Test func theyDoNotFlipACustomerWithEachView() async throws {
        try await Self.withKiosks { kiosks in
            try await kiosks.login(on: kiosks.one)
            try await kiosks.login(on: kiosks.two)
            try await kiosks.set(Self.given, on: kiosks.one)
            try await kiosks.view(kiosks.one)
            #expect(kiosks.isGiven == true)
            try await kiosks.set(Self.refused, on: kiosks.two)
            try await kiosks.view(kiosks.two)
            #expect(kiosks.isGiven == false)
            let said = kiosks.consents
            for kiosk in [kiosks.one, kiosks.two, kiosks.one] {
                try await kiosks.view(kiosk)
                #expect(kiosks.isGiven == false, "the later one")
            }
            #expect(kiosks.consents == said, "the platform has it")
            #expect(kiosks.one.currentUser?.consent == nil, "the customer has answered nothing")
        }
    }

    /// The kiosk whose consent is older gets the customer last.
    @Test func theOlderOneDoesNotCountForWhoComesFromTheOther() async throws {
        try await Self.withKiosks { kiosks in
            try await kiosks.set(Self.given, on: kiosks.one)
            try await kiosks.set(Self.refused, on: kiosks.two)
            try await kiosks.login(on: kiosks.two)
            try await kiosks.view(kiosks.two)
            #expect(kiosks.isGiven == false)
            let said = kiosks.consents
            try await kiosks.login(on: kiosks.one)
            try await kiosks.view(kiosks.one)
            #expect(kiosks.isGiven == false)
            #expect(kiosks.consents == said)
        }
    }

    @Test func theLaterOfTheKioskAndTheCustomerCounts() async throws {
        try await Self.withKiosks { kiosks in
            try await kiosks.login(on: kiosks.one)
            try await kiosks.login(on: kiosks.two)
            try await kiosks.answer(Self.refused, on: kiosks.two)
            try await kiosks.view(kiosks.two)
            #expect(kiosks.isGiven == false)
            try await kiosks.set(Self.given, on: kiosks.one)
            try await kiosks.view(kiosks.one)
            #expect(kiosks.isGiven == true)
            #expect(kiosks.one.currentUser?.consent?.gdpr["ads"]?.isGiven == false, "the customer's own")
            // Refused again, elsewhere and on the kiosk itself: it has no say any more.
            try await kiosks.answer(Self.refused, on: kiosks.two)
            try await kiosks.view(kiosks.two)
            #expect(kiosks.isGiven == false)
            try await kiosks.view(kiosks.one)
            #expect(kiosks.isGiven == false)
            try await kiosks.set(Self.given, on: kiosks.two)
            try await kiosks.view(kiosks.two)
            #expect(kiosks.isGiven == true)
            try await kiosks.answer(Self.refused, on: kiosks.two)
            try await kiosks.view(kiosks.two)
            #expect(kiosks.isGiven == false)
        }
    }

    /// The clock stands still.
    @Test func inOneMillisecondTheOrderOfTheCallsCounts() async throws {
        try await Self.withKiosks { kiosks in
            try await kiosks.login(on: kiosks.one)
            try await kiosks.one.setConsent(Self.refused)
            try await kiosks.one.setInstallationConsent(Self.given)
            try await kiosks.view(kiosks.one)
            #expect(kiosks.isGiven == true)
            try await kiosks.one.setConsent(Self.refused)
            try await kiosks.view(kiosks.one)
            #expect(kiosks.isGiven == false)
        }
    }

    @Test func whatAKioskSupersededCountsAgainOnceItsConsentIsRemoved() async throws {
        try await Self.withKiosks { kiosks in
            try await kiosks.login(on: kiosks.one)
            try await kiosks.login(on: kiosks.two)
            try await kiosks.answer(Self.refused, on: kiosks.two)
            try await kiosks.view(kiosks.two)
            try await kiosks.set(Self.given, on: kiosks.one)
            try await kiosks.view(kiosks.one)
            #expect(kiosks.isGiven == true)
            try await kiosks.set(nil, on: kiosks.one)
            #expect(kiosks.one.installationConsent == nil)
            // Without an event.
            try await kiosks.signet.runtime.upload()
            await until("the refusal is said again") { (try? kiosks.record()?.isUnsent) == false }
            #expect(kiosks.isGiven == false)
            let said = kiosks.consents
            try await kiosks.view(kiosks.two)
            try await kiosks.view(kiosks.one)
            #expect(kiosks.consents == said)
        }
    }

    @Test func aRestartKeepsTheMomentOfAKiosksConsent() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        try await Self.withKiosks(in: folder, clock: clock) { kiosks in
            try await kiosks.set(Self.given, on: kiosks.one)
            #expect(kiosks.one.core.identityState.consentMoment == clock.milliseconds)
        }
        let moment = clock.milliseconds
        clock.advance(by: .seconds(60))
        try await Self.withKiosks(in: folder, clock: clock) { kiosks in
            #expect(kiosks.one.installationConsent?.gdpr["ads"]?.isGiven == true)
            #expect(kiosks.one.core.identityState.consentMoment == moment)
            try await kiosks.set(nil, on: kiosks.one)
            #expect(kiosks.one.core.identityState.consentMoment == 0)
        }
    }

    /// Only the kiosk knows its consent: its next batch says it again.
    @Test func anOlderOneInAResentDeadLetterDoesNotLast() async throws {
        try await Self.withKiosks { kiosks in
            try await kiosks.login(on: kiosks.one)
            try await kiosks.login(on: kiosks.two)
            try await kiosks.signet.runtime.upload()
            try await kiosks.set(Self.given, on: kiosks.one)
            kiosks.signet.emulator.faults.injectAlways(.status(400), on: .events)
            try await kiosks.view(kiosks.one)
            kiosks.signet.emulator.faults.clear()
            let letters = try await kiosks.signet.runtime.deadLetters.list()
            let letter = try #require(letters.first { $0.eventCount > 0 })
            try await kiosks.view(kiosks.one)
            #expect(kiosks.isGiven == true)
            try await kiosks.set(Self.refused, on: kiosks.two)
            try await kiosks.view(kiosks.two)
            #expect(kiosks.isGiven == false)
            let accepted = try #require(try kiosks.record()).accepted
            #expect(try await kiosks.signet.runtime.deadLetters.resend(letter.id))
            await until("the answer to the dead letter is noted") {
                (try? kiosks.record()?.accepted).map { $0 < accepted } ?? false
            }
            try await kiosks.view(kiosks.two)
            #expect(kiosks.isGiven == false)
        }
    }

    @Test func anErasureRemovesWhatThePlatformWasGiven() async throws {
        try await Self.withKiosks { kiosks in
            try await kiosks.login(on: kiosks.one)
            try await kiosks.set(Self.given, on: kiosks.one)
            try await kiosks.view(kiosks.one)
            let store = kiosks.signet.runtime.context.store
            #expect(try store.keys(withPrefix: StateKey.consents).count == 1)
            let mpid = try #require(kiosks.one.currentUser?.mpid)
            _ = try await kiosks.signet.runtime.eraseUser(mpid)
            #expect(try store.keys(withPrefix: StateKey.consents) == [])
        }
    }

    /// The vendor's way: each batch of an installation carries its own.
    @Test func withAllFactsAKiosksConsentSupersedesAnyAnswer() async throws {
        try await Self.withKiosks(configure: { $0.events.userFacts = .all }) { kiosks in
            try await kiosks.login(on: kiosks.one)
            try await kiosks.login(on: kiosks.two)
            try await kiosks.set(Self.given, on: kiosks.one)
            try await kiosks.view(kiosks.one)
            try await kiosks.answer(Self.refused, on: kiosks.two)
            try await kiosks.view(kiosks.two)
            #expect(kiosks.isGiven == false)
            try await kiosks.view(kiosks.one)
            #expect(kiosks.isGiven == true)
            try await kiosks.view(kiosks.two)
            #expect(kiosks.isGiven == false)
            #expect(try kiosks.record()?.isUnsent == false, "the kiosk leaves the record alone")
            try await kiosks.view(kiosks.one)
            try await kiosks.set(nil, on: kiosks.one)
            // Without an event.
            try await kiosks.signet.runtime.upload()
            await until("the refusal is said again") { kiosks.isGiven == false }
        }
    }
}
