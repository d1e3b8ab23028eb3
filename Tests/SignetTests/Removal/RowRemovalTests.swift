// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// The order of the steps that remove a row: each answer to each step, with each fact.
@Suite struct RowRemovalTests {
    typealias Facts = RowRemoval.Facts
    typealias Step = RowRemoval.Step

    private static let session = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    private static let now = RowRemoval.Moment(left: .seconds(60))
    private static let pause = Step.pause(.milliseconds(100))

    /// The rows that make a difference.
    enum Row: CaseIterable {
        case none
        case idle
        case inSession
        /// An entry is in its outbox.
        case waiting
        case inSessionAndWaiting

        var facts: Facts.Row? {
            var outbox = SharedOutbox()
            outbox.add(SharedOutbox.OptOut(id: RowRemovalTests.session, isOptedOut: true, mpid: nil, at: 1))
            return switch self {
            case .none: nil
            case .idle: Facts.Row()
            case .inSession: Facts.Row(session: RowRemovalTests.session)
            case .waiting: Facts.Row(outbox: outbox)
            case .inSessionAndWaiting: Facts.Row(session: RowRemovalTests.session, outbox: outbox)
            }
        }
    }

    // MARK: - The call

    @Test(arguments: [
        (Facts.Handle.open, LifecycleStateMachine.Stage.idle, Step.attempt(.readRow)),
        (.open, .running, .attempt(.readRow)),
        (.open, .stopping, .fail(.notRunning)), (.open, .ended, .fail(.notRunning)),
        (.closed, .idle, .fail(.closed)), (.closed, .running, .fail(.closed)),
        (.closed, .stopping, .fail(.notRunning)), (.closed, .ended, .fail(.notRunning)),
        (.gone, .idle, .fail(.closed)), (.gone, .running, .fail(.closed)),
        (.gone, .stopping, .fail(.notRunning)), (.gone, .ended, .fail(.notRunning)),
    ]) func itBeginsWithAReadingWhileTheHandleAndTheRuntimeAreOpen(
        handle: Facts.Handle,
        stage: LifecycleStateMachine.Stage,
        step: Step
    ) {
        #expect(Self.step(after: .asked(handle), at: RowRemoval.Moment(stage: stage, left: .seconds(1))) == step)
        // However late: the first try is made.
        #expect(Self.step(after: .asked(handle), at: RowRemoval.Moment(stage: stage, left: .zero)) == step)
    }

    // MARK: - The row

    @Test(arguments: [Facts.Activity.told, .untold], Row.allCases)
    func aReadingThatFindsItGoneOrClosedEndsTheRemoval(activity: Facts.Activity, row: Row) {
        let gone = Facts(handle: .gone, row: row.facts, activity: activity)
        let closed = Facts(handle: .closed, row: row.facts, activity: activity)
        for moment in [Self.now, RowRemoval.Moment(stage: .ended, left: .zero)] {
            #expect(Self.step(after: .rowRead(gone), at: moment) == .leave)
            #expect(Self.step(after: .rowRead(closed), at: moment) == .fail(.closed))
        }
    }

    @Test(arguments: [
        (Row.none, Step.attempt(.findEvents)), (.idle, .attempt(.logOutbox)), (.inSession, .attempt(.endSession)),
        (.waiting, .attempt(.logOutbox)), (.inSessionAndWaiting, .attempt(.endSession)),
    ]) func theSessionEndsBeforeTheOutboxIsLogged(row: Row, step: Step) {
        #expect(Self.step(after: .rowRead(Facts(row: row.facts))) == step)
    }

    @Test(arguments: [
        (Row.none, Step.attempt(.findEvents)), (.idle, .attempt(.logOutbox)), (.inSession, .attempt(.endSession)),
        (.waiting, .attempt(.logOutbox)), (.inSessionAndWaiting, .attempt(.endSession)),
    ]) func eventsOfWhichTheStoreDoesNotKnowAreToldFirst(row: Row, stepWithoutRun: Step) {
        let facts = Facts(row: row.facts, activity: .untold)
        #expect(Self.step(after: .rowRead(facts)) == Self.pause)
        // Nothing tells of them without `run()`: there is no flush to wait for.
        for stage in [LifecycleStateMachine.Stage.idle, .stopping] {
            let moment = RowRemoval.Moment(stage: stage, left: .seconds(60))
            #expect(Self.step(after: .rowRead(facts), at: moment) == stepWithoutRun)
        }
    }

    @Test(arguments: [
        (Row.none, Step.attempt(.findEvents)), (.idle, .attempt(.logOutbox)), (.inSession, .attempt(.logOutbox)),
        (.waiting, .attempt(.logOutbox)), (.inSessionAndWaiting, .attempt(.logOutbox)),
    ]) func afterTheEndOfTheSessionTheOutboxIsLogged(row: Row, step: Step) {
        for handle in [Facts.Handle.open, .closed, .gone] {
            for activity in [Facts.Activity.told, .untold] {
                let facts = Facts(handle: handle, row: row.facts, activity: activity)
                #expect(Self.step(after: .sessionEnded(facts)) == step)
            }
        }
    }

