// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// The wait for the events of one installation, and the notes of its use.
@Suite struct OneInstallationGoalTests {
    @Test func onlyItsOwnEventsAreDueAndCount() throws {
        var uploads = Uploads(events: 10)
        uploads.take(on: 1)
        uploads.take(on: 2)
        let goal = uploads.machine.aim(upTo: uploads.sequence, of: 2)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .underWay)
        #expect(uploads.machine.left(of: goal) == 1)
        let (id, cut) = try uploads.mustCut()
        #expect(cut.installation == 2)
        // Those of another one neither delay the wait nor join it.
        uploads.take(on: 1)
        let request = try uploads.mustSend()
        uploads.machine.finished(request.number, .settled, now: .zero)
        #expect(uploads.machine.batches[id] == nil)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .reached)
        let next = uploads.next()
        #expect(next == "wait 10")
    }

    @Test func whatWaitsForAUserAndAnInstallationWithoutEventsAreReachedAtOnce() {
        var uploads = Uploads()
        uploads.take(on: 1, user: nil)
        uploads.take(on: 2)
        for number: UInt32 in [1, 3] {
            let goal = uploads.machine.aim(upTo: uploads.sequence, of: number)
            #expect(uploads.machine.progress(of: goal, now: .zero) == .reached)
        }
    }

    @Test func aUserWhoComesMakesItWaitForTheirEvents() {
        var uploads = Uploads()
        uploads.take(on: 1, user: nil)
        let goal = uploads.machine.aim(upTo: uploads.sequence, of: 1)
        uploads.attribute(1, to: 5)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .underWay)
    }

    @Test func aPauseEndsTheWait() throws {
        var uploads = Uploads()
        uploads.take(on: 1)
        let goal = uploads.machine.aim(upTo: uploads.sequence, of: 1)
        _ = try uploads.mustCut()
        let request = try uploads.mustSend()
        #expect(uploads.machine.progress(of: goal, now: .zero) == .underWay)
        uploads.machine.finished(request.number, .postponed(.seconds(5), .failure), now: .zero)
        #expect(uploads.machine.progress(of: goal, now: .zero) == .paused)
    }

    // MARK: - The last use

    @Test func theRecordsSayWhenItWasUsed() throws {
        var state = IdentityState(deviceApplicationStamp: UUID(), now: 100)
        #expect(state.lastUse == 100)
        let mpid = try #require(MPID(rawValue: 5))
        state.directory.entries[mpid] = UserDirectory.Entry(firstSeen: 150, lastSeen: 200)
        #expect(state.lastUse == 200)
        #expect(SessionRecord.empty.lastUse == nil)
        let previous = PreviousSession(uuid: UUID(), start: 300, length: 50)
        #expect(SessionRecord(folded: 0, open: nil, previous: previous).lastUse == 350)
        let damaged = PreviousSession(uuid: UUID(), start: 300, length: -50)
        #expect(SessionRecord(folded: 0, open: nil, previous: damaged).lastUse == 300)
    }

    /// Each day and each told use: only one that the record does not show is noted.
    @Test(arguments: [(3, 3, false), (2, 3, true), (3, 2, true)] as [(Int64, Int64, Bool)])
    func aUseIsNotedIfTheRecordKnowsAnotherDay(told: Int64, now: Int64, isNoted: Bool) async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let uses = InstallationUses(store: signet.runtime.context.store)
        try uses.note(7, since: told * 86_400_000 + 9, now: now * 86_400_000)
        #expect(try uses.last(of: 7) == (isNoted ? (now + 1) * 86_400_000 : nil))
        try uses.note(0, since: 0, now: now * 86_400_000)
        #expect(try uses.last(of: 0) == nil)
        await signet.runtime.shutdown()
    }

    /// A clock that shows less than an earlier process has seen is wrong.
    @Test func aUseBeforeAMomentThatHasPassedIsNotedAsOfIt() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let uses = InstallationUses(store: signet.runtime.context.store)
        uses.begin(after: 86_400_000 * 9 + 5)
        #expect(uses.isBehind(86_400_000 * 7) && !uses.isBehind(86_400_000 * 9))
        try uses.note(7, since: 86_400_000 * 3, now: 86_400_000 * 3)
        #expect(try uses.last(of: 7) == 86_400_000 * 10)
        try uses.note(8, now: 86_400_000 * 11)
        #expect(try uses.last(of: 8) == 86_400_000 * 12)
        await signet.runtime.shutdown()
    }

    /// There may be later opens on the day that was noted.
    @Test func aNotedUseCountsUntilTheEndOfItsDay() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path)
        let uses = InstallationUses(store: signet.runtime.context.store)
        #expect(try uses.last(of: 7) == nil)
        try uses.note(7, now: 86_400_000 * 3 + 5)
        try uses.note(7, now: 86_400_000 * 3 + 6)
        #expect(try uses.last(of: 7) == 86_400_000 * 4)
        try signet.runtime.context.store.put([], for: StateKey.lastUse(7))
        let error = #expect(throws: SignetError.self) { try uses.last(of: 7) }
        #expect(error?.isDamage == true)
        await signet.runtime.shutdown()
    }
}
