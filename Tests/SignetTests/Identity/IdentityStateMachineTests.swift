//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Testing

@testable import Signet

/// The machine's table, by hand: what is done and what is next, for every event in every state.
///
/// A state is written as the slot (F free, R reserved, S sending, X stopped) with the number of the call that has it,
/// then `W` and the numbers of those who wait. Call 0 has the slot, call 1 waits, call 99 was never there.
@Suite struct IdentityStateMachineTests {
    enum Setup: String, CaseIterable {
        case free, reservedOwn, reservedApp, sendingOwn, sendingApp
        case reservedOwnWaiting, reservedAppWaiting, sendingOwnWaiting, sendingAppWaiting
        case stopped

        var machine: IdentityStateMachine {
            var machine = IdentityFixture.machine()
            switch self {
            case .free:
                break
            case .stopped:
                _ = machine.stop()
            case .reservedOwn, .sendingOwn, .reservedOwnWaiting, .sendingOwnWaiting:
                _ = machine.begin(.start(nil), mayWait: true, now: IdentityFixture.now)
            case .reservedApp, .sendingApp, .reservedAppWaiting, .sendingAppWaiting:
                _ = machine.begin(IdentityFixture.login, mayWait: false, now: IdentityFixture.now)
            }
            switch self {
            case .sendingOwn, .sendingApp, .sendingOwnWaiting, .sendingAppWaiting:
                _ = machine.startSending(0, now: IdentityFixture.now)
            default:
                break
            }
            switch self {
            case .reservedOwnWaiting, .reservedAppWaiting, .sendingOwnWaiting, .sendingAppWaiting:
                _ = machine.begin(IdentityFixture.login, mayWait: true, now: IdentityFixture.now)
            default:
                break
            }
            return machine
        }
    }

    enum Event: String, CaseIterable {
        case beginAppRefuse, beginAppWait, beginOwn, beginUnchanged, beginOptedOut
        case startCurrent, startWaiting, startStale, startOptedOut
        case finishCurrent, finishFailed, finishWaiting, finishStale
        case withdrawCurrent, withdrawWaiting, withdrawStale
        case giveUpCurrent, giveUpWaiting, giveUpStale
        case stop

        func apply(to machine: inout IdentityStateMachine) -> String {
            switch self {
            case .beginAppRefuse: Self.begin(IdentityFixture.login, false, &machine)
            case .beginAppWait: Self.begin(IdentityFixture.login, true, &machine)
            case .beginOwn: Self.begin(.start(nil), true, &machine)
            case .beginUnchanged: Self.begin(.modify([.customerID: "c-1", .email: nil]), false, &machine)
            case .beginOptedOut: Self.optedOut(&machine) { Self.begin(IdentityFixture.login, false, &$0) }
            case .startCurrent: Self.start(0, &machine)
            case .startWaiting: Self.start(1, &machine)
            case .startStale: Self.start(99, &machine)
            case .startOptedOut: Self.optedOut(&machine) { Self.start(0, &$0) }
            case .finishCurrent: Self.finish(0, IdentityFixture.reply(2), &machine)
            case .finishFailed: Self.finish(0, .failed(SignetError(.timedOut, "")), &machine)
            case .finishWaiting: Self.finish(1, IdentityFixture.reply(2), &machine)
            case .finishStale: Self.finish(99, IdentityFixture.reply(2), &machine)
            case .withdrawCurrent: Self.withdraw(0, &machine)
            case .withdrawWaiting: Self.withdraw(1, &machine)
            case .withdrawStale: Self.withdraw(99, &machine)
            case .giveUpCurrent: machine.giveUpWaiting(0) ? "gone" : "kept"
            case .giveUpWaiting: machine.giveUpWaiting(1) ? "gone" : "kept"
            case .giveUpStale: machine.giveUpWaiting(99) ? "gone" : "kept"
            case .stop: "tell" + machine.stop().map { " \($0)" }.joined()
            }
        }

        private static func optedOut(
            _ machine: inout IdentityStateMachine,
            _ body: (inout IdentityStateMachine) -> String
        ) -> String {
            machine.setOptedOut(true)
            defer { machine.setOptedOut(false) }
            return body(&machine)
        }

