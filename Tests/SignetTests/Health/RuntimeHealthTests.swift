// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

@Suite(.watched) struct RuntimeHealthTests {
    private let lines = Locked<[String]>([])
    /// The lines about ends, which are no trouble.
    private let ends = Locked<[String]>([])

    /// The lines, but for those at the start of a runtime.
    private var told: [String] {
        self.lines.withLock { $0.filter { !$0.hasPrefix("signet: The runtime runs.") } }
    }

    private func collect(_ configuration: inout SignetConfiguration) {
        configuration.reportsToStandardError = true
        configuration.standardError = { [lines, ends] line in
            (line.contains("has ended") ? ends : lines).withLock { $0.append(line) }
        }
    }

    @Test func theEndIsOneLineWithWhatWasDeliveredAndWhatStays() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let platform = Emulator(clock: clock, wallClock: { clock.date })
        let first = try EmulatedSignet(in: folder.path, platform: platform, clock: clock, configure: self.collect)
        try await first.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("x"))
            try await signet.runtime.upload()
            platform.faults.inject(.connectionRefused, on: .events, times: 1)
            try visitor.log(.custom("waits for c-secret"))
            await #expect(throws: SignetError.self) { try await signet.runtime.upload() }
        }
        // A restart is no way around the pause.
        clock.advance(by: .seconds(600))
        let second = try EmulatedSignet(in: folder.path, platform: platform, clock: clock, configure: self.collect)
        try await second.run { _ in }
        #expect(
            self.ends.withLock { $0 } == [
                "signet: The runtime has ended: 2 events were delivered, 1 stays on disk for the next start.",
                "signet: The runtime has ended: 1 event was delivered, none is left.",
            ]
        )
    }

    @Test func aRuntimeWithAnObserverOrInACommandSaysNothingAtItsEnd() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(
            in: folder.path,
            observer: RecordingObserver(),
            configure: self.collect
        ) { _ in }
        try await withEmulatedSignet(
            in: folder.path,
            configure: {
                self.collect(&$0)
                $0.reportsToStandardError = false
            }
        ) { _ in }
        #expect(self.ends.withLock { $0 } == [])
    }

    @Test func anEndThatLeftOtherWorkSaysSo() {
        let report = ShutdownReport(eventsDelivered: 0, eventsLeft: 0, isComplete: false)
        #expect(report.sentence.hasSuffix("none is left; other work was not finished in time."))
    }

    @Test func aRuntimeIsReadyWhileItRuns() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        #expect(signet.runtime.health.reasons.map(\.name) == ["not_running"])
        try await signet.run { signet in
            await until("it runs") { signet.runtime.health == .ready }
        }
        #expect(!signet.runtime.health.acceptsCalls)
    }

    @Test func aPlatformThatFailsPausesUploadsAndIsToldOnce() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path, configure: self.collect) { signet in
            let visitor = try await signet.openKnown()
            try await signet.runtime.upload()
            signet.emulator.faults.inject(.status(503), on: .events, times: 1)
            try visitor.log(.custom("waits for c-secret"))
            await #expect(throws: SignetError.self) { try await signet.runtime.upload() }
            let health = signet.runtime.health
            guard case .uploadsPaused(_, 503, _) = health.reasons.first?.kind else {
                Issue.record("\(health)")
                return
            }
            #expect(health.acceptsCalls)
            let told = self.told
            #expect(told.count == 1 && told[0].contains("Uploads pause") && told[0].contains("HTTP 503"), "\(told)")
            #expect(!told.contains { $0.contains("c-secret") || $0.contains("cookie") })
        }
    }

    @Test func aDiskThatRefusesIsAReasonUntilItAcceptsAnEvent() async throws {
        let folder = try TemporaryFolder()
        let isBroken = Locked(false)
        try await withEmulatedSignet(
            in: folder.path,
            configure: {
                self.collect(&$0)
                $0.journal.storage = .written
                $0.disk = Disk(asking: { request in
                    request.call == .write && isBroken.withLock { $0 } ? .failure(28) : nil
                })
            }
        ) { signet in
            let visitor = try await signet.openKnown()
            isBroken.withLock { $0 = true }
            #expect(throws: SignetError.self) { try visitor.log(.custom("refused")) }
            #expect(signet.runtime.health.reasons.map(\.kind).contains(.diskRefusesWrites(.diskFull)))
            #expect(self.lines.withLock { $0.count { $0.contains("disk refuses writes") } } == 1)
            isBroken.withLock { $0 = false }
            try visitor.log(.custom("accepted"))
            #expect(!signet.runtime.health.reasons.contains { $0.name == "disk_refuses_writes" })
        }
        // In the minute of its begin: the end of the runtime wrote it.
        #expect(self.told.last == "signet: \(try #require(Trouble.disk.end))")
    }

    @Test func aDiskThatRefusesAnOpenIsAReason() async throws {
        let folder = try TemporaryFolder()
        let isBroken = Locked(false)
        try await withEmulatedSignet(
            in: folder.path,
            configure: {
                self.collect(&$0)
                $0.disk = Disk(asking: { request in
                    request.call == .write && isBroken.withLock { $0 } ? .failure(28) : nil
                })
            }
        ) { signet in
            isBroken.withLock { $0 = true }
            await #expect(throws: SignetError.self) { try await signet.runtime.open("new", identify: .none) }
            #expect(signet.runtime.health.reasons.map(\.kind).contains(.diskRefusesWrites(.diskFull)))
            isBroken.withLock { $0 = false }
        }
        #expect(self.lines.withLock { $0.contains { $0.contains("disk refuses writes") } })
    }

    @Test(arguments: [FleetConfiguration.Unreachable.fail, .logOnly])
    func aStoreThatIsAwayIsToldOnceAndStopsCallsUnlessTheyGoOnWithoutIt(
        whenUnreachable: FleetConfiguration.Unreachable
    ) async throws {
        try await TestFleet(1, whenUnreachable: whenUnreachable, configure: self.collect).run { fleet in
            let (runtime, store) = (fleet[0].runtime, fleet[0].store)
            let visitor = try await fleet[0].open()
            // Afterwards the loops of the replica sleep: no call is under way whose answer could come late.
            try await fleet.pass(2)
            store.faults.injectAlways(.unreachable)
            #expect(await code { _ = try await visitor.login([.customerID: "c-1"]) } == .storeUnreachable)
            #expect(runtime.health == .ready)
            fleet.clock.advance(by: .seconds(5))
            #expect(runtime.health.reasons.map(\.name) == ["store_unreachable"])
            #expect(runtime.health.acceptsCalls == (whenUnreachable == .logOnly))
            store.faults.clear()
            try await fleet.pass(2)
            #expect(runtime.health == .ready)
        }
        let end = try #require(Trouble.store.end)
        #expect(self.told == ["signet: \(Trouble.store.sentence) (storeUnreachable)", "signet: \(end)"])
    }

    @Test func oneFlushThatFailsIsReportedAsACallOfTheStoreAndHasNoLine() async throws {
        let observer = RecordingObserver()
        // The second one has no observer: it writes to the standard error.
        try await TestFleet(2, observers: [observer], configure: self.collect).run { fleet in
            for replica in fleet.replicas {
                try await replica.open().log(.custom("page"))
                replica.store.faults.inject(.unreachable, on: .flush)
            }
            try await fleet.pass(3)
        }
        #expect(observer.storeFailures.map(\.code) == [.storeUnreachable])
        #expect(observer.damages == [])
        #expect(self.told == [])
    }

    /// Readings are answered all the time.
    @Test func changesThatTheStoreNeverCarriesOutAreAReason() async throws {
        try await TestFleet(1, configure: self.collect).run { fleet in
            let refused = SharedStoreError(.notPermitted, "The user may not change signet.live.")
            fleet[0].store.faults.injectAlways(.refused(refused), on: .claimDue)
            try await fleet.pass(130)
            let reasons = fleet[0].runtime.health.reasons
            #expect(reasons.map(\.description) == ["store_unreachable (storeFailed, commits)"])
        }
        #expect(self.told.first == "signet: \(Trouble.store.sentence) (storeFailed)")
    }

    /// A row that somebody has locked is no matter of the store.
    @Test func aRowThatStaysLockedIsNoReason() async throws {
        try await TestFleet(1, configure: self.collect).run { fleet in
            let visitor = try await fleet[0].open()
            try visitor.log(.custom("page"))
            try await fleet.pass(2)
            fleet.engine.lock(["visitor"])
            for _ in 0..<3 {
                #expect(await code { try await visitor.setOptedOut(true) } == .storeBusy)
                try await fleet.pass(50)
                #expect(fleet[0].runtime.health == .ready)
            }
            fleet.engine.lock([])
        }
        #expect(self.told == [])
    }

    @Test func aDiskThatRefusesAChangeIsAReasonUntilItIsTriedAgain() async throws {
        let folder = try TemporaryFolder()
        let isBroken = Locked(false)
        try await withEmulatedSignet(
            in: folder.path,
            configure: {
                self.collect(&$0)
                $0.disk = Disk(asking: { request in
                    request.call == .write && isBroken.withLock { $0 } ? .failure(28) : nil
                })
            }
        ) { signet in
            let visitor = try await signet.openKnown()
            isBroken.withLock { $0 = true }
            await #expect(throws: SignetError.self) {
                try await visitor.setAttribute(.string("red"), for: "colour")
            }
            #expect(signet.runtime.health.reasons.map(\.kind).contains(.diskRefusesWrites(.diskFull)))
            isBroken.withLock { $0 = false }
            await until("the disk tried again") {
                signet.clock.advance(by: .seconds(60))
                return !signet.runtime.health.reasons.contains { $0.name == "disk_refuses_writes" }
            }
        }
    }

    @Test func aRefusalIsCountedOnceWhereItHappens() {
        let monitor = HealthMonitor(time: .system(), lines: { [lines] line in lines.withLock { $0.append(line) } })
        // Each report of a refusal follows a call of `failed`.
        monitor.eventRefused(installation: "v", error: SignetError(.diskFull, "It is full."))
        #expect(self.lines.withLock { $0.isEmpty })
        monitor.failed(.diskFull)
        #expect(self.lines.withLock { $0.count } == 1)
    }

    @Test func whoHasAnObserverHasNoLines() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(
            in: folder.path,
            observer: RecordingObserver(),
            configure: self.collect
        ) { signet in
            signet.runtime.context.dropped(3, .limit)
            #expect(signet.runtime.health.reasons.map(\.kind).contains(.eventsLost(3)))
        }
        #expect(self.lines.withLock { $0 } == [])
    }

    @Test func whatWasWantedIsNoLoss() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path, configure: self.collect) { signet in
            signet.runtime.context.dropped(3, .optedOut)
            signet.runtime.context.reportDamage("the row of cookie-secret")
        }
        #expect(self.told == ["signet: \(Trouble.damage.sentence) (1 time)"])
    }

    @Test func aRunInWhichAllIsWellHasOneLine() async throws {
        let folder = try TemporaryFolder()
        let first = try EmulatedSignet(in: folder.path, configure: self.collect)
        try await first.runtime.open("v", identify: .none).log(.custom("waits"))
        await first.runtime.shutdown()
        #expect(self.lines.withLock { $0 } == [])
        let second = try EmulatedSignet(in: folder.path, configure: self.collect)
        let waiting = second.runtime.statistics.eventsWaiting
        #expect(waiting > 0)
        try await second.run { signet in
            let visitor = try await signet.openKnown()
            try visitor.log(.custom("visit"))
            try await signet.runtime.upload()
        }
        #expect(self.lines.withLock { $0 } == [StandardErrorReports.start(eventsWaiting: waiting)])
    }

    /// A login that fails, an identify that is tried again, and an event that is refused.
    @Test func whatACallerKnowsOrWhatIsTriedAgainHasNoLine() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path, configure: self.collect) { signet in
            signet.emulator.faults.inject(.status(503), on: .identify)
            let visitor = try await signet.runtime.open("v")
            await #expect(throws: SignetError.self) { try await visitor.initialIdentifyResult() }
            signet.emulator.faults.inject(.status(503), on: .login)
            await #expect(throws: SignetError.self) { try await visitor.login([.customerID: "c-1"]) }
            #expect(throws: SignetError.self) { try visitor.log(.custom("")) }
            #expect(signet.runtime.health == .ready)
        }
        #expect(self.told == [])
    }
}
