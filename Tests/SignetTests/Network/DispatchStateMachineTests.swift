// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@testable import Signet

/// Every cell of the table: what a request is told, and who goes next.
///
/// Two uploads may be under way; one login.
@Suite struct DispatchStateMachineTests {
    enum State: String, CaseIterable, Sendable {
        case idle, oneUnderWay, full, fullAndOneWaits, paused
    }

    enum Event: String, CaseIterable, Sendable {
        case admit, admitOnAnotherLane, finished, leave, pauseEnds
    }

    static let table: [(state: State, answers: [String])] = [
        (.idle, ["send", "send", "nobody", "gone", "send"]),
        (.oneUnderWay, ["send", "send", "nobody", "gone", "send"]),
        (.full, ["wait 0", "send", "nobody", "gone", "wait 0"]),
        (.fullAndOneWaits, ["wait 1", "send", "next 0", "left", "wait 1"]),
        (.paused, ["throttled 5", "send", "nobody", "gone", "send"]),
    ]

    static let cells: [(State, Event, String)] = Self.table.flatMap { row in
        zip(Event.allCases, row.answers).map { (row.state, $0, $1) }
    }

    @Test func theTableIsComplete() {
        #expect(Set(Self.table.map(\.state)).count == State.allCases.count)
        #expect(Self.cells.count == State.allCases.count * Event.allCases.count)
    }

    @Test(arguments: cells) func eachCellDoesWhatTheTableSays(state: State, event: Event, answer: String) {
        var machine = DispatchStateMachine(limits: [.events: 2])
        let admissions =
            switch state {
            case .idle, .paused: 0
            case .oneUnderWay: 1
            case .full: 2
            case .fullAndOneWaits: 3
            }
        for _ in 0..<admissions { _ = machine.admit(.events, now: .zero) }
        if state == .paused { machine.pause(.events, until: .seconds(5)) }
        #expect(Self.apply(event, to: &machine) == answer)
    }

    private static func apply(_ event: Event, to machine: inout DispatchStateMachine) -> String {
        switch event {
        case .admit: Self.name(machine.admit(.events, now: .zero))
        case .admitOnAnotherLane: Self.name(machine.admit(.login, now: .zero))
        case .finished: machine.finished(.events).map { "next \($0)" } ?? "nobody"
        case .leave: machine.leave(0, .events) ? "left" : "gone"
        case .pauseEnds: Self.name(machine.admit(.events, now: .seconds(5)))
        }
    }

    private static func name(_ admission: DispatchStateMachine.Admission) -> String {
        switch admission {
        case .send: "send"
        case .wait(let number): "wait \(number)"
        case .throttled(let remaining): "throttled \(remaining.components.seconds)"
        }
    }

    @Test func whoWaitedLongestGoesNext() {
        var machine = DispatchStateMachine(limits: [:])
        #expect(machine.admit(.login, now: .zero) == .send)
        #expect(machine.admit(.identify, now: .zero) == .wait(0))
        #expect(machine.admit(.logout, now: .zero) == .wait(1))
        #expect(machine.admit(.search, now: .zero) == .wait(2))
        let hasLeft = machine.leave(1, .logout)
        #expect(hasLeft)
        #expect(machine.finished(.login) == 0)
        #expect(machine.finished(.identify) == 2)
        #expect(machine.finished(.search) == nil)
        #expect(machine.admit(.login, now: .zero) == .send)
    }

    @Test func aPauseIsOfItsEndpointOnlyAndTheLongestCounts() {
        var machine = DispatchStateMachine(limits: [:])
        machine.pause(.login, until: .seconds(10))
        machine.pause(.login, until: .seconds(3))
        #expect(machine.pause(of: .login, now: .seconds(4)) == .seconds(6))
        #expect(machine.pause(of: .identify, now: .seconds(4)) == nil)
        #expect(machine.pause(of: .login, now: .seconds(10)) == nil)
        #expect(machine.pause(of: .login, now: .seconds(4)) == nil)
    }
}
