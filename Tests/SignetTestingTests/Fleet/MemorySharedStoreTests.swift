// SPDX-License-Identifier: Apache-2.0

import Foundation
import Signet
import SignetEmulator
import SignetTestSupport
import SignetTesting
import Testing

/// The faults of the store in memory, each as a replica sees it.
@Suite(.watched) struct MemorySharedStoreTests {
    private static let session = SharedInstallation.OpenSession(id: UUID(), started: 10, last: 10, events: 0)

    private let engine = MemorySharedEngine(remembering: 16)
    private let store: MemorySharedStore

    init() {
        self.store = MemorySharedStore(self.engine)
    }

    private func creation(_ state: [UInt8] = [1]) -> SharedCommit {
        let key = UUID()
        var commit = SharedCommit("v", key: key, if: .isMissing, tag: UUID(), state: state)
        commit.session = .begin(Self.session)
        return commit
    }

    private func read(_ key: UUID) async throws -> SharedInstallation? {
        try await self.store.read([key]).value.first
    }

    private func activity(_ key: UUID) -> SharedActivity {
        SharedActivity(key: key, session: Self.session.id, last: 50, events: 3)
    }

    private func error(_ body: () async throws -> Void) async -> SharedStoreError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? SharedStoreError)?.code
        }
    }

    // MARK: - On the way

    @Test func aRefusedCallHasNotHappened() async throws {
        let commit = self.creation()
        self.store.faults.inject(.unreachable, on: .commit)
        self.store.faults.inject(.refused(SharedStoreError(.busy, "Too many.")), on: .commit)
        #expect(await self.error { _ = try await self.store.commit([commit]) } == .unreachable)
        #expect(await self.error { _ = try await self.store.commit([commit]) } == .busy)
        #expect(self.engine.database.rows.isEmpty)
        #expect(try await self.store.commit([commit]).value == [.committed])
    }

    @Test func aCallWhoseReplyIsLostHasHappened() async throws {
        let commit = self.creation()
        self.store.faults.inject(.replyLost)
        #expect(await self.error { _ = try await self.store.commit([commit]) } == .outcomeUnknown)
        let row = try #require(try await self.read(commit.key))
        #expect(row.tag == commit.tag)
        #expect(try await self.store.commit([commit]).value == [.differs(row)])
    }

    @Test func aFlushWhoseReplyIsLostIsRepeatedWithoutHarm() async throws {
        let (commit, token) = (self.creation(), UUID())
        _ = try await self.store.commit([commit])
        self.store.faults.inject(.replyLost, on: .flush)
        for _ in 0..<2 {
            _ = await self.error {
                _ = try await self.store.flush([self.activity(commit.key)], of: token, token: token, age: .zero)
            }
            #expect(try await self.read(commit.key)?.session?.events == 3)
        }
    }

    @Test func faultsAreOfOneReplicaAndOfTheCallsTheyName() async throws {
        let other = MemorySharedStore(self.engine)
        self.store.faults.injectAlways(.unreachable, on: .read)
        for _ in 0..<3 {
            #expect(await self.error { _ = try await self.store.read([]) } == .unreachable)
        }
        #expect(try await other.read([]).value.isEmpty)
        #expect(try await self.store.replicas().value.isEmpty)
        self.store.faults.clear()
        #expect(try await self.store.read([]).value.isEmpty)
    }

    @Test func limitedFaultsComeBeforeLastingOnes() async throws {
        self.store.faults.injectAlways(.unreachable)
        self.store.faults.inject(.refused(SharedStoreError(.busy, "Too many.")), times: 2)
        var codes: [SharedStoreError.Code?] = []
        for _ in 0..<4 {
            codes.append(await self.error { _ = try await self.store.read([]) })
        }
        #expect(codes == [.busy, .busy, .unreachable, .unreachable])
    }

    // MARK: - Held calls

    @Test func aHeldRequestHappensWhenItIsReleased() async throws {
        let (commit, gate) = (self.creation(), EmulatorGate())
        self.store.faults.inject(.requestHeld(gate), on: .commit)
        async let outcome = self.store.commit([commit]).value
        await gate.arrived()
        #expect(self.engine.database.rows.isEmpty)
        gate.open()
        #expect(try await outcome == [.committed])
    }

    @Test func aHeldRequestThatIsCancelledNeverHappens() async throws {
        let (commit, gate) = (self.creation(), EmulatorGate())
        self.store.faults.inject(.requestHeld(gate), on: .commit)
        let code = await withTaskGroup(of: SharedStoreError.Code?.self) { group in
            group.addTask {
                await self.error { _ = try await self.store.commit([commit]) }
            }
            await gate.arrived()
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(code == .cancelled)
        gate.open()
        #expect(self.engine.database.rows.isEmpty)
    }

    @Test func aHeldReplyThatIsCancelledHasHappened() async throws {
        let (commit, gate) = (self.creation(), EmulatorGate())
        self.store.faults.inject(.replyHeld(gate), on: .commit)
        let code = await withTaskGroup(of: SharedStoreError.Code?.self) { group in
            group.addTask {
                await self.error { _ = try await self.store.commit([commit]) }
            }
            await gate.arrived()
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(code == .cancelled)
        #expect(self.engine.database.rows.count == 1)
    }

    @Test func anAnswerThatArrivesLateIsOld() async throws {
        let (commit, gate) = (self.creation(), EmulatorGate())
        _ = try await self.store.commit([commit])
        self.store.faults.inject(.replyHeld(gate), on: .read)
        async let late = self.store.read([commit.key])
        await gate.arrived()
        self.engine.moveClock(by: .seconds(9))
        let change = SharedCommit("v", key: commit.key, if: .tag(commit.tag), tag: UUID(), state: [2])
        let newer = try await self.store.commit([change])
        gate.open()
        let answer = try await late
        #expect(answer.value.first?.tag == commit.tag)
        #expect(newer.milliseconds - answer.milliseconds == 9_000)
    }

    @Test func aRequestThatIsHeldUntilTheStoreIsClosedNeverHappens() async throws {
        let (commit, gate) = (self.creation(), EmulatorGate())
        self.store.faults.inject(.requestHeld(gate), on: .commit)
        async let code = self.error { _ = try await self.store.commit([commit]) }
        await gate.arrived()
        self.store.close()
        gate.open()
        #expect(await code == .unreachable)
        #expect(self.engine.database.rows.isEmpty)
    }

    // MARK: - The database's bad days

    @Test func aFailoverForgetsTheLastChanges() async throws {
        let commits = [self.creation(), self.creation(), self.creation()]
        for commit in commits { _ = try await self.store.commit([commit]) }
        _ = try await self.store.read([])
        #expect(self.engine.failOver(losing: 2) == 2)
        #expect(Set(self.engine.database.rows.keys) == [commits[0].key])
        #expect(self.engine.failOver(losing: 99) == 1)
        #expect(self.engine.database.rows.isEmpty)
        #expect(self.engine.failOver(losing: 1) == 0)
    }

    @Test func aFailoverLosesASlotAndTheNextTakerIsAlone() async throws {
        let commit = self.creation()
        _ = try await self.store.commit([commit])
        let first = SharedSlotRequest(key: commit.key, token: UUID(), owner: UUID())
        _ = try await self.store.takeSlot(first, for: .seconds(10))
        self.engine.failOver(losing: 1)
        let second = SharedSlotRequest(key: commit.key, token: UUID(), owner: UUID())
        _ = try await self.store.takeSlot(second, for: .seconds(10))
        var change = SharedCommit("v", key: commit.key, if: .tag(commit.tag), tag: UUID(), state: [2])
        change.slotToken = first.token
        let row = try #require(try await self.read(commit.key))
        #expect(try await self.store.commit([change]).value == [.differs(row)])
        change.slotToken = second.token
        #expect(try await self.store.commit([change]).value == [.committed])
    }

    @Test func aCrashLosesTheFlushesAfterTheLastCommit() async throws {
        let (commit, replica) = (self.creation(), UUID())
        _ = try await self.store.commit([commit])
        _ = try await self.store.flush([self.activity(commit.key)], of: replica, token: UUID(), age: .zero)
        _ = try await self.store.join(replica, token: UUID())
        #expect(self.engine.crash() == 0)
        let token = UUID()
        _ = try await self.store.flush([self.activity(commit.key)], of: replica, token: token, age: .zero)
        _ = try await self.store.flush([], of: UUID(), token: UUID(), age: .zero)
        #expect(try await self.read(commit.key)?.session?.events == 6)
        #expect(self.engine.crash() == 2)
        #expect(try await self.read(commit.key)?.session?.events == 3)
        // The token is gone with the flush: the repetition counts.
        _ = try await self.store.flush([self.activity(commit.key)], of: replica, token: token, age: .zero)
        #expect(try await self.read(commit.key)?.session?.events == 6)
    }

    @Test func anEngineWhoseClockGoesBackFreesTheSlotsOfBefore() async throws {
        let commit = self.creation()
        _ = try await self.store.commit([commit])
        let before = try await self.store.read([]).milliseconds
        let first = SharedSlotRequest(key: commit.key, token: UUID(), owner: UUID())
        _ = try await self.store.takeSlot(first, for: .seconds(15))
        self.engine.moveClock(by: .seconds(-3_600))
        #expect(try await self.store.read([]).milliseconds == before - 3_600_000)
        let second = SharedSlotRequest(key: commit.key, token: UUID(), owner: UUID())
        let taken = try await self.store.takeSlot(second, for: .seconds(15)).value
        guard case .taken(let row) = taken else { return #expect(Bool(false), "\(taken)") }
        #expect(row.slot?.until == before - 3_585_000)
    }

    @Test func theEngineFollowsATestsClock() async throws {
        let clock = ManualClock()
        let engine = MemorySharedEngine(time: { clock.milliseconds })
        engine.moveClock(by: .seconds(2))
        clock.advance(by: .seconds(5))
        #expect(engine.milliseconds == clock.milliseconds + 2_000)
        let following = MemorySharedEngine(following: clock)
        clock.advance(by: .seconds(5))
        #expect(following.milliseconds == clock.milliseconds)
    }

    @Test func anEngineOfNoClockTakesThatOfTheRuntime() async throws {
        let folder = try TemporaryFolder()
        let store = MemorySharedStore()
        let signet = try EmulatedSignet(in: folder.path) { $0.fleet = FleetConfiguration(store: store) }
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let user = try await visitor.login([.customerID: "c-1"]).user
            try await visitor.setOptedOut(true)
            signet.clock.advance(by: .seconds(60))
            try await visitor.setOptedOut(false)
            try visitor.log(.custom("after"))
            // With a time that stands still the event was logged before the opt-in, and dropped.
            let names = await signet.events(of: user).map(\.name)
            #expect(names.contains("after"))
            #expect(store.engine.milliseconds == signet.clock.milliseconds)
        }
    }

    @Test func anEngineOfAnotherTimeKeepsIt() async throws {
        let folder = try TemporaryFolder()
        let store = MemorySharedStore(MemorySharedEngine(time: { 1_800_000_000_000 }))
        _ = try EmulatedSignet(in: folder.path) { $0.fleet = FleetConfiguration(store: store) }
        #expect(store.engine.milliseconds == 1_800_000_000_000)
    }

    // MARK: - Preparing

    @Test func theFirstWorkspaceBindsTheDatabase() async throws {
        let other = MemorySharedStore(self.engine)
        #expect(try await self.store.prepare(workspace: [1]).value.written == 1)
        #expect(await self.error { _ = try await other.prepare(workspace: [2]) } == .workspaceMismatch)
        #expect(try await other.prepare(workspace: [1]).value.written == 1)
        #expect(self.engine.database.workspace == [1])
    }

    @Test func aNewerFormatIsRefusedByThoseWhoDoNotReadIt() async throws {
        let newer = MemorySharedStore(self.engine, reading: 2)
        #expect(try await newer.prepare(workspace: [1]).value.written == 1)
        self.engine.upgrade(to: 2)
        #expect(try await newer.prepare(workspace: [1]).value.written == 2)
        #expect(await self.error { _ = try await self.store.prepare(workspace: [1]) } == .newerFormat)
    }
}
