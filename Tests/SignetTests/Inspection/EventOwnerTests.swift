// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

/// Whose an event is, decided by the places at which it was found.
@Suite struct EventOwnerTests {
    private let first = MPID(rawValue: 1)
    private let second = MPID(rawValue: 2)

    private func finding(_ sequence: UInt64, stamped mpid: MPID?) -> EventFinding {
        var finding = EventFinding()
        (finding.sequence, finding.tag) = (sequence, EventMetadata(installation: 7, mpid: mpid))
        return finding
    }

    private func directory(first: MPID?, past: [AnonymousAttribution] = []) -> UserDirectory {
        UserDirectory(createdAt: 0, firstUser: first, pastAttributions: past)
    }

    @Test func aStampedEventIsOfTheUserWhoWasCurrent() {
        let owner = EventOwner(self.finding(3, stamped: self.second), self.directory(first: self.first))
        #expect(owner.mpid == self.second)
        #expect(owner.reason == .current)
    }

    @Test func anEventBeforeTheFirstUserIsOfThatUser() {
        let owner = EventOwner(self.finding(3, stamped: nil), self.directory(first: self.first))
        #expect(owner.mpid == self.first)
        #expect(owner.reason == .first)
    }

    @Test func anEventWithoutAnyUserWaits() {
        let owner = EventOwner(self.finding(3, stamped: nil), self.directory(first: nil))
        #expect(owner.mpid == nil)
        #expect(owner.reason == .waiting)
    }

    @Test(arguments: [(3, true), (4, false)] as [(UInt64, Bool)])
    func anErasureSplitsTheEventsWithoutAUser(sequence: UInt64, isErased: Bool) {
        let past = [AnonymousAttribution(upTo: 3, mpid: nil)]
        let owner = EventOwner(self.finding(sequence, stamped: nil), self.directory(first: self.second, past: past))
        #expect(owner.reason == (isErased ? .erased : .first))
        #expect(owner.mpid == (isErased ? nil : self.second))
    }

    @Test func withoutARecordOfTheInstallationNobodyIsGuessed() {
        let owner = EventOwner(self.finding(3, stamped: nil), nil)
        #expect(owner.mpid == nil)
        #expect(owner.reason == .unknown)
    }
}
