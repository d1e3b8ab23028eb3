// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// What must happen before an installation may be removed: each state with each fact.
@Suite struct InstallationRemovalRuleTests {
    private typealias Facts = InstallationRemoval.Facts
    private typealias Accepted = InstallationRemoval.Accepted

    private static let session = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))

    @Test(arguments: [InstallationMachine.Phase.closed, .retired, .reset])
    func oneThatIsNotOpenIsRefusedWhateverElseHolds(phase: InstallationMachine.Phase) {
        for calls in [Facts.Calls.answered, .underWay] {
            for session in [nil, Self.session] {
                for record in [Facts.Record.unwritten, .written(Accepted())] {
                    let facts = Facts(phase: phase, calls: calls, session: session, record: record)
                    #expect(InstallationRemoval().next(facts) == .refuse)
                }
            }
        }
    }

    @Test func theCallsComeBeforeTheSessionAndTheSessionBeforeTheDelivery() {
        let removal = InstallationRemoval()
        #expect(removal.next(Facts(calls: .underWay, session: Self.session)) == .finishCalls)
        #expect(removal.next(Facts(session: Self.session)) == .endSession)
        #expect(removal.next(Facts()) == .deliver(Accepted()))
    }

    @Test func oneThatWasNeverWrittenHasNothingToDeliver() {
        let removal = InstallationRemoval()
        #expect(removal.next(Facts(session: Self.session, record: .unwritten)) == .remove)
        #expect(removal.next(Facts(calls: .underWay, record: .unwritten)) == .finishCalls)
    }

    /// Each thing that may be accepted after the delivery.
    @Test func whatWasAcceptedAfterTheDeliveryIsDeliveredToo() {
        var removal = InstallationRemoval()
        let accepted = Accepted(lastEvent: 7, eventsInMemory: 1, aliases: 2, calls: 3)
        removal.delivered(accepted)
        #expect(removal.next(Facts(record: .written(accepted))) == .remove)
        let changes: [(inout Accepted) -> Void] = [
            { $0.lastEvent += 1 }, { $0.eventsInMemory += 1 }, { $0.aliases += 1 }, { $0.calls += 1 },
        ]
        for change in changes {
            var later = accepted
            change(&later)
            #expect(removal.next(Facts(record: .written(later))) == .deliver(later))
            removal.delivered(later)
            #expect(removal.next(Facts(record: .written(later))) == .remove)
            removal.delivered(accepted)
        }
        // A session that another handle began, and a call.
        #expect(removal.next(Facts(session: Self.session, record: .written(accepted))) == .endSession)
        #expect(removal.next(Facts(calls: .underWay, record: .written(accepted))) == .finishCalls)
        #expect(removal.next(Facts(phase: .closed, record: .written(accepted))) == .refuse)
    }

    // MARK: - Late

    /// Each step is tried once, however late it is.
    @Test func aHandleThatGoesOnKeepsTheCallNoLongerThanItsTime() {
        var removal = InstallationRemoval()
        let session = Facts(session: Self.session)
        #expect(removal.begin(session, isLate: true) == .endSession)
        #expect(removal.begin(session, isLate: false) == .endSession)
        #expect(removal.begin(session, isLate: true) == .giveUp)
        let (first, second) = (Accepted(lastEvent: 7), Accepted(lastEvent: 8))
        #expect(removal.begin(Facts(record: .written(first)), isLate: true) == .deliver(first))
        removal.delivered(first)
        #expect(removal.begin(Facts(record: .written(first)), isLate: true) == .remove)
        #expect(removal.begin(Facts(record: .written(second)), isLate: true) == .giveUp)
        #expect(removal.begin(Facts(record: .written(second)), isLate: false) == .deliver(second))
        #expect(removal.begin(Facts(record: .written(second)), isLate: true) == .giveUp)
    }

    @Test func whatNeedsNoSecondTryIsDoneHoweverLate() {
        let facts: [(Facts, InstallationRemoval.Step)] = [
            (Facts(phase: .closed), .refuse), (Facts(calls: .underWay), .finishCalls),
            (Facts(record: .unwritten), .remove),
        ]
        for (facts, step) in facts {
            var removal = InstallationRemoval()
            for _ in 0..<2 { #expect(removal.begin(facts, isLate: true) == step) }
        }
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
}
