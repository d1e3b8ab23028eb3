// SPDX-License-Identifier: Apache-2.0

import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// Per cell of state and event.
@Suite("The row of an installation as a process knows it") struct KnownRowTests {
    private static let tag = UUID.random()
    private static let other = UUID.random()

    enum Start: String, CaseIterable, Sendable {
        case unread, missing, here, asked, told, toldAndAsked, gone, goneAndTold
    }

    /// A row in a state; the last question was sent at second 10, its answer came at second 12.
    private static func row(_ start: Start) -> KnownRow {
        var row = KnownRow()
        guard start != .unread else { return row }
        let base = SharedChange.Base(tag: start == .missing ? nil : Self.tag)
        let hadEvents = row.take(base, sent: .seconds(10), received: .seconds(12))
        #expect(!hadEvents)
        if start == .asked || start == .toldAndAsked {
            let removal = row.askForRemoval()
            #expect(removal?.again == false)
        }
        if start == .gone || start == .goneAndTold {
            let wasAsked = row.lose()
            #expect(!wasAsked)
        }
        if start == .told || start == .toldAndAsked || start == .goneAndTold {
            let isTold = row.leave()
            #expect(isTold)
        }
        return row
    }

    private static func reading(_ tag: UUID?, received: Int = 12, surelyAt: Int = 10) -> KnownRow.Reading {
        KnownRow.Reading(
            base: SharedChange.Base(tag: tag),
            received: .seconds(received),
            surelyAt: .seconds(surelyAt)
        )
    }

    // MARK: - What is known

    @Test(
        arguments: [
            (.unread, .unread), (.missing, .read(Self.reading(nil), .none)),
            (.here, .read(Self.reading(Self.tag), .none)), (.asked, .read(Self.reading(Self.tag), .asked)),
            (.told, .read(Self.reading(Self.tag), .told(counts: false))),
            (.toldAndAsked, .read(Self.reading(Self.tag), .told(counts: true))),
            (.gone, .gone(isTold: false)), (.goneAndTold, .gone(isTold: true)),
        ] as [(Start, KnownRow.Presence)]
    )
    func presence(_ start: Start, _ expected: KnownRow.Presence) {
        #expect(Self.row(start).presence == expected)
    }

    @Test(arguments: Start.allCases)
    func aRowThatIsNotThereHasNoTag(_ start: Start) {
        let row = Self.row(start)
        let isThere = [.here, .asked, .told, .toldAndAsked].contains(start)
        #expect(row.tag == (isThere ? Self.tag : nil))
        #expect(row.base == SharedChange.Base(tag: isThere ? Self.tag : nil))
        #expect(row.isRead == (start != .unread))
        #expect(row.isGone == (start == .gone || start == .goneAndTold))
    }

    @Test(arguments: Start.allCases)
    func onlyAFreshRowSaysWhoseAnEventIs(_ start: Start) {
        let row = Self.row(start)
        let isThere = [.here, .asked, .told, .toldAndAsked].contains(start)
        #expect(row.isUnknown(at: .seconds(10_000), limit: nil) == !isThere)
        #expect(row.isUnknown(at: .seconds(15), limit: .seconds(5)) == !isThere)
        #expect(row.isUnknown(at: .seconds(15) + .nanoseconds(1), limit: .seconds(5)))
    }

    @Test func aConfirmedRowIsFreshFromThenOn() {
        var row = Self.row(.asked)
        row.confirm(Self.other, at: .seconds(20))
        #expect(row.presence == .read(Self.reading(Self.tag), .asked))
        row.confirm(Self.tag, at: .seconds(20))
        #expect(row.presence == .read(Self.reading(Self.tag, surelyAt: 20), .asked))
        // A confirmation that comes late takes nothing back.
        row.confirm(Self.tag, at: .seconds(11))
        #expect(row.presence == .read(Self.reading(Self.tag, surelyAt: 20), .asked))
    }

    // MARK: - Answers

