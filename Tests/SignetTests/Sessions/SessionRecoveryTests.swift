// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// What earlier processes left open, where the record on disk and the journal know different parts of it.
@Suite(.watched) struct SessionRecoveryTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock(startingAtMilliseconds: 1_700_000_000_000)

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// Runs a process and goes on with a copy of its files, as a kill would leave them.
    private func killed(
        in folder: TemporaryFolder? = nil,
        configure: (inout SignetConfiguration) -> Void = { _ in },
        _ body: (SignetRuntime) async throws -> Void
    ) async throws -> TemporaryFolder {
        let folder = folder ?? self.folder
        let runtime = try EmulatedSignet(in: folder.path, clock: self.clock, configure: configure).runtime
        try await body(runtime)
        let copy = try TemporaryFolder(copying: folder)
        await runtime.shutdown()
        return copy
    }

    private func summary(_ change: SessionChange?) -> Session.Summary? {
        guard case .ended(let summary) = change?.kind else { return nil }
        return summary
    }

    @Test func framesOfEarlierProcessesSayNothingOfASessionOfThisOne() async throws {
        let left = try await self.killed { runtime in
            let visitor = try await runtime.open("a", identify: .none)
            try visitor.log(.custom("x"))
            try await visitor.endSession()
            try await runtime.open("b", identify: .none).log(.custom("x"))
        }
        _ = try await self.killed(in: left) { runtime in
            let visitor = try await runtime.open("a", identify: .none)
            let session = visitor.currentSession
            try visitor.log(.custom("y"))
            // Now the frames are looked at.
            _ = try await runtime.open("b", identify: .none)
            try visitor.log(.custom("z"))
            visitor.endLaunch()
            self.clock.advance(by: .seconds(60))
            var changes = runtime.sessionChanges().makeAsyncIterator()
            _ = try await runtime.open("a", identify: .none)
            let ended = await changes.nextFact()
            #expect(ended?.session == session)
            #expect(self.summary(ended)?.eventCount == 2)
        }
    }

    /// A switch for the disk of the journal.
    private final class Fault: Sendable {
        private let writesLeft = Locked<Int?>(nil)

        /// Lets so many more writes to the journal through; all when nil.
        func allow(_ count: Int?) { self.writesLeft.withLock { $0 = count } }

        var disk: Disk {
            Disk(asking: { request in
                guard request.call == .write, request.folder.hasSuffix("/journal") else { return nil }
                return self.writesLeft.withLock { left in
                    guard let count = left else { return nil }
                    left = max(0, count - 1)
                    return count == 0 ? .failure(28) : nil
                }
            })
        }
    }

    @Test func anOpenThatTheDiskRefusedCostsTheSessionNothingThatTheJournalKnows() async throws {
        var session: Session?
        let left = try await self.killed { runtime in
            let visitor = try await runtime.open("v", identify: .none)
            session = visitor.currentSession
            for _ in 0..<3 { try visitor.log(.custom("x")) }
        }
        let fault = Fault()
        let configure: (inout SignetConfiguration) -> Void = {
            $0.disk = fault.disk
            $0.journal.storage = .written
        }
        self.clock.advance(by: .seconds(60))
        _ = try await self.killed(in: left, configure: configure) { runtime in
            fault.allow(0)
            await #expect(throws: SignetError.self) { try await runtime.open("v", identify: .none) }
            fault.allow(nil)
            var changes = runtime.sessionChanges().makeAsyncIterator()
            _ = try await runtime.open("v", identify: .none)
            let ended = await changes.nextFact()
            #expect(ended?.session == session)
            #expect(self.summary(ended)?.eventCount == 3)
        }
    }

    /// Which write fails: the head of the file, the begin, the first run, the launch; or none.
    @Test(arguments: 0...4) func aSessionWhoseOpenFailedHalfwayEndsOnce(writes: Int) async throws {
        let fault = Fault()
        let configure: (inout SignetConfiguration) -> Void = {
            $0.disk = fault.disk
            $0.journal.storage = .written
            $0.sessions.mode = .application
        }
        _ = try await self.killed(configure: configure) { runtime in
            var changes = runtime.sessionChanges().makeAsyncIterator()
            fault.allow(writes)
            do throws(SignetError) {
                let first = try await runtime.open("v", identify: .none)
                fault.allow(nil)
                first.endLaunch()
            } catch {
                #expect(error.code == .diskFull)
            }
            fault.allow(nil)
            let (told, accepted) = (runtime.statistics.sessionChanges, runtime.statistics.eventsAccepted)
            let visitor = try await runtime.open("v", identify: .none)
            // A begin that was told has an end.
            #expect(runtime.statistics.sessionChanges == told + (told == 0 ? 1 : 3))
            if told > 0 {
                let begun = await changes.nextFact()
                let ended = await changes.nextFact()
                #expect(ended?.session == begun?.session)
                #expect(self.summary(ended)?.eventCount == accepted - 1)
            }
            #expect(await changes.nextFact()?.session == visitor.currentSession)
        }
    }

    @Test func whatIsLeftOpenWhileOptedOutIsRemovedWithoutAnEnd() async throws {
        // Killed before what waited was dropped.
        let left = try await self.killed { runtime in
            let visitor = try await runtime.open("v", identify: .none)
            for _ in 0..<3 { try visitor.log(.custom("x")) }
            try await visitor.setOptedOut(true)
        }
        let later = try await self.killed(in: left) { runtime in
            _ = try await runtime.open("v", identify: .none)
            async let run: Void = runtime.run()
            do { try await runtime.upload(within: .seconds(1)) } catch {}
            await runtime.shutdown()
            try await run
        }
        _ = try await self.killed(in: later) { runtime in
            let visitor = try await runtime.open("v", identify: .none)
            var changes = runtime.sessionChanges().makeAsyncIterator()
            try await visitor.setOptedOut(false)
            try visitor.log(.custom("y"))
            let began = await changes.nextFact()
            #expect(began?.kind == .began)
            #expect(began?.session == visitor.currentSession)
        }
    }

    @Test func aBeginWithoutARecordOfItsOwnIsFoundInTheJournal() async throws {
        let isBroken = Locked(false)
        var session: Session?
        let configure: (inout SignetConfiguration) -> Void = {
            $0.disk = Disk(asking: { request in
                let isRecord = request.call == .write && request.folder.hasSuffix("/state")
                return isRecord && isBroken.withLock { $0 } ? .failure(28) : nil
            })
        }
        let left = try await self.killed(configure: configure) { runtime in
            let visitor = try await runtime.open("v", identify: .none)
            try await visitor.endSession()
            isBroken.withLock { $0 = true }
            for _ in 0..<3 { try visitor.log(.custom("x")) }
            session = visitor.currentSession
            #expect(runtime.statistics.statesNotSaved > 0)
        }
        self.clock.advance(by: .seconds(60))
        _ = try await self.killed(in: left) { runtime in
            var changes = runtime.sessionChanges().makeAsyncIterator()
            let visitor = try await runtime.open("v", identify: .none)
            let ended = await changes.nextFact()
            #expect(ended?.session == session)
            #expect(self.summary(ended)?.eventCount == 3)
            #expect(await changes.nextFact()?.session == visitor.currentSession)
        }
    }

    @Test func whatLeavesTheJournalAfterItsInstallationLeftMemoryIsCounted() async throws {
        try await withEmulatedSignet(in: self.folder.path, clock: self.clock) { signet in
            let visitor = try await signet.runtime.open("v")
            _ = try await visitor.initialIdentifyResult()
            let session = visitor.currentSession
            for _ in 0..<3 { try visitor.log(.custom("x")) }
            signet.runtime.evict("v")
            try await signet.runtime.upload()
            #expect(signet.runtime.statistics.eventsWaiting == 0)
            var changes = signet.runtime.sessionChanges().makeAsyncIterator()
            signet.clock.advance(by: .seconds(60))
            _ = try await signet.runtime.open("v", identify: .none)
            let ended = await changes.nextFact()
            #expect(ended?.session == session)
            #expect(self.summary(ended)?.eventCount == 3)
        }
    }

    @Test func whatADiskDidNotTakeAtTheCloseTheJournalStillTells() async throws {
        let isBroken = Locked(false)
        let configure: (inout SignetConfiguration) -> Void = {
            $0.disk = Disk(asking: { request in
                let isRecord = request.call == .write && request.folder.hasSuffix("/state")
                return isRecord && isBroken.withLock { $0 } ? .failure(28) : nil
            })
        }
        _ = try await self.killed(configure: configure) { runtime in
            let visitor = try await runtime.open("v", identify: .none)
            for _ in 0..<3 { try visitor.log(.custom("x")) }
            isBroken.withLock { $0 = true }
            visitor.endLaunch()
            self.clock.advance(by: .seconds(60))
            var changes = runtime.sessionChanges().makeAsyncIterator()
            _ = try await runtime.open("v", identify: .none)
            isBroken.withLock { $0 = false }
            #expect(self.summary(await changes.nextFact())?.eventCount == 3)
        }
    }

    @Test func aBeginThatTheDiskRefusedForgetsNotTheSessionBefore() async throws {
        let fault = Fault()
        let configure: (inout SignetConfiguration) -> Void = {
            $0.disk = fault.disk
            $0.journal.storage = .written
        }
        _ = try await self.killed(configure: configure) { runtime in
            let visitor = try await runtime.open("v", identify: .none)
            let session = try #require(visitor.currentSession)
            self.clock.advance(by: .seconds(60))
            // Its end is written, the begin of the next one is not.
            fault.allow(1)
            #expect(throws: SignetError.self) { try visitor.log(.custom("x")) }
            fault.allow(nil)
            #expect(visitor.currentSession == nil)
            #expect(visitor.core.store.read { $0.sessions.previous?.uuid } == session.uuid)
        }
    }

    @Test func whatLeavesTheJournalAfterAnOpenThatTheDiskRefusedIsCounted() async throws {
        let fault = Fault()
        let configure: (inout SignetConfiguration) -> Void = {
            $0.disk = fault.disk
            $0.journal.storage = .written
        }
        try await withEmulatedSignet(in: self.folder.path, clock: self.clock, configure: configure) { signet in
            let visitor = try await signet.runtime.open("v")
            _ = try await visitor.initialIdentifyResult()
            for _ in 0..<3 { try visitor.log(.custom("x")) }
            visitor.endLaunch()
            fault.allow(0)
            signet.clock.advance(by: .seconds(60))
            await #expect(throws: SignetError.self) { try await signet.runtime.open("v", identify: .none) }
            // No object watches the session: it ends by the clock.
            var changes = signet.runtime.sessionChanges().makeAsyncIterator()
            fault.allow(nil)
            try await signet.runtime.upload()
            #expect(self.summary(await changes.nextFact())?.eventCount == 3)
            withExtendedLifetime(visitor) {}
        }
    }
}
