// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A call that tries more than once reports the worst of its outcomes, not the last one: "nothing was changed" only if that is certain.
@Suite(.watched) struct FleetWorstOutcomeTests {
    /// The commit of the answer happens, its reply is lost, and the store stays away until the slot is over: for all calls but
    /// the one that comes before a commit.
    @Test func aLoginThatTheRowMayHaveIsNotReportedAsUnchanged() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            let gate = EmulatorGate()
            fleet.platform.faults.inject(.held(gate), on: .login)
            let error = try await fleet.passing { () async throws -> SignetError? in
                async let login = failure { () async throws(SignetError) in
                    try await here.login([.customerID: "c-2"])
                }
                await gate.arrived()
                fleet[0].store.faults.inject(.replyLost, on: .commit)
                for call in MemoryStoreFaults.Call.allCases where call != .consents {
                    fleet[0].store.faults.injectAlways(.unreachable, on: call)
                }
                gate.open()
                return await login
            }
            #expect(error?.code == .outcomeUnknown)
            fleet[0].store.faults.clear()
            try await here.refresh()
            #expect(here.currentUser?.identities[.customerID]?.value == "c-2", "the row has the new user")
        }
    }

    /// Nothing was sent in any of the tries.
    @Test func aLoginThatNoTryHasCommittedIsStoreUnreachable() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            let gate = EmulatorGate()
            fleet.platform.faults.inject(.held(gate), on: .login)
            let outcome = try await fleet.passing { () async throws -> SignetError.Code? in
                async let login = code { () async throws(SignetError) in try await here.login([.customerID: "c-1"]) }
                await gate.arrived()
                fleet[0].store.faults.injectAlways(.unreachable)
                gate.open()
                return await login
            }
            #expect(outcome == .storeUnreachable)
        }
    }

    /// The row remembers 16 tags: it cannot say whether the answer was taken.
    @Test func aLoginThatSixteenOtherChangesHideIsNotSuperseded() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            let (gate, second) = (EmulatorGate(), EmulatorGate())
            fleet.platform.faults.inject(.held(gate), on: .login)
            let outcome = try await fleet.passing { () async throws -> SignetError.Code? in
                async let login = code { () async throws(SignetError) in try await here.login([.customerID: "c-2"]) }
                await gate.arrived()
                fleet[0].store.faults.inject(.replyLost, on: .commit)
                fleet[0].store.faults.inject(.requestHeld(second), on: .commit)
                fleet[0].store.faults.injectAlways(.unreachable, on: .read)
                gate.open()
                await second.arrived()
                fleet[0].store.faults.clear()
                for _ in 0..<SharedStoreLimits.tags { try await fleet.change { _ in } }
                second.open()
                return await login
            }
            #expect(outcome == .outcomeUnknown)
        }
    }

    /// Another replica has taken the slot, and the row says that the answer was not taken.
    @Test func aLoginWhoseSlotIsLostIsSuperseded() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            let (gate, second) = (EmulatorGate(), EmulatorGate())
            fleet.platform.faults.inject(.held(gate), on: .login)
            let error = SharedStoreError(.outcomeUnknown, "There was no answer in time.")
            let outcome = try await fleet.passing { () async throws -> SignetError.Code? in
                async let login = code { () async throws(SignetError) in try await here.login([.customerID: "c-1"]) }
                await gate.arrived()
                fleet[0].store.faults.inject(.refused(error), on: .commit)
                fleet[0].store.faults.inject(.requestHeld(second), on: .commit)
                fleet[0].store.faults.injectAlways(.unreachable, on: .read)
                gate.open()
                await second.arrived()
                fleet[0].store.faults.clear()
                let slot = try #require(try fleet.row().slot)
                try await fleet.change { $0.slotToken = slot.token }
                second.open()
                return await login
            }
            #expect(outcome == .superseded)
        }
    }

    /// The platform may have had the first request: the store alone would say that nothing was sent.
    @Test func aLoginWhoseFirstTryGotNoAnswerSaysSoWhenTheStoreGoesAway() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            fleet.platform.faults.inject(.connectionRefused, on: .login)
            let policy = RetryPolicy(totalTime: .seconds(60), initialDelay: .seconds(2), jitter: 0)
            let outcome = try await fleet.passing { () async throws -> SignetError.Code? in
                async let login = code { () async throws(SignetError) in
                    try await here.login([.customerID: "c-1"], retry: policy)
                }
                await until("a pause") {
                    here.core.store.read { if case .pausing = $0.identity.slot { true } else { false } }
                }
                fleet[0].store.faults.injectAlways(.unreachable)
                return await login
            }
            #expect(outcome == .notConnected)
        }
    }

    @Test func aReadingWithoutAnAnswerLeavesNothingInDoubt() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await fleet.pass(2)
            // The session is over by the clock: the open asks for the other replicas.
            fleet[0].store.faults.injectAlways(.unreachable, on: .claimDue)
            try await fleet.pass(61)
            fleet[0].store.faults.inject(.replyLost, on: .replicas)
            #expect(await code { _ = try await fleet[0].open() } == .storeUnreachable)
        }
    }

    // MARK: - Removals

    /// The request waits in the database, and the row goes after the caller was told that it stays.
    @Test func aRemovalThatMayStillComeIsNotReportedAsUnchanged() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await fleet.upload()
            fleet[0].store.faults.inject(.requestLate, on: .remove)
            fleet[0].store.faults.injectAlways(.unreachable, on: .remove)
            let outcome = try await fleet.passing {
                await code { () async throws(SignetError) in try await here.remove(within: .seconds(60)) }
            }
            #expect(outcome == .outcomeUnknown)
        }
    }

    @Test func aRemovalThatHasEndedTheSessionSaysSo() async throws {
        try await TestFleet(1).run { fleet in
            let here = try await fleet[0].open()
            try await here.login([.customerID: "c-1"])
            try await fleet.upload()
            fleet[0].store.faults.injectAlways(.unreachable, on: .remove)
            let error = try await fleet.passing {
                await failure { () async throws(SignetError) in try await here.remove(within: .seconds(60)) }
            }
            #expect(error?.code == .storeUnreachable)
            #expect(try fleet.row().session == nil)
            let text = "\(try #require(error))"
            #expect(!text.contains("Nothing was changed"), "\(text)")
            #expect(text.contains("its session has ended"), "\(text)")
        }
    }

    @Test func rowsThatWereRemovedBeforeTheStoreWentAwayAreNotReportedAsUnchanged() async throws {
        try await TestFleet(1).run { fleet in
            let count = SharedStoreLimits.batch + 1
            let store = MemorySharedStore(fleet.engine)
            for number in 0..<count { try await Self.makeRow(number, store, at: fleet.clock.milliseconds) }
            fleet.clock.advance(by: .seconds(100 * 86_400))
            let gate = EmulatorGate()
            fleet[0].store.faults.inject(.replyHeld(gate), on: .removeIdle)
            async let removal = failure { () async throws(SignetError) in
                _ = try await fleet[0].runtime.removeInstallations(idleFor: .seconds(95 * 86_400))
            }
            await gate.arrived()
            fleet[0].store.faults.inject(.unreachable, on: .removeIdle)
            gate.open()
            let error = try #require(await removal)
            #expect(error.code == .outcomeUnknown)
            #expect("\(error)".contains("\(SharedStoreLimits.batch) installations"), "\(error)")
            #expect(fleet.engine.database.rows.count == 1)
        }
    }

    private static func makeRow(_ number: Int, _ store: MemorySharedStore, at moment: Int64) async throws {
        let id = InstallationID("row-\(number)")
        let identity = IdentityState(deviceApplicationStamp: .random(), now: moment)
        var commit = SharedCommit(id, key: SharedIDs.key(of: Array(id.rawValue.utf8)), if: .isMissing, tag: .random())
        commit.state = SharedState(identity: identity, part: SharedPart()).encoded()
        #expect(try await store.commit([commit]).value == [.committed])
    }

    // MARK: - The import of a directory

    private static let portion = 64

    /// A directory with installations of two portions.
    private static func directory() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path) { signet in
            for number in 0...Self.portion {
                let here = try await signet.runtime.open(InstallationID("import-\(number)"), identify: .none)
                try await here.setAttribute("blue", for: "color")
            }
        }
        return folder
    }

    @Test func anImportWhoseReplyWasLostIsNotReportedAsUnchanged() async throws {
        let folder = try await Self.directory()
        let source = try DirectoryImport(directory: folder.path)
        defer { source.close() }
        let store = MemorySharedStore()
        store.faults.inject(.replyLost, on: .commit)
        store.faults.inject(.unreachable, on: .commit)
        #expect(await code { () async throws(SignetError) in _ = try await source.run(into: store) } == .outcomeUnknown)
        #expect(!store.engine.database.rows.isEmpty)
    }

    @Test func anImportThatHasMadeRowsSaysHowMany() async throws {
        let folder = try await Self.directory()
        let source = try DirectoryImport(directory: folder.path)
        defer { source.close() }
        let store = MemorySharedStore()
        let gate = EmulatorGate()
        store.faults.inject(.replyHeld(gate), on: .commit)
        async let run = failure { () async throws(SignetError) in _ = try await source.run(into: store) }
        await gate.arrived()
        store.faults.injectAlways(.unreachable, on: .commit)
        gate.open()
        let text = "\(try #require(await run))"
        #expect(text.contains("\(Self.portion) rows were made"), "\(text)")
        #expect(!text.contains("Nothing was changed"), "\(text)")
        store.faults.clear()
        #expect(try await source.run(into: store).existing == Self.portion)
    }
}
