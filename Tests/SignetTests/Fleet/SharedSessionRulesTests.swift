// SPDX-License-Identifier: Apache-2.0

import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite("The end of a shared session") struct SharedSessionRulesTests {
    private let rules = SharedSessionRules(timeout: 30_000)
    private let key = UUID.random()

    /// A row whose session had its last event at 100,000.
    private func row(last: Int64? = 100_000) -> SharedInstallation {
        SharedInstallation(
            key: self.key,
            id: "v",
            state: [],
            tag: UUID.random(),
            tags: [],
            session: last.map { .init(id: UUID.random(), started: 0, last: $0, events: 1) }
        )
    }

    private func replica(_ beat: Int64?) -> SharedReplica {
        SharedReplica(id: UUID.random(), beat: beat)
    }

    private func decision(
        _ row: SharedInstallation? = nil,
        at now: Int64,
        _ replicas: [SharedReplica] = []
    ) -> SharedSessionRules.Decision {
        self.rules.decision(for: row ?? self.row(), at: now, told: self.rules.told(at: now, replicas, of: self.key))
    }

    @Test func withoutSessionThereIsNothingToLookAt() {
        #expect(self.decision(self.row(last: nil), at: 500_000) == .nothing)
    }

    @Test func aSessionThatLivesIsLookedAtWhenItsTimeIsOver() {
        #expect(self.decision(at: 129_999) == .look(at: 130_000))
    }

    /// Its last flush has told all but that row.
    @Test func aRowThatALivingReplicaHasSkippedDoesNotEnd() {
        let skipping = SharedReplica(id: .random(), beat: 199_900, skipped: [self.key])
        let other = SharedReplica(id: .random(), beat: 199_900, skipped: [.random()])
        #expect(self.decision(at: 200_000, [skipping]) == .look(at: 201_000))
        #expect(self.decision(at: 200_000, [other]) == .end(last: 100_000))
        // It has died since.
        #expect(self.decision(at: 220_000, [skipping]) == .end(last: 100_000))
    }

    @Test func itEndsAtItsLastEvent() {
        #expect(self.decision(at: 130_000) == .end(last: 100_000))
        let told = [self.replica(132_001), self.replica(132_500)]
        #expect(self.decision(at: 132_600, told) == .end(last: 100_000))
    }

    @Test func aReplicaThatLivesAndHasNotFlushedSinceIsAwaited() {
        let silent = [self.replica(132_500), self.replica(129_000)]
        #expect(self.decision(at: 132_600, silent) == .look(at: 133_600))
    }

    /// A beat counts the way to the database as well, up to a second of it.
    @Test func aBeatOfJustAfterTheDeadlineIsNotBelieved() {
        #expect(self.decision(at: 132_600, [self.replica(130_001)]) == .look(at: 133_600))
        #expect(self.decision(at: 132_600, [self.replica(132_000)]) == .look(at: 133_600))
    }

    @Test func aReplicaThatIsDeadOrHasLeftIsNot() {
        #expect(self.decision(at: 144_000, [self.replica(129_000)]) == .end(last: 100_000))
        #expect(self.decision(at: 143_999, [self.replica(129_000)]) == .look(at: 144_999))
        #expect(self.decision(at: 130_001, [self.replica(nil)]) == .end(last: 100_000))
    }

    @Test func aBeatOfAClockThatWasAheadKeepsNobodyWaiting() {
        #expect(self.decision(at: 130_001, [self.replica(3_730_000)]) == .end(last: 100_000))
    }

    @Test func aMomentAtTheEndOfTimeIsNoTrap() {
        #expect(self.decision(self.row(last: .max), at: .max) == .look(at: .max))
    }

    @Test func momentsOfBeforeAJumpOfTheClockAreAsOldAsBefore() {
        var rules = self.rules
        rules.jumps.goAhead(by: 3_600_000, after: 110_000)
        let now: Int64 = 3_710_500
        let told = rules.told(at: now, [self.replica(109_900)], of: self.key)
        // A beat of 600 ms ago: the replica lives.
        #expect(told == 3_709_900 - 2001)
        #expect(rules.decision(for: self.row(), at: now, told: told) == .look(at: 3_730_000))
        #expect(rules.decision(for: self.row(last: 3_711_000), at: now, told: told) == .look(at: 3_741_000))
        rules.jumps.goBack()
        #expect(rules.jumps == ClockJumps())
    }

    @Test func derivedIDsAreTheSameOnEachReplicaAndDifferFromEachOther() throws {
        let key = SharedIDs.key(of: Array("cookie-17".utf8))
        // The first 16 bytes of `printf cookie-17 | sha256sum`.
        #expect(key.uuidString.lowercased().replacing("-", with: "") == "1f1df46c1746ce6032f1a75c8620e78a")
        let session = try #require(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00CF4FC964FF"))
        let next = SharedIDs.session(after: session, of: key)
        #expect(next == SharedIDs.session(after: session, of: key))
        #expect(
            Set([session, next, SharedIDs.endEvent(of: session, of: key), SharedIDs.session(after: next, of: key)])
                .count == 4
        )
        #expect(next != SharedIDs.session(after: session, of: SharedIDs.key(of: [1])))
    }
}
