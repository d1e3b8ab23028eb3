// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// What follows from the facts of one event.
@Suite struct EventExplanationFactsTests {
    private static func event(
        _ sequence: UInt64? = 7,
        at milliseconds: Int64? = 1000,
        _ optOut: EventExplanation.OptOut = .none
    ) -> EventExplanation {
        var installation = EventExplanation.InstallationFacts()
        installation.optOut = optOut
        return EventExplanation(
            id: UUID(),
            kind: "custom_event",
            name: nil,
            milliseconds: milliseconds,
            sequence: sequence,
            installation: installation,
            user: EventExplanation.UserFacts(reason: .unknown),
            session: nil,
            consent: EventExplanation.ConsentFacts(),
            context: EventExplanation.ContextFacts(),
            batch: nil,
            deadLetter: nil,
            pause: nil
        )
    }

    private static let optOuts: [(EventExplanation.OptOut, UInt64?, Bool)] = [
        (.none, 7, false), (.current(upTo: nil), 7, false), (.current(upTo: 6), 7, false),
        (.current(upTo: 7), 7, true), (.past(upTo: 6), 7, false), (.past(upTo: 8), 7, true),
        (.past(upTo: 8), nil, false),
    ]

    @Test(arguments: Self.optOuts)
    func anOptOutWithdrawsTheEventsUpToIt(optOut: EventExplanation.OptOut, sequence: UInt64?, isWithdrawn: Bool) {
        #expect(Self.event(sequence, at: 1000, optOut).isWithdrawn == isWithdrawn)
    }

    @Test func theRecordOfTheUsersSaysWhetherTheOptOutHolds() {
        var state = IdentityState(deviceApplicationStamp: UUID(), now: 0)
        #expect(EventExplanation.OptOut(of: state) == .none)
        (state.isOptedOut, state.optedOutAfter) = (true, 9)
        #expect(EventExplanation.OptOut(of: state) == .current(upTo: 9))
        #expect(EventExplanation.OptOut(of: state).isCurrent)
        state.isOptedOut = false
        #expect(EventExplanation.OptOut(of: state) == .past(upTo: 9))
        #expect(!EventExplanation.OptOut(of: state).isCurrent)
    }

    @Test(arguments: [(999, false), (1000, true), (1001, true), (nil, false)] as [(Int64?, Bool)])
    func anEventIsOfTheLastLaunchFromItsTimeOn(milliseconds: Int64?, isOfLaunch: Bool) {
        let launch = EventExplanation.LaunchFacts(count: 2, last: 1000, version: nil)
        #expect(Self.event(at: milliseconds).isLogged(in: launch) == isOfLaunch)
    }

    @Test(arguments: [(999, false), (1000, true), (2000, true), (2001, false), (nil, false)] as [(Int64?, Bool)])
    func anAliasCoversTheEventsInItsWindow(milliseconds: Int64?, isCovered: Bool) throws {
        let alias = EventExplanation.AliasFacts(
            id: UUID(),
            source: try #require(MPID(rawValue: 1)),
            destination: try #require(MPID(rawValue: 2)),
            start: 1000,
            end: 2000
        )
        #expect(Self.event(at: milliseconds).isCovered(by: alias) == isCovered)
    }
}