    @Test(
        arguments: [
            (.unread, .newer, .newer), (.missing, .old, .newer), (.here, .known, .newer), (.asked, .known, .newer),
            (.told, .known, .newer), (.toldAndAsked, .known, .newer), (.gone, .known, .known),
            (.goneAndTold, .known, .known),
        ] as [(Start, KnownRow.Verdict, KnownRow.Verdict)]
    )
    func verdict(_ start: Start, _ early: KnownRow.Verdict, _ later: KnownRow.Verdict) {
        let row = Self.row(start)
        // Sent before the known answer came, and at that moment.
        #expect(row.verdict(on: Self.tag, sent: .seconds(12) - .nanoseconds(1)) == early)
        #expect(row.verdict(on: Self.tag, sent: .seconds(12)) == later)
    }

    @Test func anEarlierQuestionThatFoundAnotherRowIsAskedAgain() {
        #expect(Self.row(.here).verdict(on: Self.other, sent: .seconds(11)) == .old)
        #expect(Self.row(.here).verdict(on: nil, sent: .seconds(11)) == .old)
        #expect(Self.row(.missing).verdict(on: nil, sent: .seconds(11)) == .known)
    }

    @Test(
        arguments: [
            (.unread, .read(Self.reading(Self.other, received: 30, surelyAt: 25), .none)),
            (.missing, .read(Self.reading(Self.other, received: 30, surelyAt: 25), .none)),
            (.here, .read(Self.reading(Self.other, received: 30, surelyAt: 25), .none)),
            (.asked, .read(Self.reading(Self.other, received: 30, surelyAt: 25), .asked)),
            (.told, .read(Self.reading(Self.other, received: 30, surelyAt: 25), .told(counts: false))),
            (.toldAndAsked, .read(Self.reading(Self.other, received: 30, surelyAt: 25), .told(counts: true))),
            (.gone, .gone(isTold: false)), (.goneAndTold, .gone(isTold: true)),
        ] as [(Start, KnownRow.Presence)]
    )
    func aReadingOrACommitReplacesTheLastOne(_ start: Start, _ expected: KnownRow.Presence) {
        let base = SharedChange.Base(tag: Self.other)
        var row = Self.row(start)
        _ = row.take(base, sent: .seconds(25), received: .seconds(30))
        #expect(row.presence == expected)
        row = Self.row(start)
        row.commit(base, sent: .seconds(25), received: .seconds(30))
        #expect(row.presence == expected)
    }

    @Test func theRowStaysAsFreshAsItWasConfirmed() {
        var row = Self.row(.here)
        row.confirm(Self.tag, at: .seconds(40))
        row.commit(SharedChange.Base(tag: Self.other), sent: .seconds(25), received: .seconds(30))
        #expect(row.presence == .read(Self.reading(Self.other, received: 30, surelyAt: 40), .none))
    }

    // MARK: - Another reading

    private static func row(wishing wish: KnownRow.Wish) -> KnownRow {
        var row = Self.row(.here)
        switch wish {
        case .none: break
        case .soon:
            let isNew = row.refused()
            #expect(isNew)
        case .soonForEvents, .forEvents:
            let isNew = row.logged()
            #expect(isNew)
        }
        if wish == .forEvents { row.endReading() }
        #expect(row.wish == wish)
        #expect(row.isWanted == (wish == .soon || wish == .soonForEvents))
        return row
    }

    @Test(
        arguments: [
            (.none, .soon, true), (.soon, .soon, false), (.soonForEvents, .soonForEvents, false),
            (.forEvents, .soonForEvents, true),
        ] as [(KnownRow.Wish, KnownRow.Wish, Bool)]
    )
    func aRefusedEventWantsAReading(_ wish: KnownRow.Wish, _ expected: KnownRow.Wish, _ isNew: Bool) {
        var row = Self.row(wishing: wish)
        let isFirst = row.refused()
        #expect(isFirst == isNew)
        #expect(row.wish == expected)
    }

    @Test(
        arguments: [(.none, true), (.soon, false), (.soonForEvents, false), (.forEvents, true)]
            as [(KnownRow.Wish, Bool)]
    )
    func anEventThatWasLoggedWithoutOneWantsAReading(_ wish: KnownRow.Wish, _ isNew: Bool) {
        var row = Self.row(wishing: wish)
        let isFirst = row.logged()
        #expect(isFirst == isNew)
        #expect(row.wish == .soonForEvents)
    }

