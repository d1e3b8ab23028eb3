// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A change of consent is no event: without one, a batch without events carries it.
@Suite(.watched) struct UnsentConsentTests {
    private static let given = ConsentState(gdpr: ["ads": Consent(true)])
    private static let withdrawn = ConsentState(gdpr: ["ads": Consent(false)])

    @Test func aWithdrawnConsentReachesThePlatformWithoutAnEvent() async throws {
        let known = try await QuietInstallation()
        let mpid = try await Self.agree(known)
        let signet = try known.next()
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setConsent(Self.withdrawn)
            #expect(visitor.currentSession == nil)
            try await Self.pass(signet, 590)
            #expect(Self.isGiven(signet, mpid) == true, "a batch with events may go first")
            try await Self.pass(signet, 20)
            await Self.untilGiven(false, by: mpid, in: signet)
            #expect(Self.batches(signet, of: mpid).last?.json["events"]?.array?.isEmpty == true)
            let count = Self.batches(signet, of: mpid).count
            try await Self.pass(signet, 1300)
            #expect(Self.batches(signet, of: mpid).count == count, "once")
            #expect(!visitor.core.identityState.owesFacts)
        }
        #expect(signet.emulator.refusedBatches() == [])
    }

    /// Nobody has a handle any more.
    @Test func itAlsoReachesThePlatformIfTheVisitorIsGone() async throws {
        let known = try await QuietInstallation()
        let mpid = try await Self.agree(known)
        try await known.next().run { signet in
            try await Self.withdraw(signet)
            await until("it has left memory") { signet.runtime.registry.find("one") == nil }
            try await Self.pass(signet, 610)
            await Self.untilGiven(false, by: mpid, in: signet)
            await until("that is noted") { (try? Self.stored(signet))?.owesFacts == false }
        }
    }

    @Test func aBatchWithEventsCarriesItAndNoneFollows() async throws {
        let known = try await QuietInstallation()
        let mpid = try await Self.agree(known)
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setConsent(Self.withdrawn)
            try visitor.log(.outside("x"))
            try await signet.runtime.upload()
            #expect(Self.isGiven(signet, mpid) == false)
            let requests = signet.eventBodies.count
            try await Self.pass(signet, 1300)
            #expect(signet.eventBodies.count == requests)
        }
    }

    @Test func aShutdownSendsItBeforeTheEnd() async throws {
        let known = try await QuietInstallation()
        let mpid = try await Self.agree(known)
        let signet = try known.next()
        try await signet.run { signet in try await Self.withdraw(signet) }
        #expect(Self.isGiven(signet, mpid) == false)
    }

    @Test func afterAKillTheNextOpenSendsIt() async throws {
        let known = try await QuietInstallation()
        let mpid = try await Self.agree(known)
        let image = Locked<TemporaryFolder?>(nil)
        known.platform.faults.injectAlways(.connectionRefused, on: .events)
        try await known.next().run { signet in
            try await Self.withdraw(signet)
            let copy = try TemporaryFolder(copying: known.folder)
            image.withLock { $0 = copy }
        }
        known.platform.faults.clear()
        let folder = try #require(image.withLock { $0 })
        let next = try known.next(in: folder)
        #expect(Self.isGiven(next, mpid) == true)
        try await next.run { next in
            _ = try await next.runtime.open("one", identify: .none)
            await until("it is sent") { Self.isGiven(next, mpid) == false }
        }
        #expect(Self.batches(next, of: mpid).count { $0.json["events"]?.array?.isEmpty == true } == 1)
    }

    @Test func aVisitSendsItAtOnceAndFindsNothingAfterwards() async throws {
        let known = try await QuietInstallation()
        let mpid = try await Self.agree(known)
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            guard case .nothing = await visitor.core.sendDueFacts() else {
                Issue.record("The platform has it.")
                return
            }
            try await visitor.setConsent(Self.withdrawn)
            #expect(visitor.core.identityState.owesFacts)
            guard case .done = await visitor.core.sendDueFacts() else {
                Issue.record("The queue takes it.")
                return
            }
            await until("it is sent") { Self.isGiven(signet, mpid) == false }
            await until("that is noted") { !visitor.core.identityState.owesFacts }
            guard case .nothing = await visitor.core.sendDueFacts() else {
                Issue.record("The platform has it again.")
                return
            }
        }
    }

    @Test func whileOptedOutNothingIsSentAndTheOptInSendsIt() async throws {
        let known = try await QuietInstallation()
        let mpid = try await Self.agree(known)
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setOptedOut(true)
            try await visitor.setConsent(Self.withdrawn)
            try await signet.runtime.upload()
            #expect(!visitor.core.identityState.owesFacts)
            let count = Self.batches(signet, of: mpid).filter { $0.json["events"]?.array?.isEmpty == true }.count
            try await Self.pass(signet, 1300)
            #expect(Self.batches(signet, of: mpid).count { $0.json["events"]?.array?.isEmpty == true } == count)
            try await visitor.setOptedOut(false)
            try await Self.pass(signet, 610)
            await Self.untilGiven(false, by: mpid, in: signet)
        }
    }

    @Test func whatWasSaidBeforeAnybodyWasKnownIsSentForTheFirstUser() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try await visitor.setConsent(Self.given)
            try await Self.pass(signet, 610)
            #expect(signet.eventBodies.isEmpty, "there is nobody to send it for")
            let mpid = try await visitor.identify().user.mpid
            try await Self.pass(signet, 610)
            await Self.untilGiven(true, by: mpid, in: signet)
        }
    }

    @Test func thatOfTheInstallationIsSentForEachUser() async throws {
        let known = try await QuietInstallation()
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let one = try #require(visitor.currentUser).mpid
            let two = try await visitor.login([.customerID: "c-2"]).user.mpid
            try await signet.runtime.upload()
            try await visitor.setInstallationConsent(Self.withdrawn)
            try await Self.pass(signet, 610)
            await Self.untilGiven(false, by: one, in: signet)
            await Self.untilGiven(false, by: two, in: signet)
            // It is superseded: batches carry the same as before.
            await until("that is noted") { !visitor.core.identityState.owesFacts }
            try await visitor.setConsent(Self.given)
            #expect(!visitor.core.identityState.owesFacts)
            try await visitor.setInstallationConsent(nil)
            try await Self.pass(signet, 610)
            await Self.untilGiven(true, by: two, in: signet)
        }
    }

    @Test func oneThatChangesWhileABatchIsOnTheWireIsSentAfterIt() async throws {
        let known = try await QuietInstallation()
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            let mpid = try #require(visitor.currentUser).mpid
            try await visitor.setConsent(Self.given)
            try visitor.log(.outside("x"))
            let gate = EmulatorGate()
            signet.emulator.faults.inject(.held(gate), on: .events)
            async let upload: Void = { _ = try? await signet.runtime.upload() }()
            await gate.arrived()
            try await visitor.setConsent(Self.withdrawn)
            gate.open()
            await upload
            #expect(Self.isGiven(signet, mpid) == true)
            #expect(visitor.core.identityState.owesFacts)
            try await Self.pass(signet, 610)
            await Self.untilGiven(false, by: mpid, in: signet)
        }
    }

    @Test func whileThePlatformIsAwayNoBatchIsMadeForItAndAfterwardsItIsSent() async throws {
        let known = try await QuietInstallation()
        let mpid = try await Self.agree(known)
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            signet.emulator.faults.injectAlways(.status(503, retryAfter: .seconds(3600)), on: .events)
            try visitor.log(.outside("x"))
            _ = try? await signet.runtime.upload()
            try await visitor.setConsent(Self.withdrawn)
            try await Self.pass(signet, 1200)
            let keys = try signet.runtime.context.store.keys(withPrefix: StateKey.batches)
            #expect(keys.count == 1)
            signet.emulator.faults.clear()
            try await Self.pass(signet, 3000)
            await Self.untilGiven(false, by: mpid, in: signet)
            // Once more if the answer of before has arrived between its making and its arrival: which one the platform took
            // last is unknown.
            let count = Self.batches(signet, of: mpid).count { $0.json["events"]?.array?.isEmpty == true }
            #expect((1...2).contains(count))
        }
    }

    /// The events may be what the platform refuses.
    @Test func oneInADeadLetterIsSentWithoutTheEvents() async throws {
        let known = try await QuietInstallation()
        let mpid = try await Self.agree(known)
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setConsent(Self.withdrawn)
            try visitor.log(.outside("x"))
            signet.emulator.faults.inject(.status(400), on: .events)
            try await signet.runtime.upload()
            #expect(signet.runtime.statistics.eventsDeadLettered > 0)
            try await Self.pass(signet, 610)
            await Self.untilGiven(false, by: mpid, in: signet)
            await until("that is noted") { !visitor.core.identityState.owesFacts }
        }
    }

    @Test func oneThatThePlatformRefusesAloneIsNotSentAgain() async throws {
        let known = try await QuietInstallation()
        try await known.next().run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setConsent(Self.withdrawn)
            signet.emulator.faults.injectAlways(.status(400), on: .events)
            try await Self.pass(signet, 610)
            let requests = signet.eventBodies.count
            #expect(requests == 1)
            try await Self.pass(signet, 1300)
            #expect(signet.eventBodies.count == requests)
        }
    }

    @Test func oneThatTheAppDropsIsNotMadeAgain() async throws {
        let known = try await QuietInstallation()
        let asked = Locked(0)
        let signet = try known.next {
            $0.events.onCreateBatch = { _ in
                asked.withLock { $0 += 1 }
                return .drop
            }
        }
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setConsent(Self.withdrawn)
            try await Self.pass(signet, 1900)
            #expect(asked.withLock { $0 } == 1)
            #expect(!visitor.core.identityState.owesFacts)
        }
        #expect(signet.eventBodies.isEmpty)
    }

    @Test func aDefaultThatNobodyHasSetIsNotSentByItself() async throws {
        let known = try await QuietInstallation()
        try await known.next(configure: { $0.defaultConsent = Self.given }).run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            #expect(visitor.currentUser?.consent != nil)
            try await Self.pass(signet, 1300)
            #expect(signet.eventBodies.isEmpty)
        }
    }

    // MARK: - Help

    /// The user of installation "one" agrees, and the platform has it.
    private static func agree(_ known: QuietInstallation) async throws -> MPID {
        let signet = try known.next()
        let mpid = try await signet.run { signet in
            let visitor = try await signet.runtime.open("one", identify: .none)
            try await visitor.setConsent(Self.given)
            try visitor.log(.outside("agreed"))
            return try #require(visitor.currentUser).mpid
        }
        #expect(Self.isGiven(signet, mpid) == true)
        return mpid
    }

    private static func withdraw(_ signet: EmulatedSignet) async throws {
        try await signet.runtime.open("one", identify: .none).setConsent(Self.withdrawn)
    }

    private static func isGiven(_ signet: EmulatedSignet, _ mpid: MPID) -> Bool? {
        signet.emulator.user(mpid)?.consent?.gdpr["ads"]?.isGiven
    }

    /// Waits until the platform has the consent; the queue may have begun to count its time a little later than the test.
    private static func untilGiven(_ isGiven: Bool, by mpid: MPID, in signet: EmulatedSignet) async {
        var turns = 0
        await until("the platform has the consent") {
            turns += 1
            if turns % 50 == 0 { signet.clock.advance(by: .seconds(10)) }
            return Self.isGiven(signet, mpid) == isGiven
        }
    }

    private static func batches(_ signet: EmulatedSignet, of mpid: MPID) -> [EmulatedBatch] {
        signet.emulator.batches().filter { $0.mpid == mpid }
    }

    private static func stored(_ signet: EmulatedSignet) throws -> IdentityState? {
        try signet.runtime.context.store.value(for: StateKey.identity("one")).flatMap { IdentityState($0) }
    }

    /// Lets time pass in steps of ten seconds, and the queue work after each.
    private static func pass(_ signet: EmulatedSignet, _ seconds: Int) async throws {
        for _ in 0..<seconds / 10 {
            for _ in 0..<50 { await Task.yield() }
            signet.clock.advance(by: .seconds(10))
            for _ in 0..<50 { await Task.yield() }
        }
        await until("nothing is on the wire") { signet.transport.inFlight == 0 }
    }
}

/// A folder in which an installation "one" has the known user c-1 since an earlier life, and never a session.
private struct QuietInstallation {
    let folder: TemporaryFolder
    let platform: Emulator
    private let clock = ManualClock()

    init() async throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(clock: clock, wallClock: { clock.date })
        try await self.next().run { signet in
            _ = try await signet.runtime.open("one", identify: .none).login([.customerID: "c-1"])
        }
    }

    /// The next life, or one on a copy of the folder.
    func next(
        in copy: TemporaryFolder? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in }
    ) throws -> EmulatedSignet {
        try EmulatedSignet(in: (copy ?? self.folder).path, platform: self.platform, clock: self.clock) {
            $0.sessions.tracking = .manual
            $0.sessions.beginsAtOpen = false
            configure(&$0)
        }
    }
}

extension Event {
    /// A custom event that begins no session.
    fileprivate static func outside(_ name: String) -> Event {
        var event = Event.custom(name)
        event.beginsSession = false
        return event
    }
}
