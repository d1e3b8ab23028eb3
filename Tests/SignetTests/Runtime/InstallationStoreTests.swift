// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetJournal
import SignetLock
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import class FoundationEssentials.ProcessInfo

@testable import Signet

/// The places of an installation's machine: a lock, and one that loses commits as a store of several processes would.
@Suite(.watched) struct InstallationStoreTests {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func signet(_ losses: Locked<Int>) throws -> EmulatedSignet {
        let clock = ManualClock()
        return try EmulatedSignet(
            in: self.folder.path,
            platform: Emulator(EmulatorConfiguration(), clock: clock, wallClock: { clock.date }),
            clock: clock
        ) { ContendedStore($0, writer: $1, losses: losses) }
    }

    @Test func theEnvironmentChoosesTheStoreOfAllTests() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let core = try await signet.runtime.open("v", identify: .none).core
        let isContended = ProcessInfo.processInfo.environment["SIGNET_STORE"] == "contended"
        #expect((core.store is ContendedStore) == isContended)
    }

    @Test func whatLosesItsCommitIsDecidedAgainAndHappensOnce() async throws {
        let losses = Locked(0)
        let signet = try self.signet(losses)
        try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try await visitor.login([.customerID: "c-1"])
            let mpid = try #require(visitor.currentUser).mpid
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<25 {
                            try await visitor.incrementAttribute("visits")
                            try visitor.log(.custom("visit"))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(visitor.currentUser?.attributes["visits"] == 200)
            try await visitor.endSession()
            try await signet.runtime.upload()
            let events = signet.emulator.events(of: mpid)
            #expect(events.count { $0.name == "visit" } == 200)
            #expect(events.count { $0.type == "session_start" } == 1)
            #expect(events.count { $0.type == "session_end" } == 1)
            #expect(events.count { $0.type == "user_attribute_change" } == 200)
            #expect(Set(events.compactMap(\.messageID)).count == events.count)
        }
        #expect(losses.withLock { $0 } > 60)
    }

    @Test func aBodyThatThrowsChangesNothing() async throws {
        let signet = try EmulatedSignet(in: self.folder.path)
        let core = try await signet.runtime.open("v", identify: .none).core
        let before = core.identityState
        #expect(throws: SignetError.self) {
            try core.transact { machine, transaction throws(SignetError) in
                machine.identity.setOptedOut(true)
                transaction.write(.put([1], for: StateKey.dueOptOut(before.number)))
                throw .noUser
            }
        }
        #expect(core.identityState == before)
        #expect(!signet.runtime.context.store.contains(StateKey.dueOptOut(before.number)))
    }

    @Test func anIDThatARefusedStepHasWrittenIsNotGivenAgain() async throws {
        let writesLeft = Locked<Int?>(nil)
        let signet = try EmulatedSignet(in: self.folder.path) {
            $0.disk = Disk(asking: { request in
                guard request.call == .write, request.folder.hasSuffix("/state") else { return nil }
                return writesLeft.withLock { left in
                    guard let count = left else { return nil }
                    left = max(0, count - 1)
                    return count > 0 ? nil : .failure(28)
                }
            })
        }
        // The next numbers are reserved by a write on another thread.
        let numbers = signet.runtime.context.numbers
        _ = try numbers.assign(to: "other")
        await until("the next numbers are reserved") { numbers.isReservedAhead }
        let core = try await signet.runtime.open("v", identify: .none).core
        // The record of the event that is due is written, that of the opt-out is not.
        writesLeft.withLock { $0 = 1 }
        await #expect(throws: SignetError.self) { try await core.setOptedOut(true) }
        writesLeft.withLock { $0 = nil }
        #expect(!core.isOptedOut)
        let record = try signet.runtime.context.store.value(for: StateKey.dueOptOut(core.number))
        let due = try DueOptOut(decoding: try #require(record))
        #expect(core.store.update { $0.messageIDs.next() } != due.messageID)
    }
}
