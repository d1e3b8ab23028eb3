// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

/// What must happen before an installation may be removed: each state with each fact.
@Suite struct InstallationRemovalRuleTests {
    private typealias Facts = InstallationRemoval.Facts
    private typealias Accepted = InstallationRemoval.Accepted

    @Test func aClosedOneIsRefusedWhateverElseHolds() {
        for isCallUnderWay in [false, true] {
            for hasSession in [false, true] {
                let facts = Facts(isOpen: false, isCallUnderWay: isCallUnderWay, hasSession: hasSession)
                #expect(InstallationRemoval().next(facts) == .refuse)
            }
        }
    }

    @Test func theCallsComeBeforeTheSessionAndTheSessionBeforeTheDelivery() {
        let removal = InstallationRemoval()
        #expect(removal.next(Facts(isCallUnderWay: true, hasSession: true)) == .finishCalls)
        #expect(removal.next(Facts(hasSession: true)) == .endSession)
        #expect(removal.next(Facts()) == .deliver(Accepted()))
    }

    @Test func oneThatWasNeverWrittenHasNothingToDeliver() {
        let removal = InstallationRemoval()
        #expect(removal.next(Facts(isDurable: false, hasSession: true)) == .remove)
        #expect(removal.next(Facts(isDurable: false, isCallUnderWay: true)) == .finishCalls)
    }

    /// Each thing that may be accepted after the delivery.
    @Test func whatWasAcceptedAfterTheDeliveryIsDeliveredToo() {
        var removal = InstallationRemoval()
        let accepted = Accepted(lastEvent: 7, eventsInMemory: 1, aliases: 2, calls: 3)
        removal.delivered(accepted)
        #expect(removal.next(Facts(accepted: accepted)) == .remove)
        let changes: [(inout Accepted) -> Void] = [
            { $0.lastEvent += 1 }, { $0.eventsInMemory += 1 }, { $0.aliases += 1 }, { $0.calls += 1 },
        ]
        for change in changes {
            var later = accepted
            change(&later)
            #expect(removal.next(Facts(accepted: later)) == .deliver(later))
            removal.delivered(later)
            #expect(removal.next(Facts(accepted: later)) == .remove)
            removal.delivered(accepted)
        }
        // A session that another handle began, and a call.
        #expect(removal.next(Facts(hasSession: true, accepted: accepted)) == .endSession)
        #expect(removal.next(Facts(isCallUnderWay: true, accepted: accepted)) == .finishCalls)
        #expect(removal.next(Facts(isOpen: false, accepted: accepted)) == .refuse)
    }

    // MARK: - Idle ones

    @Test(arguments: [
        (99, false, false, InstallationIdleness.Verdict.remove), (99, false, true, .endSession),
        (99, true, false, .keep), (99, true, true, .keep),
        (100, false, false, .keep), (100, false, true, .keep), (101, false, false, .keep),
    ]) func oneIsRemovedThatWasNotUsedSinceAndOfWhichNothingWaits(
        lastUse: Int64,
        waits: Bool,
        hasOpenSession: Bool,
        verdict: InstallationIdleness.Verdict
    ) {
        let facts = InstallationIdleness.Facts(lastUse: lastUse, waits: waits, hasOpenSession: hasOpenSession)
        #expect(InstallationIdleness(since: 100).verdict(facts) == verdict)
        // Who has opted out stays, whatever else holds.
        var optedOut = facts
        optedOut.isOptedOut = true
        #expect(InstallationIdleness(since: 100).verdict(optedOut) == .keep)
    }

    /// Each step is tried once, however late it is.
    @Test func aHandleThatGoesOnKeepsTheCallNoLongerThanItsTime() {
        var removal = InstallationRemoval()
        let session = InstallationRemoval.Facts(hasSession: true)
        #expect(removal.begin(session, isLate: true) == .endSession)
        #expect(removal.begin(session, isLate: false) == .endSession)
        #expect(removal.begin(session, isLate: true) == .giveUp)
        let event = InstallationRemoval.Facts(accepted: .init(lastEvent: 7))
        #expect(removal.begin(event, isLate: true) == .deliver(event.accepted))
        removal.delivered(event.accepted)
        #expect(removal.begin(event, isLate: true) == .remove)
        let later = InstallationRemoval.Facts(accepted: .init(lastEvent: 8))
        #expect(removal.begin(later, isLate: false) == .deliver(later.accepted))
        #expect(removal.begin(later, isLate: true) == .giveUp)
    }
}