        private static func begin(
            _ call: IdentityCall,
            _ mayWait: Bool,
            _ machine: inout IdentityStateMachine
        ) -> String {
            switch machine.begin(call, mayWait: mayWait, now: IdentityFixture.now) {
            case .start(let number): "start \(number)"
            case .wait(let number): "wait \(number)"
            case .finish(let outcome): Self.name(of: outcome)
            }
        }

        private static func start(_ number: Int, _ machine: inout IdentityStateMachine) -> String {
            switch machine.startSending(number, now: IdentityFixture.now) {
            case .send: "send"
            case .finish(let outcome, let next): "\(Self.name(of: outcome))\(Self.name(of: next))"
            case .ignore: "ignore"
            }
        }

        private static func finish(
            _ number: Int,
            _ answer: IdentityAnswer,
            _ machine: inout IdentityStateMachine
        ) -> String {
            guard let finish = machine.finish(number, with: answer, now: IdentityFixture.now) else { return "ignore" }
            return "\(Self.name(of: finish.outcome))\(Self.name(of: finish.next))"
        }

        private static func withdraw(_ number: Int, _ machine: inout IdentityStateMachine) -> String {
            switch machine.withdraw(number) {
            case .withdrawn(let next): "withdrawn\(Self.name(of: next))"
            case .detached: "detached"
            case .ignore: "ignore"
            }
        }

        private static func name(of next: Int?) -> String {
            next.map { ", next \($0)" } ?? ""
        }

        private static func name(of outcome: IdentityOutcome) -> String {
            switch outcome {
            case .resolved(let result): "user \(result.user.mpid)"
            case .modified(let result): result.isSent ? "modified" : "unchanged"
            case .searched: "searched"
            case .failed(let error): error.code.description
            }
        }
    }

    /// The columns are the states in the order of `Setup`: the two of nobody waiting, then the same with call 1 waiting.
    static let table: [(event: Event, cells: [String])] = [
        (
            .beginAppRefuse,
            [
                "start 0 > R0",
                "wait 1 > R0 W1", "requestInProgress > R0", "wait 1 > S0 W1", "requestInProgress > S0",
                "requestInProgress > R0 W1", "requestInProgress > R0 W1",
                "requestInProgress > S0 W1", "requestInProgress > S0 W1",
                "notRunning > X",
            ]
        ),
        (
            .beginAppWait,
            [
                "start 0 > R0",
                "wait 1 > R0 W1", "wait 1 > R0 W1", "wait 1 > S0 W1", "wait 1 > S0 W1",
                "wait 2 > R0 W1 2", "wait 2 > R0 W1 2", "wait 2 > S0 W1 2", "wait 2 > S0 W1 2",
                "notRunning > X",
            ]
        ),
        (
            .beginOwn,
            [
                "start 0 > R0",
                "wait 1 > R0 W1", "wait 1 > R0 W1", "wait 1 > S0 W1", "wait 1 > S0 W1",
                "wait 2 > R0 W1 2", "wait 2 > R0 W1 2", "wait 2 > S0 W1 2", "wait 2 > S0 W1 2",
                "notRunning > X",
            ]
        ),
        (
            .beginUnchanged,
            [
                "unchanged > F",
                "wait 1 > R0 W1", "requestInProgress > R0", "wait 1 > S0 W1", "requestInProgress > S0",
                "requestInProgress > R0 W1", "requestInProgress > R0 W1",
                "requestInProgress > S0 W1", "requestInProgress > S0 W1",
                "notRunning > X",
            ]
        ),
        (
            .beginOptedOut,
            [
                "optOut > F",
                "wait 1 > R0 W1", "requestInProgress > R0", "wait 1 > S0 W1", "requestInProgress > S0",
                "requestInProgress > R0 W1", "requestInProgress > R0 W1",
                "requestInProgress > S0 W1", "requestInProgress > S0 W1",
                "notRunning > X",
            ]
        ),
        (
            .startCurrent,
            [
                "ignore > F",
                "send > S0", "send > S0", "ignore > S0", "ignore > S0",
                "send > S0 W1", "send > S0 W1", "ignore > S0 W1", "ignore > S0 W1",
                "ignore > X",
            ]
        ),
        (.startWaiting, Self.unmoved("ignore")),
        (.startStale, Self.unmoved("ignore")),
        (
            .startOptedOut,
            [
                "ignore > F",
                "optOut > F", "optOut > F", "ignore > S0", "ignore > S0",
                "optOut, next 1 > R1", "optOut, next 1 > R1", "ignore > S0 W1", "ignore > S0 W1",
                "ignore > X",
            ]
        ),
        (
            .finishCurrent,
            [
                "ignore > F",
                "ignore > R0", "ignore > R0", "user 2 > F", "user 2 > F",
                "ignore > R0 W1", "ignore > R0 W1", "user 2, next 1 > R1", "user 2, next 1 > R1",
                "ignore > X",
            ]
        ),
        (
            .finishFailed,
            [
                "ignore > F",
                "ignore > R0", "ignore > R0", "timedOut > F", "timedOut > F",
                "ignore > R0 W1", "ignore > R0 W1", "timedOut, next 1 > R1", "timedOut, next 1 > R1",
                "ignore > X",
            ]
        ),
        (.finishWaiting, Self.unmoved("ignore")),
        (.finishStale, Self.unmoved("ignore")),
        (
            .withdrawCurrent,
            [
                "ignore > F",
                "withdrawn > F", "withdrawn > F", "detached > S0", "detached > S0",
                "withdrawn, next 1 > R1", "withdrawn, next 1 > R1", "detached > S0 W1", "detached > S0 W1",
                "ignore > X",
            ]
        ),
        (
            .withdrawWaiting,
            [
                "ignore > F",
                "ignore > R0", "ignore > R0", "ignore > S0", "ignore > S0",
                "withdrawn > R0", "withdrawn > R0", "withdrawn > S0", "withdrawn > S0",
                "ignore > X",
            ]
        ),
        (.withdrawStale, Self.unmoved("ignore")),
        (.giveUpCurrent, Self.unmoved("kept")),
        (
            .giveUpWaiting,
            [
                "kept > F",
                "kept > R0", "kept > R0", "kept > S0", "kept > S0",
                "gone > R0", "gone > R0", "gone > S0", "gone > S0",
                "kept > X",
            ]
        ),
        (.giveUpStale, Self.unmoved("kept")),
        (
            .stop,
            [
                "tell > X",
                "tell 0 > X", "tell 0 > X", "tell 0 > X", "tell 0 > X",
                "tell 0 1 > X", "tell 0 1 > X", "tell 0 1 > X", "tell 0 1 > X",
                "tell > X",
            ]
        ),
    ]

