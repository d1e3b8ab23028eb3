// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Two browsers of one customer on two replicas: what the customer says on one holds on both.
@Suite(.watched) struct FleetTwoBrowsersTests {
    private static let given = ConsentState(gdpr: ["ads": Consent(true)])
    private static let refused = ConsentState(gdpr: ["ads": Consent(false)])

    /// The browsers of a customer, each on a replica of its own.
    private struct Browsers {
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

        var batches: [EmulatedBatch] { self.fleet.platform.batches().filter { $0.mpid == self.mpid } }

        /// The number of page views that have arrived.
        var views: Int { self.fleet.platform.events(of: self.mpid).count { $0.type == "screen_view" } }

        /// The record of the customer in the store.
        var record: UserConsent? {
            self.fleet.engine.database.consents[self.mpid].flatMap { UserConsent($0.consent.state) }
        }

        /// A page view that is delivered, and noted in the store.
        func view(_ browser: Installation, on replica: Int) async throws {
            try browser.log(.screen("page"))
            try await self.upload(replica)
            try await self.fleet.pass(3)
        }

        func upload(_ replica: Int) async throws {
            let runtime = self.fleet[replica].runtime
            _ = try await self.fleet.passing { try await runtime.upload() }
        }

        func answer(_ consent: ConsentState?, on browser: Installation) async throws {
            self.fleet.clock.advance(by: .milliseconds(10))
            try await browser.setConsent(consent)
        }

        /// Waits for what follows by itself.
        func until(_ what: String, _ isMet: () -> Bool) async throws {
            for _ in 0..<60 where !isMet() { try await self.fleet.pass(1) }
            #expect(isMet(), "\(what)")
        }
    }

    private static func withBrowsers(
        configure: (inout SignetConfiguration) -> Void = { _ in },
        _ body: (Browsers) async throws -> Void
    ) async throws {
        let fleet = try TestFleet { configuration in
            // A server's defaults.
            configuration.sessions = SignetConfiguration.Sessions()
            configuration.events = SignetConfiguration.Events()
            configuration.events.uploadInterval = .seconds(3600)
            configure(&configuration)
        }
        try await fleet.run { fleet in
            try await body(try await Browsers(fleet))
            #expect(fleet.platform.refusedBatches() == [])
        }
    }

