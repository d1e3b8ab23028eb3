// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

/// When the consents of installations are due that no event has carried.
@Suite struct UnsentConsentsTests {
    @Test func theEarliestDeadlineOfAnInstallationCountsOnce() {
        var consents = UnsentConsents()
        consents.add(1, at: .seconds(20))
        consents.add(2, at: .seconds(15))
        consents.add(1, at: .seconds(10))
        consents.add(1, at: .seconds(30))
        #expect(consents.first == .seconds(10))
        #expect(consents.installations == [1, 2])
        #expect(consents.takeDue(at: .seconds(9)) == nil)
        #expect(consents.takeDue(at: .seconds(12)) == 1)
        #expect(consents.takeDue(at: .seconds(12)) == nil)
        #expect(consents.takeDue(at: .seconds(60)) == 2)
        #expect(consents.takeDue(at: .seconds(60)) == nil)
        #expect(consents.first == nil && consents.count == 0)
    }

    @Test func oneThatIsAddedAgainIsDueAtItsNewDeadline() {
        var consents = UnsentConsents()
        consents.add(1, at: .seconds(20))
        consents.add(1, at: .seconds(10))
        #expect(consents.takeDue(at: .seconds(10)) == 1)
        consents.add(1, at: .seconds(40))
        #expect(consents.takeDue(at: .seconds(30)) == nil, "the deadline of before")
        #expect(consents.takeDue(at: .seconds(40)) == 1)
    }

    @Test func oneThatIsRemovedIsNotDue() {
        var consents = UnsentConsents()
        consents.add(1, at: .seconds(10))
        consents.remove(1)
        #expect(consents.first == nil && !consents.contains(1))
        #expect(consents.takeDue(at: .seconds(10)) == nil)
    }
}
