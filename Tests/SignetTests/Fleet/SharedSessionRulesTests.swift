// SPDX-License-Identifier: Apache-2.0

import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite("The end of a shared session") struct SharedSessionRulesTests {
    private let rules = SharedSessionRules(timeout: 30_000)

    /// A row whose session had its last event at 100,000.
    private func row(last: Int64? = 100_000) -> SharedInstallation {
        SharedInstallation(
            key: UUID.random(),
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

    @Test func withoutSessionThereIsNothingToLookAt() {
        #expect(self.rules.decision(for: self.row(last: nil), at: 500_000, []) == .nothing)
    }

    @Test func aSessionThatLivesIsLookedAtWhenItsTimeIsOver() {
        #expect(self.rules.decision(for: self.row(), at: 129_999, []) == .look(at: 130_000))
    }

    @Test func itEndsAtItsLastEvent() {
        #expect(self.rules.decision(for: self.row(), at: 130_000, []) == .end(last: 100_000))
        let told = [self.replica(130_001), self.replica(130_500)]
        #expect(self.rules.decision(for: self.row(), at: 130_600, told) == .end(last: 100_000))
    }

    @Test func aReplicaThatLivesAndHasNotFlushedSinceIsAwaited() {
        let silent = [self.replica(130_500), self.replica(129_000)]
        #expect(self.rules.decision(for: self.row(), at: 130_600, silent) == .look(at: 131_600))
        // A flush of the very moment may have been sent before an event of that moment.
        #expect(self.rules.decision(for: self.row(), at: 130_600, [self.replica(130_000)]) == .look(at: 131_600))
    }

    @Test func aReplicaThatIsDeadOrHasLeftIsNot() {
        #expect(self.rules.decision(for: self.row(), at: 144_000, [self.replica(129_000)]) == .end(last: 100_000))
        #expect(self.rules.decision(for: self.row(), at: 143_999, [self.replica(129_000)]) == .look(at: 144_999))
        #expect(self.rules.decision(for: self.row(), at: 130_001, [self.replica(nil)]) == .end(last: 100_000))
    }

    @Test func aBeatOfAClockThatWasAheadKeepsNobodyWaiting() {
        #expect(self.rules.decision(for: self.row(), at: 130_001, [self.replica(3_730_000)]) == .end(last: 100_000))
    }

    @Test func aMomentAtTheEndOfTimeIsNoTrap() {
        #expect(self.rules.decision(for: self.row(last: .max), at: .max, []) == .look(at: .max))
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