    @Test(arguments: [
        (Row.none, Step.attempt(.findEvents)), (.idle, .attempt(.findEvents)),
        (.inSession, .pause(.milliseconds(100))), (.waiting, .pause(.milliseconds(100))),
        (.inSessionAndWaiting, .pause(.milliseconds(100))),
    ]) func eventsAreLookedForOnceTheRowHasNoSessionAndAnEmptyOutbox(row: Row, step: Step) {
        for handle in [Facts.Handle.open, .closed, .gone] {
            for activity in [Facts.Activity.told, .untold] {
                let facts = Facts(handle: handle, row: row.facts, activity: activity)
                #expect(Self.step(after: .outboxLogged(facts)) == step)
            }
        }
    }

    // MARK: - Events, and the removal

    @Test(arguments: [
        (RowRemoval.Event.eventsWait, Step.attempt(.deliverEvents)), (.noEventsWait, .attempt(.removeRow)),
        (.rowRemoved, .leave), (.foundGone, .leave), (.pauseEnded, .attempt(.readRow)),
    ]) func theRestFollowsWhateverTheMoment(event: RowRemoval.Event, step: Step) {
        for stage in [LifecycleStateMachine.Stage.idle, .running, .stopping, .ended] {
            for left in [Duration.seconds(60), .zero] {
                #expect(Self.step(after: event, at: RowRemoval.Moment(stage: stage, left: left)) == step)
            }
        }
    }

    // MARK: - Pauses

    @Test(arguments: [
        RowRemoval.Event.eventsDelivered, .rowChanged, .outboxLogged(Facts(row: Row.inSession.facts)),
        .outboxLogged(Facts(row: Row.waiting.facts)),
    ]) func afterATryItFailsOnceTheTimeOrTheRuntimeIsOver(event: RowRemoval.Event) {
        #expect(Self.step(after: event, at: .init(left: .zero)) == .fail(.timedOut))
        #expect(Self.step(after: event, at: .init(left: .seconds(-1))) == .fail(.timedOut))
        #expect(Self.step(after: event, at: .init(left: .milliseconds(30))) == .pause(.milliseconds(30)))
        #expect(Self.step(after: event, at: .init(stage: .idle, left: .seconds(1))) == Self.pause)
        // The end of the runtime is the reason even at the deadline.
        #expect(Self.step(after: event, at: .init(stage: .stopping, left: .zero)) == .fail(.notRunning))
        #expect(Self.step(after: event, at: .init(stage: .ended, left: .seconds(1))) == .fail(.notRunning))
    }

    @Test func eventsThatTheStoreIsNotToldOfKeepItNoLongerThanItsTime() {
        let event = RowRemoval.Event.rowRead(Facts(row: Row.idle.facts, activity: .untold))
        #expect(Self.step(after: event, at: .init(left: .zero)) == .fail(.timedOut))
        #expect(Self.step(after: event, at: .init(left: .milliseconds(30))) == .pause(.milliseconds(30)))
    }

    @Test func thePausesAreShortNineTimesThenLong() {
        var removal = RowRemoval()
        var pauses: [Step] = []
        for _ in 0..<12 {
            pauses.append(removal.next(.rowChanged, at: Self.now))
            #expect(removal.next(.pauseEnded, at: Self.now) == .attempt(.readRow))
        }
        let long = Step.pause(.seconds(1))
        #expect(pauses == Array(repeating: Self.pause, count: 9) + [long, long, long])
        #expect(removal.next(.rowChanged, at: .init(left: .milliseconds(400))) == .pause(.milliseconds(400)))
    }

    // MARK: - A whole removal

    @Test func aRowInUseIsRemovedByTheSecondTry() {
        var removal = RowRemoval()
        let (busy, idle) = (Facts(row: Row.inSessionAndWaiting.facts), Facts(row: Row.idle.facts))
        let waiting = Facts(row: Row.waiting.facts)
        let walk: [(RowRemoval.Event, Step)] = [
            (.asked(.open), .attempt(.readRow)), (.rowRead(busy), .attempt(.endSession)),
            (.sessionEnded(waiting), .attempt(.logOutbox)), (.outboxLogged(idle), .attempt(.findEvents)),
            (.eventsWait, .attempt(.deliverEvents)), (.eventsDelivered, Self.pause),
            (.pauseEnded, .attempt(.readRow)), (.rowRead(idle), .attempt(.logOutbox)),
            (.outboxLogged(idle), .attempt(.findEvents)), (.noEventsWait, .attempt(.removeRow)), (.rowRemoved, .leave),
        ]
        for (event, step) in walk { #expect(removal.next(event, at: Self.now) == step) }
    }

    /// The first step after an event.
    private static func step(after event: RowRemoval.Event, at moment: RowRemoval.Moment = Self.now) -> Step {
        var removal = RowRemoval()
        return removal.next(event, at: moment)
    }
}
