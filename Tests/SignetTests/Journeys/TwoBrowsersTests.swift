// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet

/// Two browsers of one customer on a server with its defaults: what the customer says on one holds on both.
@Suite(.watched) struct TwoBrowsersTests {
    private static let given = ConsentState(gdpr: ["ads": Consent(true)])
    private static let refused = ConsentState(gdpr: ["ads": Consent(false)])

    /// The browsers of a customer.
    private struct Browsers {
        let signet: EmulatedSignet
        let one: Installation
        let two: Installation
        let mpid: MPID

        init(_ signet: EmulatedSignet) async throws {
            self.signet = signet
            self.one = try await signet.runtime.open("one", identify: .none)
            self.two = try await signet.runtime.open("two", identify: .none)
            self.mpid = try await self.one.login([.customerID: "c"]).user.mpid
            try await self.two.login([.customerID: "c"])
        }

        /// What the platform knows of the customer's answer.
        var isGiven: Bool? { self.signet.emulator.user(self.mpid)?.consent?.gdpr["ads"]?.isGiven }

        var attributes: [String: AttributeValue]? { self.signet.emulator.user(self.mpid)?.attributes }

        var batches: [EmulatedBatch] { self.signet.emulator.batches().filter { $0.mpid == self.mpid } }

        /// A page view that is delivered.
        func view(_ browser: Installation) async throws {
            try browser.log(.screen("page"))
            try await self.signet.runtime.upload()
        }

        /// A page view that becomes dead letters: the platform refuses all events.
        func refusedView(_ browser: Installation) async throws {
            self.signet.emulator.faults.injectAlways(.status(400), on: .events)
            try await self.view(browser)
            self.signet.emulator.faults.clear()
        }

        func answer(_ consent: ConsentState, on browser: Installation) async throws {
            self.signet.clock.advance(by: .seconds(1))
            try await browser.setConsent(consent)
        }

        /// Waits for what follows by itself.
        func until(_ what: String, _ isMet: () -> Bool) async {
            var turns = 0
            await SignetTestSupport.until(what) {
                turns += 1
                if turns % 50 == 0 { self.signet.clock.advance(by: .seconds(10)) }
                return isMet()
            }
        }
    }

    private static func withBrowsers(
        configure: (inout SignetConfiguration) -> Void = { _ in },
        _ body: (Browsers) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try await SignetTesting.withEmulatedSignet(in: folder.path, configure: configure) { signet in
            try await body(try await Browsers(signet))
            #expect(signet.emulator.refusedBatches() == [])
        }
    }

    // MARK: - Consent

