// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

/// Every cell of the table: what the machine says to do next, by state and event.
///
/// A batch has 2 events at most, 1 request is under way at once, the interval is 10 s, the linger 1 s. All events come at
/// 0 s, but for the two that are a moment: the linger is over at 1 s, the interval at 10 s.
@Suite struct UploadStateMachineTests {
    enum State: String, CaseIterable, Sendable {
        case empty, oneWaits, onePromptWaits, oneWaitsForAUser, batchReady, batchInFlight, paused, pausedByPlatform,
            aimed
    }

    enum Event: String, CaseIterable, Sendable {
        case takeOne, takeTwo, takePrompt, takeTwoElsewhere, attribute, lingerOver, intervalOver, aim, settled, apart
        case postponed, resume, expedite, hasten, hasWaitedInPart, hasWaited
    }

    /// By state, the answers to the events in their order.
    static let table: [(state: State, answers: [String])] = [
        (
            .empty,
            [
                "wait 10", "cut 2", "wait 1", "cut 2 of 2", "wait 10", "wait 10", "wait 20", "wait 10", "wait 10",
                "wait 10", "wait 10", "wait 10", "wait 10", "wait 10", "wait 10", "wait 10",
            ]
        ),
        (
            .oneWaits,
            [
                "cut 2", "cut 2", "cut 2", "cut 2 of 2", "wait 10", "wait 10", "cut 1", "cut 1", "wait 10", "wait 10",
                "wait 10", "wait 10", "cut 1", "wait 1", "wait 3", "cut 1",
            ]
        ),
        (
            .onePromptWaits,
            [
                "cut 2", "cut 2", "cut 2", "cut 2 of 2", "wait 1", "cut 1", "cut 1", "cut 1", "wait 1", "wait 1",
                "wait 1", "wait 1", "cut 1", "wait 1", "wait 1", "cut 1",
            ]
        ),
        (
            .oneWaitsForAUser,
            [
                "wait 10", "wait 10", "wait 1", "cut 2 of 2", "wait 10", "wait 10", "wait 20", "wait 10", "wait 10",
                "wait 10", "wait 10", "wait 10", "wait 10", "wait 1", "wait 3", "wait 10",
            ]
        ),
        (.batchReady, Array(repeating: "send", count: Event.allCases.count)),
        (
            .batchInFlight,
            [
                "wait", "wait", "wait", "wait", "wait", "wait", "wait", "wait", "wait 10", "send", "wait 5", "wait",
                "wait", "wait", "wait", "wait",
            ]
        ),
        (
            .paused,
            [
                "wait 5", "wait 5", "wait 5", "wait 5", "wait 5", "wait 5", "send", "wait 5", "wait 5", "wait 5",
                "wait 5", "send", "wait 5", "wait 5", "wait 5", "wait 5",
            ]
        ),
        (
            .pausedByPlatform,
            [
                "wait 5", "wait 5", "wait 5", "wait 5", "wait 5", "wait 5", "send", "wait 5", "wait 5", "wait 5",
                "wait 5", "send", "wait 5", "wait 5", "wait 5", "wait 5",
            ]
        ),
        (
            .aimed,
            [
                "wait 10", "cut 2", "wait 1", "cut 2 of 2", "wait 10", "wait 10", "wait 20", "wait 10", "wait 10",
                "wait 10", "wait 10", "wait 10", "wait 10", "wait 10", "wait 10", "wait 10",
            ]
        ),
    ]

    static let cells: [(State, Event, String)] = Self.table.flatMap { row in
        zip(Event.allCases, row.answers).map { (row.state, $0, $1) }
    }

    @Test func theTableIsComplete() {
        #expect(Set(Self.table.map(\.state)).count == State.allCases.count)
        #expect(Self.cells.count == State.allCases.count * Event.allCases.count)
        #expect(Self.table.allSatisfy { $0.answers.count == Event.allCases.count })
    }

    @Test(arguments: cells) func eachCellDoesWhatTheTableSays(state: State, event: Event, answer: String) {
        var uploads = Uploads()
        uploads.reach(state)
        let now = uploads.apply(event)
        #expect(uploads.next(now) == answer, "\(state) \(event)")
    }
}

extension Uploads {
    mutating func reach(_ state: UploadStateMachineTests.State) {
        switch state {
        case .empty: break
        case .oneWaits: self.take()
        case .onePromptWaits: self.take(isPrompt: true)
        case .oneWaitsForAUser: self.take(user: nil)
        case .batchReady: self.restore(self.batch)
        case .batchInFlight:
            self.reach(.batchReady)
            _ = self.next()
        case .paused, .pausedByPlatform:
            self.reach(.batchInFlight)
            self.machine.finished(0, .postponed(.seconds(5), state == .paused ? .failure : .asked), now: .zero)
        case .aimed: _ = self.machine.aim(upTo: self.sequence)
        }
    }

    /// When all events were logged by the wall clock: the begin of 2020.
    private static var begin: Int64 { 1_577_836_800 }

    /// Lets an event happen.
    ///
    /// - Returns: The time afterwards.
    mutating func apply(_ event: UploadStateMachineTests.Event) -> Duration {
        switch event {
        case .takeOne: self.take()
        case .takeTwo:
            self.take()
            self.take()
        case .takePrompt: self.take(isPrompt: true)
        case .takeTwoElsewhere:
            self.take(on: 2)
            self.take(on: 2)
        case .attribute: self.attribute(to: 1)
        case .lingerOver: return .seconds(1)
        case .intervalOver: return .seconds(10)
        case .aim: _ = self.machine.aim(upTo: self.sequence)
        case .settled: self.machine.finished(0, .settled, now: .zero)
        case .apart: self.machine.finished(0, .apart(isOfPlatform: true), now: .zero)
        case .postponed: self.machine.finished(0, .postponed(.seconds(5), .failure), now: .zero)
        case .resume: self.machine.resume()
        case .expedite: _ = self.machine.expedite(1, upTo: self.sequence)
        case .hasten: self.machine.hasten(1, now: .zero)
        case .hasWaitedInPart: self.machine.continueInterval(upTo: .max, now: .zero, at: Self.begin + 7)
        case .hasWaited: self.machine.continueInterval(upTo: .max, now: .zero, at: Self.begin + 10)
        }
        return .zero
    }
}
