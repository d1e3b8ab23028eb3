// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

/// The machine's table, by hand: what is done and what is next, for every event in every state.
///
/// A state is written as the slot (F free, R reserved, S sending, P pausing, T settling, X stopped) with the number of the call
/// that has it, then `W` and the numbers of those who wait, then `D` and those of Signet's own calls that lost the slot in a
/// pause. Call 0 came first, call 1 next, call 99 was never there.
@Suite struct IdentityStateMachineTests {
    enum Setup: String, CaseIterable {
        case free, reservedOwn, reservedApp, sendingOwn, sendingApp
        case reservedOwnWaiting, reservedAppWaiting, sendingOwnWaiting, sendingAppWaiting
        case stopped
        case pausingOwn, pausingApp, pausingAppWaiting
        case displacedReserved, displacedSending, displacedFree

        var machine: IdentityStateMachine {
            var machine = IdentityFixture.machine()
            switch self {
            case .free:
                break
            case .stopped:
                _ = machine.stop()
            case .reservedOwn, .sendingOwn, .reservedOwnWaiting, .sendingOwnWaiting,
                .pausingOwn, .displacedReserved, .displacedSending, .displacedFree:
                _ = machine.begin(.start(nil), mayWait: true, now: IdentityFixture.now)
            case .reservedApp, .sendingApp, .reservedAppWaiting, .sendingAppWaiting, .pausingApp, .pausingAppWaiting:
                _ = machine.begin(IdentityFixture.login, mayWait: false, now: IdentityFixture.now)
            }
            switch self {
            case .sendingOwn, .sendingApp, .sendingOwnWaiting, .sendingAppWaiting:
                _ = machine.startSending(0, now: IdentityFixture.now)
            case .pausingOwn, .pausingApp, .pausingAppWaiting, .displacedReserved, .displacedSending, .displacedFree:
                _ = machine.startSending(0, now: IdentityFixture.now)
                _ = machine.pause(0)
            default:
                break
            }
            switch self {
            case .reservedOwnWaiting, .reservedAppWaiting, .sendingOwnWaiting, .sendingAppWaiting, .pausingAppWaiting,
                .displacedReserved, .displacedSending, .displacedFree:
                _ = machine.begin(IdentityFixture.login, mayWait: true, now: IdentityFixture.now)
            default:
                break
            }
            if self == .displacedSending || self == .displacedFree {
                _ = machine.startSending(1, now: IdentityFixture.now)
            }
            if self == .displacedFree {
                _ = machine.finish(1, with: .failed(SignetError(.timedOut, "")), now: IdentityFixture.now)
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
        case pauseCurrent, pauseWaiting, pauseStale
        case resumeCurrent, resumeWaiting, resumeStale, resumeOptedOut
        case abandonCurrent, abandonStale
        case stop

        func apply(to machine: inout IdentityStateMachine) -> String {
            switch self {
            case .beginAppRefuse: Self.begin(IdentityFixture.login, false, &machine)
            case .beginAppWait: Self.begin(IdentityFixture.login, true, &machine)
            case .beginOwn: Self.begin(.start(nil), true, &machine)
            case .beginUnchanged: Self.begin(.modify([.customerID: "c-1", .email: nil]), false, &machine)
            case .beginOptedOut: Self.optedOut(&machine) { Self.begin(IdentityFixture.login, false, &$0) }
            case .startCurrent: Self.name(of: machine.startSending(0, now: IdentityFixture.now))
            case .startWaiting: Self.name(of: machine.startSending(1, now: IdentityFixture.now))
            case .startStale: Self.name(of: machine.startSending(99, now: IdentityFixture.now))
            case .startOptedOut:
                Self.optedOut(&machine) { Self.name(of: $0.startSending(0, now: IdentityFixture.now)) }
            case .finishCurrent: Self.finish(0, IdentityFixture.reply(2), &machine)
            case .finishFailed: Self.finish(0, .failed(SignetError(.timedOut, "")), &machine)
            case .finishWaiting: Self.finish(1, IdentityFixture.reply(2), &machine)
            case .finishStale: Self.finish(99, IdentityFixture.reply(2), &machine)
            case .withdrawCurrent: Self.name(of: machine.withdraw(0))
            case .withdrawWaiting: Self.name(of: machine.withdraw(1))
            case .withdrawStale: Self.name(of: machine.withdraw(99))
            case .giveUpCurrent: machine.giveUpWaiting(0) ? "gone" : "kept"
            case .giveUpWaiting: machine.giveUpWaiting(1) ? "gone" : "kept"
            case .giveUpStale: machine.giveUpWaiting(99) ? "gone" : "kept"
            case .pauseCurrent: machine.pause(0).map { "next \($0)" } ?? "nobody"
            case .pauseWaiting: machine.pause(1).map { "next \($0)" } ?? "nobody"
            case .pauseStale: machine.pause(99).map { "next \($0)" } ?? "nobody"
            case .resumeCurrent: Self.name(of: machine.resume(0, now: IdentityFixture.now))
            case .resumeWaiting: Self.name(of: machine.resume(1, now: IdentityFixture.now))
            case .resumeStale: Self.name(of: machine.resume(99, now: IdentityFixture.now))
            case .resumeOptedOut: Self.optedOut(&machine) { Self.name(of: $0.resume(0, now: IdentityFixture.now)) }
            case .abandonCurrent: Self.name(of: machine.giveUpRepeating(0))
            case .abandonStale: Self.name(of: machine.giveUpRepeating(99))
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

        private static func name(of action: IdentityStateMachine.SendAction) -> String {
            switch action {
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

        private static func name(of action: IdentityStateMachine.WithdrawAction) -> String {
            switch action {
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

    @Test func theTableHasEveryEventInEveryState() {
        #expect(IdentityMachineTable.rows.map(\.event) == Event.allCases)
        let cells = IdentityMachineTable.rows.reduce(0) { $0 + $1.cells.count }
        #expect(cells == Setup.allCases.count * Event.allCases.count)
        #expect(IdentityMachineTable.rows.allSatisfy { $0.cells.count == Setup.allCases.count })
    }

    @Test(arguments: Event.allCases) func everyCellIsAsWritten(event: Event) throws {
        let cells = try #require(IdentityMachineTable.rows.first { $0.event == event }).cells
        for (setup, cell) in zip(Setup.allCases, cells) {
            var machine = setup.machine
            let action = event.apply(to: &machine)
            #expect("\(action) > \(machine.look)" == cell, "\(setup.rawValue)")
        }
    }
}

extension IdentityStateMachine {
    /// The state in the words of the table.
    fileprivate var look: String {
        let slot =
            switch self.slot {
            case .free: "F"
            case .reserved(let ticket): "R\(ticket.number)"
            case .sending(let ticket, _): "S\(ticket.number)"
            case .pausing(let ticket, _): "P\(ticket.number)"
            case .settling(let ticket): "T\(ticket.number)"
            case .stopped: "X"
            }
        let waiting = self.waiting.isEmpty ? "" : " W" + self.waiting.map { "\($0.number)" }.joined(separator: " ")
        let displaced = self.displaced.map { "\($0.number)" }.joined(separator: " ")
        return slot + waiting + (displaced.isEmpty ? "" : " D" + displaced)
    }
}
