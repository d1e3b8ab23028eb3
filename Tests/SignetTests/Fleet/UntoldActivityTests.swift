// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

@testable import Signet

@Suite("The activity that a shared store was not told of") struct UntoldActivityTests {
    private let first = Session(uuid: .random(), startTime: Date(milliseconds: 1000))
    private let second = Session(uuid: .random(), startTime: Date(milliseconds: 5000))

    private func activity(_ session: Session, last: Int64, events: Int) -> LocalActivity {
        LocalActivity(
            session: session.uuid,
            started: session.startTime.milliseconds,
            last: last,
            events: events
        )
    }

    /// Two events of the first session, and three of the second.
    private var both: UntoldActivity {
        var activity = UntoldActivity()
        _ = activity.note(2, in: self.first, at: 2000)
        _ = activity.note(3, in: self.second, at: 6000)
        return activity
    }

    @Test func onlyTheFirstEventIsNews() {
        var activity = UntoldActivity()
        #expect(activity.isEmpty)
        let isFirst = activity.note(1, in: self.first, at: 2000)
        let isAgain = activity.note(1, in: self.first, at: 2500)
        let isOther = activity.note(1, in: self.second, at: 6000)
        #expect(isFirst && !isAgain && !isOther)
        #expect(!activity.isEmpty)
    }

    @Test func eventsAreCountedPerSession() {
        var activity = self.both
        _ = activity.note(4, in: self.second, at: 7000)
        // Of the session before: a transaction that was decided earlier is carried out now.
        let isFirst = activity.note(1, in: self.first, at: 3000)
        #expect(!isFirst)
        let first = self.activity(self.first, last: 3000, events: 3)
        let second = self.activity(self.second, last: 7000, events: 7)
        #expect(activity.all == [first, second])
    }

    @Test func anEarlierEventDoesNotMoveTheLastMomentBack() {
        var activity = self.both
        _ = activity.note(1, in: self.second, at: 5500)
        _ = activity.note(1, in: self.first, at: 1500)
        #expect(activity.all.map(\.last) == [2000, 6000])
    }

    @Test func whatIsTakenIsTakenOnce() {
        var activity = self.both
        #expect(activity.take() == self.both.all)
        #expect(activity.isEmpty)
        #expect(activity.take().isEmpty)
    }

    @Test func eventsOfASessionAreCounted() {
        #expect(self.both.events(in: self.second.uuid) == 3)
        #expect(self.both.events(in: .random()) == 0)
        #expect(self.both.events(in: nil) == 0)
    }

    @Test func anEndHasCountedWhatItsDraftHasSeen() {
        var activity = self.both
        let drafted = activity
        _ = activity.note(1, in: self.second, at: 6500)
        activity.commit(drafted, ended: [self.second.uuid], begun: nil, open: nil)
        #expect(
            activity.all == [
                self.activity(self.first, last: 2000, events: 2), self.activity(self.second, last: 6500, events: 1),
            ]
        )
    }

    @Test func aSessionThatStaysOpenIsStillUntold() {
        var activity = self.both
        activity.commit(self.both, ended: [.random()], begun: nil, open: self.second.uuid)
        #expect(activity == self.both)
    }

    @Test func aBeginTellsNoneOfItsEvents() {
        var activity = self.both
        let begun = self.activity(self.second, last: 6000, events: 3)
        activity.commit(self.both, ended: [], begun: begun, open: self.second.uuid)
        #expect(activity == self.both)
    }

    @Test func aSessionThatHasBegunAndWasLeftAtOnceIsToldNoMore() {
        var activity = self.both
        let begun = self.activity(self.second, last: 6000, events: 2)
        activity.commit(self.both, ended: [], begun: begun, open: nil)
        #expect(activity.all.map(\.events) == [2, 1])
    }

    @Test func aSessionThatHasBegunAndEndedIsCountedOnce() {
        var activity = self.both
        _ = activity.note(2, in: self.second, at: 6500)
        let begun = self.activity(self.second, last: 6000, events: 3)
        activity.commit(self.both, ended: [self.second.uuid], begun: begun, open: nil)
        #expect(activity.events(in: self.second.uuid) == 2)
    }

    @Test func whatAFlushHasTakenMeanwhileIsNotTakenAgain() {
        var activity = self.both
        let drafted = activity
        _ = activity.take()
        _ = activity.note(2, in: self.second, at: 6500)
        activity.commit(drafted, ended: [self.second.uuid], begun: nil, open: nil)
        #expect(activity.events(in: self.second.uuid) == 2)
    }

    @Test func whatAnEndHasCountedAndAFlushHasIsKnownOnce() {
        var activity = self.both
        let drafted = activity
        _ = activity.take()
        activity.commit(drafted, ended: [self.second.uuid], begun: nil, open: nil)
        let counts = [self.first, self.second, self.second].map { activity.takeCounted(in: $0.uuid, upTo: 9) }
        #expect(counts == [0, 3, 0])
    }

    @Test func whatAnEndHasCountedBeforeAFlushIsInNone() {
        var activity = self.both
        activity.commit(self.both, ended: [self.second.uuid], begun: nil, open: nil)
        let count = activity.takeCounted(in: self.second.uuid, upTo: 9)
        #expect(count == 0)
    }

    @Test func anEntryThatIsGoneStaysGone() {
        var activity = self.both
        activity.commit(self.both, ended: [self.first.uuid], begun: nil, open: nil)
        activity.commit(self.both, ended: [self.first.uuid, self.second.uuid], begun: nil, open: nil)
        #expect(activity.isEmpty)
    }

    @Test func aFlushTakesNoMoreOfTheCountedEventsThanItHad() {
        var activity = self.both
        let drafted = activity
        _ = activity.take()
        activity.commit(drafted, ended: [self.second.uuid], begun: nil, open: nil)
        let counts = [1, 5, 5].map { activity.takeCounted(in: self.second.uuid, upTo: $0) }
        #expect(counts == [1, 2, 0])
    }

    @Test func whatAFlushGivesBackIsUntoldAgain() {
        var activity = self.both
        let taken = activity.take()
        _ = activity.note(1, in: self.second, at: 5500)
        activity.giveBack(taken[1])
        activity.giveBack(taken[0])
        let second = self.activity(self.second, last: 6000, events: 4)
        #expect(activity.all == [taken[0], second])
        #expect(activity.events(in: self.first.uuid) == 2)
    }
}