    @Test func aPageViewOnTheOtherBrowserDoesNotUndoARefusal() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.given, on: browsers.two)
            try await browsers.view(browsers.two, on: 1)
            #expect(browsers.isGiven == true)
            try await browsers.answer(Self.refused, on: browsers.one)
            try await browsers.view(browsers.one, on: 0)
            #expect(browsers.isGiven == false)
            try await browsers.view(browsers.two, on: 1)
            #expect(browsers.isGiven == false)
            #expect(browsers.batches.last?.json["consent_state"] == nil, "the platform has it")
            #expect(browsers.record?.isUnsent == false)
        }
    }

    @Test func bothBrowsersReadTheLatestAnswer() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.given, on: browsers.two)
            try await browsers.answer(Self.refused, on: browsers.one)
            try await browsers.two.refresh()
            #expect(browsers.two.currentUser?.consent?.gdpr["ads"]?.isGiven == false)
            #expect(browsers.two.user(browsers.mpid)?.consent?.gdpr["ads"]?.isGiven == false)
            #expect(browsers.two.allUsers.first?.consent?.gdpr["ads"]?.isGiven == false)
            let three = try await browsers.fleet[1].open("three")
            let user = try await three.login([.customerID: "c"]).user
            #expect(user.consent?.gdpr["ads"]?.isGiven == false, "a browser that knew nothing of the customer")
        }
    }

    /// The reading is sent before the row's own change, and carried out after the other browser's answer.
    @Test func aReadingThatFindsTheKnownRowBringsTheAnswerOfTheOther() async throws {
        try await Self.withBrowsers { browsers in
            let (gate, two) = (EmulatorGate(), browsers.two)
            browsers.fleet[1].store.faults.inject(.requestHeld(gate), on: .read)
            async let refresh: Void = two.refresh()
            await gate.arrived()
            browsers.fleet.clock.advance(by: .milliseconds(10))
            try await two.setAttribute("gold", for: "tier")
            try await browsers.answer(Self.refused, on: browsers.one)
            gate.open()
            try await refresh
            #expect(two.currentUser?.consent?.gdpr["ads"]?.isGiven == false)
        }
    }

    /// The browser has read the answer of before the refusal: its change is made on the refusal.
    @Test func aChangeOfOnePurposeKeepsWhatTheOtherBrowserHasRefused() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.given, on: browsers.two)
            try await browsers.answer(Self.refused, on: browsers.one)
            #expect(browsers.two.currentUser?.consent?.gdpr["ads"]?.isGiven == true, "not read yet")
            try await browsers.two.withUser { user in
                user["tier"] = "gold"
                user.consent.gdpr["news"] = Consent(true)
            }
            let expected = ["ads": false, "news": true]
            #expect(browsers.two.currentUser?.consent?.gdpr.mapValues(\.isGiven) == expected)
            #expect(browsers.two.currentUser?.attributes["tier"] == "gold")
            try await browsers.one.refresh()
            #expect(browsers.one.currentUser?.consent?.gdpr.mapValues(\.isGiven) == expected)
            try await browsers.view(browsers.two, on: 1)
            #expect(browsers.isGiven == false)
        }
    }

    /// The browser has read its own agreement last, and the customer agrees again: that is an answer to the refusal.
    @Test func anAnswerThatRepeatsWhatTheBrowserKnowsCountsAfterThatOfTheOther() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.given, on: browsers.two)
            try await browsers.answer(Self.refused, on: browsers.one)
            try await browsers.answer(Self.given, on: browsers.two)
            try await browsers.one.refresh()
            #expect(browsers.one.currentUser?.consent?.gdpr["ads"]?.isGiven == true)
            try await browsers.view(browsers.two, on: 1)
            try await browsers.view(browsers.one, on: 0)
            #expect(browsers.isGiven == true)
        }
    }

    /// The refusal overtakes the agreement of before, of which no answer has come.
    @Test func anOlderAnswerThatArrivesLateIsCorrected() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.given, on: browsers.one)
            try browsers.one.log(.screen("page"))
            let gate = EmulatorGate()
            browsers.fleet.platform.faults.inject(.held(gate), on: .events)
            let runtime = browsers.fleet[0].runtime
            async let upload: Void = { _ = try? await runtime.upload(within: .seconds(600)) }()
            await gate.arrived()
            try await browsers.answer(Self.refused, on: browsers.two)
            try await browsers.view(browsers.two, on: 1)
            #expect(browsers.isGiven == false)
            let count = browsers.batches.count
            gate.open()
            await upload
            try await browsers.until("the late one and the correction have arrived") {
                browsers.batches.count >= count + 2
            }
            #expect(browsers.isGiven == false)
        }
    }

    /// A replica holds a batch while the platform refuses it, and the customer refuses on the other.
    @Test func aReplicaThatWakesUpDoesNotUndoTheRefusalOfTheOther() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.given, on: browsers.one)
            try browsers.one.log(.screen("page"))
            browsers.fleet.platform.faults.inject(.status(503), on: .events)
            let runtime = browsers.fleet[0].runtime
            _ = try? await runtime.upload()
            #expect(browsers.views == 0, "it is held")
            try await browsers.answer(Self.refused, on: browsers.two)
            try await browsers.view(browsers.two, on: 1)
            try await browsers.until("both are delivered, and the refusal counts") {
                browsers.isGiven == false && browsers.views == 2
            }
            try await browsers.fleet.pass(5)
            #expect(browsers.isGiven == false)
        }
    }

    @Test func theDefaultDoesNotCountForWhoHasAnsweredElsewhere() async throws {
        try await Self.withBrowsers(configure: { $0.defaultConsent = Self.given }) { browsers in
            try await browsers.view(browsers.one, on: 0)
            #expect(browsers.isGiven == true)
            try await browsers.answer(Self.refused, on: browsers.one)
            try await browsers.view(browsers.one, on: 0)
            let three = try await browsers.fleet[1].open("three")
            let user = try await three.login([.customerID: "c"]).user
            #expect(user.consent?.gdpr["ads"]?.isGiven == false)
            try await browsers.view(three, on: 1)
            #expect(browsers.isGiven == false)
        }
    }

    /// A browser that has opted out sends nothing; the customer's answer is not only its own.
    @Test func theAnswerOfABrowserThatHasOptedOutGoesWithTheOther() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.given, on: browsers.two)
            try await browsers.view(browsers.two, on: 1)
            try await browsers.one.setOptedOut(true)
            try await browsers.answer(Self.refused, on: browsers.one)
            try await browsers.view(browsers.two, on: 1)
            #expect(browsers.isGiven == false)
            let said = browsers.batches.count { $0.json["consent_state"] != nil }
            try await browsers.view(browsers.two, on: 1)
            #expect(browsers.batches.count { $0.json["consent_state"] != nil } == said, "once")
        }
    }

    @Test func whatTheFirstUserSaidBeforeAnyoneWasKnownIsTheirs() async throws {
        let fleet = try TestFleet()
        try await fleet.run { fleet in
            let one = try await fleet[0].open("one")
            try await one.setConsent(Self.refused)
            let mpid = try await one.login([.customerID: "c"]).user.mpid
            let two = try await fleet[1].open("two")
            let user = try await two.login([.customerID: "c"]).user
            #expect(user.mpid == mpid)
            #expect(user.consent?.gdpr["ads"]?.isGiven == false)
        }
    }

    // MARK: - Failures

    @Test(arguments: [MemoryStoreFaults.Fault.replyLost, .requestLate])
    func anAnswerWhoseWriteHasNoAnswerIsWrittenOnce(_ fault: MemoryStoreFaults.Fault) async throws {
        try await Self.withBrowsers { browsers in
            browsers.fleet[0].store.faults.inject(fault, on: .writeConsent)
            try await browsers.answer(Self.refused, on: browsers.one)
            #expect(browsers.record?.consent?.gdpr["ads"]?.isGiven == false)
            try await browsers.view(browsers.one, on: 0)
            #expect(browsers.isGiven == false)
        }
    }

    @Test func withoutTheStoreNothingIsAnswered() async throws {
        try await Self.withBrowsers { browsers in
            let fleet = browsers.fleet
            fleet[0].store.faults.injectAlways(.unreachable)
            await #expect(throws: SignetError.self) { try await browsers.one.setConsent(Self.refused) }
            fleet[0].store.faults.clear()
            #expect(browsers.record == nil)
            #expect(browsers.one.currentUser?.consent == nil)
        }
    }

    /// The row says first that it owes an answer.
    @Test func anAnswerOfWhichTheRowCannotSayThatItOwesItIsNotGiven() async throws {
        try await Self.withBrowsers { browsers in
            browsers.fleet[0].store.faults.injectAlways(.unreachable, on: .commit)
            let error = await #expect(throws: SignetError.self) {
                try await browsers.one.setConsent(Self.refused)
            }
            #expect(error?.code == .storeUnreachable)
            browsers.fleet[0].store.faults.clear()
            #expect(browsers.record == nil)
            #expect(browsers.one.currentUser?.consent == nil)
        }
    }

    /// The record is written, and the row does not take the answer: it counts, and goes without an event.
    @Test(arguments: [false, true])
    func anAnswerThatTheRowDoesNotTakeGoesByItself(_ hasRecord: Bool) async throws {
        try await Self.withBrowsers(configure: { $0.events.uploadInterval = .seconds(5) }) { browsers in
            if hasRecord { try await browsers.answer(Self.given, on: browsers.two) }
            // No event is left that would bring it.
            try await browsers.view(browsers.two, on: 1)
            try await browsers.view(browsers.one, on: 0)
            let (gate, one) = (EmulatorGate(), browsers.one)
            let faults = browsers.fleet[0].store.faults
            faults.inject(.requestHeld(gate), on: .writeConsent)
            async let failed = failure { () async throws(SignetError) in try await one.setConsent(Self.refused) }
            await gate.arrived()
            faults.injectAlways(.unreachable, on: .commit)
            gate.open()
            #expect(await failed?.code == .outcomeUnknown)
            faults.clear()
            #expect(browsers.record?.isUnsent == true)
            try await browsers.until("the refusal has arrived") { browsers.isGiven == false }
            try await browsers.fleet.pass(10)
            #expect(browsers.record?.isUnsent == false)
            #expect(browsers.isGiven == false)
        }
    }

    // MARK: - The end of a record

    @Test func anErasureRemovesTheRecordAndWhoComesBackIsNew() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.refused, on: browsers.one)
            let runtime = browsers.fleet[0].runtime
            let mpid = browsers.mpid
            _ = try await browsers.fleet.passing { try await runtime.eraseUser(mpid) }
            #expect(browsers.record == nil)
            let user = try await browsers.one.login([.customerID: "c"]).user
            #expect(user.consent == nil)
        }
    }

    @Test func theAnswerOutlivesItsBrowser() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.given, on: browsers.two)
            try await browsers.answer(Self.refused, on: browsers.one)
            let one = browsers.one
            _ = try await browsers.fleet.passing { try await one.remove() }
            try await browsers.two.refresh()
            #expect(browsers.two.currentUser?.consent?.gdpr["ads"]?.isGiven == false)
            try await browsers.view(browsers.two, on: 1)
            #expect(browsers.isGiven == false)
        }
    }

    /// Days are zero here: the rules of days are the store's.
    @Test func theAnswerGoesWithTheLastRowThatMentionsTheUser() async throws {
        try await Self.withBrowsers { browsers in
            try await browsers.answer(Self.refused, on: browsers.one)
            let store = browsers.fleet[0].store
            #expect(try await store.removeConsents(days: 0, limit: 10).value == 0)
            #expect(browsers.record != nil)
            let member = try #require(browsers.fleet[0].runtime.context.fleet)
            try await FleetRemoval(fleet: member).removeIdle(days: 0) { _ in }
            #expect(browsers.fleet.engine.database.rows.isEmpty)
            #expect(browsers.record == nil)
        }
    }

    @Test func anImportedDirectoryBringsTheAnswersAlong() async throws {
        let folder = try TemporaryFolder()
        let mpid = try await withEmulatedSignet(in: folder.path) { signet in
            let one = try await signet.runtime.open("one", identify: .none)
            let mpid = try await one.login([.customerID: "c"]).user.mpid
            try await one.setConsent(Self.refused)
            return mpid
        }
        let source = try DirectoryImport(directory: folder.path)
        defer { source.close() }
        let store = MemorySharedStore()
        store.faults.inject(.replyLost, on: .writeConsent)
        #expect(try await source.run(into: store).made == 1)
        let consent = try #require(store.engine.database.consents[mpid]?.consent)
        #expect(UserConsent(consent.state)?.consent?.gdpr["ads"]?.isGiven == false)
        #expect(try await source.run(into: store).existing == 1)
        #expect(store.engine.database.consents[mpid]?.consent == consent, "a second time nothing is left to do")
    }

    /// The customer was on both replicas; whichever directory comes first, the later answer counts.
    @Test(arguments: [false, true]) func ofTwoImportedDirectoriesTheLaterAnswerCounts(isLaterFirst: Bool) async throws {
        let platform = Emulator()
        var folders: [TemporaryFolder] = []
        var mpid: MPID?
        for (index, consent) in [Self.given, Self.refused].enumerated() {
            let folder = try TemporaryFolder()
            let clock = ManualClock(startingAtMilliseconds: 1_700_000_000_000 + Int64(index) * 100_000)
            try await EmulatedSignet(in: folder.path, platform: platform, clock: clock).run { signet in
                let visitor = try await signet.runtime.open(InstallationID("visitor-\(index)"), identify: .none)
                mpid = try await visitor.login([.customerID: "c"]).user.mpid
                try await visitor.setConsent(consent)
            }
            folders.append(folder)
        }
        let store = MemorySharedStore()
        for folder in isLaterFirst ? folders.reversed() : folders {
            let source = try DirectoryImport(directory: folder.path)
            defer { source.close() }
            #expect(try await source.run(into: store).made == 1)
        }
        let known = try #require(mpid.flatMap { store.engine.database.consents[$0]?.consent })
        #expect(UserConsent(known.state)?.consent?.gdpr["ads"]?.isGiven == false)
    }
}