    @Test func aPageViewOnTheOtherBrowserDoesNotUndoARefusal() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.given, on: browsers.two)
            try await browsers.view(browsers.two)
            #expect(browsers.isGiven == true)
            try await browsers.answer(Self.refused, on: browsers.one)
            try await browsers.view(browsers.one)
            #expect(browsers.isGiven == false)
            try await browsers.view(browsers.two)
            #expect(browsers.isGiven == false)
            #expect(browsers.batches.last?.json["consent_state"] == nil, "the platform has it")
        }
    }

    @Test func bothBrowsersReadTheLatestAnswerAlsoAfterARestart() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        try await SignetTesting.withEmulatedSignet(in: folder.path, clock: clock) { signet in
            let browsers = try await Browsers(signet)
            try await browsers.answer(Self.given, on: browsers.two)
            try await browsers.answer(Self.refused, on: browsers.one)
            #expect(browsers.two.currentUser?.consent?.gdpr["ads"]?.isGiven == false)
            #expect(browsers.two.user(browsers.mpid)?.consent?.gdpr["ads"]?.isGiven == false)
            #expect(browsers.two.allUsers.first?.consent?.gdpr["ads"]?.isGiven == false)
            // What one reads and writes keeps what the other has said.
            try await browsers.two.withUser { $0.consent.gdpr["news"] = Consent(true) }
            #expect(browsers.one.currentUser?.consent?.gdpr.mapValues(\.isGiven) == ["ads": false, "news": true])
        }
        try await SignetTesting.withEmulatedSignet(in: folder.path, clock: clock) { signet in
            let two = try await signet.runtime.open("two", identify: .none)
            #expect(two.currentUser?.consent?.gdpr.mapValues(\.isGiven) == ["ads": false, "news": true])
        }
    }

    /// The refusal overtakes the agreement of before, of which no answer has come.
    @Test func anOlderAnswerThatArrivesLateIsCorrected() async throws {
        try await Self.withBrowsers { browsers in
            let gate = EmulatorGate()
            try await browsers.answer(Self.given, on: browsers.one)
            try browsers.one.log(.screen("page"))
            browsers.signet.emulator.faults.inject(.held(gate), on: .events)
            async let upload: Void = { _ = try? await browsers.signet.runtime.upload(within: .seconds(600)) }()
            await gate.arrived()
            try await browsers.answer(Self.refused, on: browsers.two)
            try browsers.two.log(.screen("page"))
            await browsers.until("the refusal has arrived") { browsers.isGiven == false }
            gate.open()
            await upload
            await browsers.until("the refusal counts again") { browsers.isGiven == false }
            try await browsers.signet.runtime.upload()
            #expect(browsers.isGiven == false)
            try await browsers.view(browsers.one)
            #expect(browsers.batches.last?.json["consent_state"] == nil, "and nothing is said for ever")
        }
    }

    @Test(arguments: [SignetConfiguration.Events.UserFacts.changes, .all])
    func anOlderAnswerInAResentDeadLetterIsCorrected(_ facts: SignetConfiguration.Events.UserFacts) async throws {
        try await Self.withBrowsers(configure: { $0.events.userFacts = facts }) { browsers in
            try await browsers.view(browsers.one)
            try await browsers.answer(Self.given, on: browsers.one)
            try await browsers.refusedView(browsers.one)
            let letter = try #require(try await browsers.signet.runtime.deadLetters.list().first)
            try await browsers.answer(Self.refused, on: browsers.two)
            try await browsers.view(browsers.two)
            #expect(browsers.isGiven == false)
            let count = browsers.batches.count
            #expect(try await browsers.signet.runtime.deadLetters.resend(letter.id))
            await browsers.until("the dead letter and the correction have arrived") {
                browsers.batches.count >= count + 2
            }
            #expect(browsers.isGiven == false)
        }
    }

    /// With all facts, each batch carries the consent, whether the platform has it or not.
    @Test(arguments: [SignetConfiguration.Events.UserFacts.changes, .all])
    func anAnswerThatThePlatformHadIsCorrectedAfterADeadLetter(
        _ facts: SignetConfiguration.Events.UserFacts
    ) async throws {
        try await Self.withBrowsers(configure: { $0.events.userFacts = facts }) { browsers in
            try await browsers.answer(Self.given, on: browsers.one)
            try await browsers.view(browsers.one)
            #expect(browsers.isGiven == true)
            try await browsers.refusedView(browsers.one)
            let letter = try #require(try await browsers.signet.runtime.deadLetters.list().first)
            try await browsers.answer(Self.refused, on: browsers.two)
            try await browsers.view(browsers.two)
            #expect(browsers.isGiven == false)
            let count = browsers.batches.count
            #expect(try await browsers.signet.runtime.deadLetters.resend(letter.id))
            // With changes alone the dead letter carries no consent, and nothing is corrected.
            await browsers.until("all has arrived") { browsers.batches.count >= count + (facts == .all ? 2 : 1) }
            #expect(browsers.isGiven == false)
        }
    }

    @Test func theDefaultDoesNotCountForWhoHasAnsweredElsewhere() async throws {
        try await Self.withBrowsers(configure: { $0.defaultConsent = Self.given }) { browsers in
            try await browsers.view(browsers.one)
            #expect(browsers.isGiven == true)
            try await browsers.answer(Self.refused, on: browsers.one)
            try await browsers.view(browsers.one)
            let three = try await browsers.signet.runtime.open("three", identify: .none)
            let user = try await three.login([.customerID: "c"]).user
            #expect(user.consent?.gdpr["ads"]?.isGiven == false)
            try await browsers.view(three)
            #expect(browsers.isGiven == false)
        }
    }

    /// A browser that has opted out sends nothing; the customer's answer is not only its own.
    @Test func theAnswerOfABrowserThatHasOptedOutGoesWithTheOther() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.given, on: browsers.two)
            try await browsers.view(browsers.two)
            try await browsers.one.setOptedOut(true)
            try await browsers.answer(Self.refused, on: browsers.one)
            try await browsers.view(browsers.two)
            #expect(browsers.isGiven == false)
            // Months later it would undo what the user has said to others meanwhile.
            let said = browsers.batches.count { $0.json["consent_state"] != nil }
            try await browsers.one.setOptedOut(false)
            try await browsers.signet.runtime.upload()
            await browsers.until("nothing is owed") { !browsers.one.core.identityState.owesFacts }
            try await browsers.view(browsers.one)
            #expect(browsers.batches.count { $0.json["consent_state"] != nil } == said)
        }
    }

    @Test func aRemovedConsentIsSaidOnceAsAnEmptyState() async throws {
        try await Self.withBrowsers { browsers in
            let all = ConsentState(
                gdpr: ["ads": Consent(true), "news": Consent(true)],
                ccpaDataSaleOptOut: Consent(true)
            )
            try await browsers.answer(all, on: browsers.one)
            try await browsers.view(browsers.one)
            try await browsers.one.setConsent(nil)
            #expect(browsers.two.currentUser?.consent == nil)
            try await browsers.view(browsers.one)
            let state = try #require(browsers.batches.last?.json["consent_state"])
            #expect(String(decoding: state.encoded(), as: UTF8.self) == #"{"gdpr":{},"ccpa":{}}"#)
            try await browsers.view(browsers.one)
            #expect(browsers.batches.last?.json["consent_state"] == nil)
            #expect(browsers.signet.emulator.user(browsers.mpid)?.consent?.isEmpty == true)
        }
    }

    /// A profile that the platform has forgotten allows what was refused; nobody is asked again for what was given.
    @Test(arguments: [true, false])
    func aRefusalIsSaidAgainAfterALongTimeAndAConsentIsNot(isGiven: Bool) async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(isGiven ? Self.given : Self.refused, on: browsers.one)
            try await browsers.view(browsers.one)
            try await browsers.view(browsers.two)
            #expect(browsers.batches.last?.json["consent_state"] == nil)
            let before = browsers.batches.count
            browsers.signet.clock.advance(by: .seconds(21 * 86_400))
            try await browsers.view(browsers.two)
            // The end of a session may bring it first.
            let states = browsers.batches.dropFirst(before).compactMap { $0.json["consent_state"] }
            #expect(states.count == (isGiven ? 0 : 1))
        }
    }

    @Test func anErasureRemovesTheRecordOfTheAnswer() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.refused, on: browsers.one)
            let store = browsers.signet.runtime.context.store
            #expect(try store.keys(withPrefix: StateKey.consents).count == 1)
            _ = try await browsers.signet.runtime.eraseUser(browsers.mpid)
            #expect(try store.keys(withPrefix: StateKey.consents) == [])
        }
    }

    @Test func theAnswerOutlivesItsBrowserAndGoesLongAfterTheLast() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let (limit, day) = (Duration.seconds(400 * 86_400), Duration.seconds(86_400))
        try await SignetTesting.withEmulatedSignet(in: folder.path, clock: clock) { signet in
            let browsers = try await Browsers(signet)
            try await browsers.answer(Self.given, on: browsers.two)
            try await browsers.answer(Self.refused, on: browsers.one)
            try await browsers.view(browsers.one)
            _ = try await browsers.one.remove()
            #expect(browsers.two.currentUser?.consent?.gdpr["ads"]?.isGiven == false)
        }
        try await SignetTesting.withEmulatedSignet(in: folder.path, clock: clock) { signet in
            let store = signet.runtime.context.store
            clock.advance(by: day * 300)
            _ = try await signet.runtime.removeInstallations(idleFor: limit)
            #expect(try store.keys(withPrefix: StateKey.consents).count == 1)
            clock.advance(by: day * 101)
            // The first time may have to end a session.
            for _ in 0..<3 {
                _ = try await signet.runtime.removeInstallations(idleFor: limit)
                try await signet.runtime.upload()
            }
            #expect(!store.contains(StateKey.identity("two")))
            #expect(try store.keys(withPrefix: StateKey.consents) == [])
        }
    }

    // MARK: - Attributes

    @Test func aPageViewOnTheOtherBrowserUndoesNoAttribute() async throws {
        try await Self.withBrowsers { browsers in
            for browser in [browsers.one, browsers.two] {
                try await browser.setAttributes(["tier": "silver", "visits": 1, "trial": true])
                try await browsers.view(browser)
            }
            try await browsers.one.setAttribute("gold", for: "tier")
            try await browsers.one.setAttribute(2, for: "visits")
            try await browsers.one.removeAttribute("trial")
            try await browsers.view(browsers.one)
            try await browsers.view(browsers.two)
            #expect(browsers.attributes == ["tier": "gold", "visits": 2])
            #expect(browsers.batches.last?.json["user_attributes"] == nil)
            #expect(browsers.batches.last?.json["deleted_user_attributes"] == nil)
        }
    }

    /// Before, a removal was forgotten when its batch was written down.
    @Test func whatADeadLetterCarriedIsInTheNextBatch() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.one.setAttributes(["tier": "silver", "trial": true])
            try await browsers.view(browsers.one)
            try await browsers.one.setAttribute("gold", for: "tier")
            try await browsers.one.removeAttribute("trial")
            try await browsers.refusedView(browsers.one)
            #expect(browsers.attributes == ["tier": "silver", "trial": true])
            try await browsers.view(browsers.one)
            #expect(browsers.attributes == ["tier": "gold"])
        }
    }

    @Test func olderAttributesInAResentDeadLetterAreCorrected() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.view(browsers.one)
            try await browsers.one.setAttribute("silver", for: "tier")
            try await browsers.refusedView(browsers.one)
            let letter = try #require(try await browsers.signet.runtime.deadLetters.list().first)
            try await browsers.one.setAttribute("gold", for: "tier")
            try await browsers.view(browsers.one)
            let count = browsers.batches.count
            #expect(try await browsers.signet.runtime.deadLetters.resend(letter.id))
            await browsers.until("the dead letter and the correction have arrived") {
                browsers.batches.count >= count + 2
            }
            #expect(browsers.attributes == ["tier": "gold"])
        }
    }

    @Test func whatTheAppDropsIsInTheNextBatch() async throws {
        try await Self.withBrowsers(configure: { configuration in
            configuration.events.onCreateBatch = { $0.eventCount == 1 ? .drop : .send }
        }) { browsers in
            try await browsers.signet.runtime.upload()
            try await browsers.one.setAttribute("gold", for: "tier")
            try await browsers.signet.runtime.upload()
            try browsers.one.log(.custom("a"))
            try browsers.one.log(.custom("b"))
            try await browsers.signet.runtime.upload()
            #expect(browsers.attributes == ["tier": "gold"])
        }
    }

    /// The vendor's way.
    @Test func withAllFactsEachBatchHasThem() async throws {
        try await Self.withBrowsers(configure: { $0.events.userFacts = .all }) { browsers in
            try await browsers.one.setAttribute("gold", for: "tier")
            try await browsers.answer(Self.given, on: browsers.one)
            try await browsers.view(browsers.one)
            try await browsers.view(browsers.one)
            let batch = try #require(browsers.batches.last)
            #expect(batch.json["user_attributes"]?["tier"]?.string == "gold")
            #expect(batch.json["consent_state"]?["gdpr"]?["ads"] != nil)
        }
    }
}