    @Test(
        arguments: [(.none, .none), (.soon, .none), (.soonForEvents, .forEvents), (.forEvents, .forEvents)]
            as [(KnownRow.Wish, KnownRow.Wish)]
    )
    func afterAFailedReadingOnlyEventsWait(_ wish: KnownRow.Wish, _ expected: KnownRow.Wish) {
        var row = Self.row(wishing: wish)
        row.endReading()
        #expect(row.wish == expected)
    }

    @Test(
        arguments: [(.none, false), (.soon, false), (.soonForEvents, true), (.forEvents, true)]
            as [(KnownRow.Wish, Bool)]
    )
    func aReadingFulfilsEachWish(_ wish: KnownRow.Wish, _ hadEvents: Bool) {
        var row = Self.row(wishing: wish)
        let events = row.take(SharedChange.Base(tag: Self.tag), sent: .seconds(20), received: .seconds(21))
        #expect(events == hadEvents)
        #expect(row.wish == .none)
    }

    @Test(arguments: [KnownRow.Wish.none, .soon, .soonForEvents, .forEvents])
    func aCommitFulfilsNone(_ wish: KnownRow.Wish) {
        var row = Self.row(wishing: wish)
        row.commit(SharedChange.Base(tag: Self.other), sent: .seconds(20), received: .seconds(21))
        #expect(row.wish == wish)
        _ = row.lose()
        #expect(row.wish == .none)
    }

    @Test func beforeTheFirstReadingNoneIsNew() {
        var row = KnownRow()
        let isFirst = row.logged()
        #expect(!isFirst)
        #expect(row.wish == .soonForEvents)
    }

    // MARK: - Removal

    @Test(
        arguments: [
            (.unread, nil), (.missing, nil), (.here, false), (.asked, true), (.told, false), (.toldAndAsked, true),
            (.gone, nil), (.goneAndTold, nil),
        ] as [(Start, Bool?)]
    )
    func askForRemoval(_ start: Start, _ again: Bool?) {
        var row = Self.row(start)
        let before = row.presence
        let asked = row.askForRemoval()
        #expect(asked?.again == again)
        #expect(asked?.tag == (again == nil ? nil : Self.tag))
        guard let again else { return #expect(row.presence == before) }
        // A refusal takes the last question back, not an earlier one.
        row.refuseRemoval(again: again)
        #expect(row.presence == before)
        _ = row.askForRemoval()
        let counts = row.lose()
        #expect(counts)
    }

    @Test func aRefusalAfterTheRowIsGoneCountsNothing() {
        var row = Self.row(.asked)
        let asked = row.askForRemoval()
        #expect(asked?.again == true)
        let counts = row.lose()
        #expect(counts)
        row.refuseRemoval(again: true)
        #expect(row.presence == .gone(isTold: false))
        let countsAgain = row.lose()
        #expect(!countsAgain)
    }

    @Test(
        arguments: [
            (.unread, .gone(isTold: true), true), (.missing, .read(Self.reading(nil), .told(counts: false)), true),
            (.here, .read(Self.reading(Self.tag), .told(counts: false)), true),
            (.asked, .read(Self.reading(Self.tag), .told(counts: true)), true),
            (.told, .read(Self.reading(Self.tag), .told(counts: false)), false),
            (.toldAndAsked, .read(Self.reading(Self.tag), .told(counts: true)), false),
            (.gone, .gone(isTold: true), true), (.goneAndTold, .gone(isTold: true), false),
        ] as [(Start, KnownRow.Presence, Bool)]
    )
    func itsUserIsToldOnce(_ start: Start, _ expected: KnownRow.Presence, _ isFirst: Bool) {
        var row = Self.row(start)
        let told = row.leave()
        #expect(told == isFirst)
        #expect(row.presence == expected)
    }

    @Test(
        arguments: [
            (.unread, false, false), (.missing, false, false), (.here, false, false), (.asked, false, true),
            (.told, true, false), (.toldAndAsked, true, true), (.gone, false, false), (.goneAndTold, true, false),
        ] as [(Start, Bool, Bool)]
    )
    func aRowThatWasAskedForCountsOnce(_ start: Start, _ isTold: Bool, _ counts: Bool) {
        var row = Self.row(start)
        let first = row.lose()
        #expect(first == counts)
        #expect(row.presence == .gone(isTold: isTold))
        let second = row.lose()
        #expect(!second)
    }
}
