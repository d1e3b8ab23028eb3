// SPDX-License-Identifier: Apache-2.0

import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite("What a replica tells the shared store") struct ActivityFlushTests {
    private let first = UUID.random()
    private let second = UUID.random()
    private let session = UUID.random()
    private let next = UUID.random()
    private let tag = UUID.random()
    private var flush = ActivityFlush()

    @Test mutating func eventsOfASessionAreOneActivity() {
        self.flush.note(1, in: self.session, of: self.first, at: 100)
        self.flush.note(2, in: self.session, of: self.first, at: 300)
        self.flush.note(1, in: self.session, of: self.first, at: 200)
        let round = self.flush.begin(at: .zero) { .random() }
        #expect(round.activities == [SharedActivity(key: self.first, session: self.session, last: 300, events: 4)])
    }

    /// An object of before may know an earlier begin, whichever of the two is told first.
    @Test(arguments: [[20, 50], [50, 20]]) mutating func theEarliestBeginOfASessionIsKept(begins: [Int64]) {
        for begin in begins {
            self.flush.note(LocalActivity(session: self.session, started: begin, last: 60, events: 1), of: self.first)
        }
        let told = self.flush.begin(at: .zero) { .random() }.told
        #expect(told.map(\.events) == [LocalActivity(session: self.session, started: 20, last: 60, events: 2)])
    }

    @Test mutating func withoutEventsItSaysThatTheReplicaLives() {
        #expect(self.flush.begin(at: .zero) { .random() }.activities.isEmpty)
        #expect(self.flush.take([]) == ActivityFlush.Findings())
    }

    @Test mutating func anUnansweredFlushIsRepeatedUntilItIsAnswered() {
        self.flush.note(1, in: self.session, of: self.first, at: 100)
        let round = self.flush.begin(at: .zero) { .random() }
        self.flush.note(5, in: self.session, of: self.first, at: 200)
        #expect(self.flush.begin(at: .zero) { .random() } == round)
        #expect(self.flush.count == 2)
        _ = self.flush.take([.added(tag: self.tag)])
        let later = self.flush.begin(at: .zero) { .random() }
        #expect(later.token != round.token)
        #expect(later.activities.map(\.events) == [5])
    }

    /// The session of an installation that a row refused, while a later one of it waits.
    @Test mutating func whatIsPutFirstGoesBeforeLaterSessionsOfItsInstallation() {
        self.flush.note(2, in: self.next, of: self.first, at: 300)
        #expect(self.flush.isWaiting(self.first))
        #expect(!self.flush.isWaiting(self.second))
        let events = LocalActivity(session: self.session, started: 50, last: 100, events: 1)
        let earlier = ActivityFlush.Activity(key: self.first, events: events)
        self.flush.putFirst([earlier])
        #expect(self.flush.begin(at: .zero) { .random() }.told == [earlier])
        _ = self.flush.take([.added(tag: self.tag)])
        #expect(self.flush.begin(at: .zero) { .random() }.activities.map(\.session) == [self.next])
    }

    @Test mutating func aFlushThatWasNotSentWaitsAgainBeforeTheOthers() {
        self.flush.note(1, in: self.session, of: self.first, at: 100)
        self.flush.note(1, in: self.session, of: self.second, at: 100)
        let round = self.flush.begin(at: .zero) { .random() }
        self.flush.note(2, in: self.session, of: self.second, at: 50)
        self.flush.notSent()
        let again = self.flush.begin(at: .zero) { .random() }
        #expect(again.token != round.token)
        #expect(again.activities.map(\.key) == [self.first, self.second])
        #expect(again.activities.map(\.events) == [1, 3])
        #expect(again.activities.map(\.last) == [100, 100])
    }

    @Test mutating func aFlushThatMayHaveCountedKeepsItsToken() {
        self.flush.note(1, in: self.session, of: self.first, at: 100)
        let round = self.flush.begin(at: .zero) { .random() }
        _ = self.flush.begin(at: .zero) { .random() }
        self.flush.notSent()
        self.flush.note(1, in: self.session, of: self.first, at: 200)
        #expect(self.flush.begin(at: .zero) { .random() } == round)
    }

    @Test mutating func ofTwoSessionsTheEarlierOneGoesFirst() {
        self.flush.note(1, in: self.session, of: self.first, at: 100)
        self.flush.note(1, in: self.next, of: self.first, at: 200)
        #expect(self.flush.begin(at: .zero) { .random() }.activities.map(\.session) == [self.session])
        _ = self.flush.take([.added(tag: self.tag)])
        #expect(self.flush.begin(at: .zero) { .random() }.activities.map(\.session) == [self.next])
    }

    @Test mutating func theAnswerTellsWhatIsOldGoneOrTooLate() {
        let third = UUID.random()
        for key in [self.first, self.second, third] { self.flush.note(3, in: self.session, of: key, at: 100) }
        _ = self.flush.begin(at: .zero) { .random() }
        let findings = self.flush.take([.added(tag: self.tag), .sessionEnded(tag: self.next), .isMissing])
        #expect(findings.tags == [self.first: self.tag, self.second: self.next])
        #expect(findings.missing.map(\.key) == [third])
        #expect(findings.ended.map(\.events.events) == [3])
        #expect(findings.ended.map(\.events.started) == [100])
        #expect(self.flush.count == 0)
    }

    @Test mutating func anAnswerOfAnotherLengthIsNone() {
        self.flush.note(1, in: self.session, of: self.first, at: 100)
        let round = self.flush.begin(at: .zero) { .random() }
        #expect(self.flush.take([]) == ActivityFlush.Findings())
        #expect(self.flush.begin(at: .zero) { .random() } == round)
    }

    @Test mutating func aFlushHasALimit() {
        for _ in 0...ActivityFlush.limit { self.flush.note(1, in: self.session, of: .random(), at: 1) }
        #expect(self.flush.begin(at: .zero) { .random() }.activities.count == ActivityFlush.limit)
        _ = self.flush.take(Array(repeating: .isMissing, count: ActivityFlush.limit))
        #expect(self.flush.begin(at: .zero) { .random() }.activities.count == 1)
    }

    @Test mutating func nothingIsCountedTwiceOrLost() {
        var generator = SystemRandomNumberGenerator()
        var (noted, told) = (0, 0)
        for _ in 0..<2000 {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                self.flush.note(
                    1,
                    in: Bool.random() ? self.session : self.next,
                    of: Bool.random() ? self.first : self.second,
                    at: 1
                )
                noted += 1
            case 2: _ = self.flush.begin(at: .zero) { .random() }
            case 3: self.flush.notSent()
            default:
                let round = self.flush.begin(at: .zero) { .random() }
                told += round.activities.reduce(0) { $0 + $1.events }
                _ = self.flush.take(round.activities.map { _ in .added(tag: self.tag) })
            }
        }
        while self.flush.count > 0 {
            let round = self.flush.begin(at: .zero) { .random() }
            told += round.activities.reduce(0) { $0 + $1.events }
            _ = self.flush.take(round.activities.map { _ in .added(tag: self.tag) })
        }
        #expect(told == noted)
    }
}

@Suite("The flushes at the end of a process") struct LastRoundsTests {
    private var rounds = ActivityFlush.LastRounds()

    @Test mutating func sixteenAreEnough() {
        let mayFollow = (1...16).map { _ in self.rounds.next(isAnswered: true) }
        #expect(mayFollow == Array(repeating: true, count: 15) + [false])
    }

    @Test mutating func twoWithoutAnAnswerAreTheLast() {
        let mayFollow = [false, true, false].map { self.rounds.next(isAnswered: $0) }
        #expect(mayFollow == [true, true, false])
    }
}

extension ActivityFlush {
    /// Notes events of a session that began at the moment of this one.
    fileprivate mutating func note(_ events: Int, in session: UUID, of key: UUID, at milliseconds: Int64) {
        let noted = LocalActivity(session: session, started: milliseconds, last: milliseconds, events: events)
        self.note(noted, of: key)
    }
}