    private static func unmoved(_ action: String) -> [String] {
        ["F", "R0", "R0", "S0", "S0", "R0 W1", "R0 W1", "S0 W1", "S0 W1", "X"].map { "\(action) > \($0)" }
    }

    @Test func theTableHasEveryEventInEveryState() {
        #expect(Self.table.map(\.event) == Event.allCases)
        #expect(Self.table.reduce(0) { $0 + $1.cells.count } == Setup.allCases.count * Event.allCases.count)
        #expect(Self.table.allSatisfy { $0.cells.count == Setup.allCases.count })
    }

    @Test(arguments: Event.allCases) func everyCellIsAsWritten(event: Event) throws {
        let cells = try #require(Self.table.first { $0.event == event }).cells
        for (setup, cell) in zip(Setup.allCases, cells) {
            var machine = setup.machine
            let action = event.apply(to: &machine)
            #expect("\(action) > \(machine.look)" == cell, "\(setup.rawValue)")
        }
    }
}

extension IdentityStateMachine {
    /// The state in the words of the table, found out by asking copies.
    fileprivate var look: String {
        var stopping = self
        let numbers = stopping.stop()
        guard let first = numbers.first else {
            var asked = self
            if case .finish(let outcome) = asked.begin(.search([.email: "e"]), mayWait: true, now: 0),
                outcome.code == .notRunning
            {
                return "X"
            }
            return self.isIdle ? "F" : "?"
        }
        var withdrawing = self
        let slot =
            switch withdrawing.withdraw(first) {
            case .withdrawn: self.isReserved(first) ? "R" : "?"
            case .detached: "S"
            case .ignore: "?"
            }
        let waiting = numbers.dropFirst().map(String.init).joined(separator: " ")
        return "\(slot)\(first)" + (waiting.isEmpty ? "" : " W\(waiting)")
    }

    private func isReserved(_ number: Int) -> Bool {
        var sending = self
        if case .ignore = sending.startSending(number, now: 0) { return false }
        return true
    }
}
