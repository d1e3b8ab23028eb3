// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// The machine's table, by hand: what is next and what a call answers, for every event in every state.
@Suite struct AliasStateMachineTests {
    enum Setup: String, CaseIterable {
        case empty, one, two, sending, failed, unreachable, asked

        var machine: AliasStateMachine {
            var machine = AliasStateMachine()
            if self == .empty { return machine }
            machine.add(AliasStateMachineTests.record(0))
            if self == .one { return machine }
            machine.add(AliasStateMachineTests.record(1))
            if self == .two { return machine }
            switch self {
            case .failed: AliasStateMachineTests.fail(&machine, .answered)
            case .unreachable: AliasStateMachineTests.fail(&machine, .unreachable)
            case .asked: AliasStateMachineTests.fail(&machine, .asked)
            default: _ = machine.begin(AliasStateMachineTests.record(0).id)
            }
            return machine
        }
    }

    enum Event: String, CaseIterable {
        case addSame, addNew, beginFirst, beginSecond, beginStranger, settleFirst, failFirst, missFirst, throttleFirst
        case resume, restorePause, optOut, optOutElsewhere, forget, timePasses

        func apply(to machine: inout AliasStateMachine) -> String {
            switch self {
            case .addSame: machine.add(AliasStateMachineTests.record(0))
            case .addNew: machine.add(AliasStateMachineTests.record(2))
            case .beginFirst: return machine.begin(AliasStateMachineTests.record(0).id) ? "yes " : "no "
            case .beginSecond: return machine.begin(AliasStateMachineTests.record(1).id) ? "yes " : "no "
            case .beginStranger: return machine.begin(AliasStateMachineTests.record(9).id) ? "yes " : "no "
            case .settleFirst: machine.settled(AliasStateMachineTests.record(0).id)
            case .failFirst: AliasStateMachineTests.fail(&machine, .answered)
            case .missFirst: AliasStateMachineTests.fail(&machine, .unreachable)
            case .throttleFirst: AliasStateMachineTests.fail(&machine, .asked)
            case .resume: machine.resume()
            case .restorePause: machine.pause(until: .seconds(130))
            case .optOut:
                return Self.names(machine.optOut("one", upTo: AliasStateMachineTests.record(0).lastEvent))
            case .optOutElsewhere: return Self.names(machine.optOut("two", upTo: .max))
            case .forget: return Self.names(machine.forget(AliasStateMachineTests.record(0).source))
            case .timePasses: break
            }
            return ""
        }

        private static func names(_ records: [AliasRecord]) -> String {
            records.isEmpty ? "" : "drops " + records.map { "\($0.id.uuid.0) " }.joined()
        }

        var now: Duration {
            self == .timePasses ? .seconds(110) : .seconds(105)
        }
    }

    /// The first one is sent and fails, at 100 s; each failure makes a pause that is 10 s longer.
    static func fail(_ machine: inout AliasStateMachine, _ failure: AliasStateMachine.Failure) {
        _ = machine.begin(Self.record(0).id)
        _ = machine.failed(now: .seconds(100), failure) { .seconds(10 * $0) }
    }

    static func record(_ number: UInt8) -> AliasRecord {
        AliasRecord(
            id: UUID(uuid: (number, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)),
            installation: "one",
            deviceApplicationStamp: IdentityFixture.stamp,
            source: IdentityFixture.mpid(-5),
            destination: IdentityFixture.mpid(6),
            start: 1000,
            end: -2000,
            lastEvent: .max - 99 + UInt64(number)
        )
    }

    /// What is next, 5 s after a failure at 100 s (10 s when time passes): records to consider, or when to look again.
    static let table: [(event: Event, cells: [String])] = [
        (
            .addSame,
            [
                "consider 0", "consider 0", "consider 0 1", "busy", "consider 1 until 110", "wait 110", "wait 110",
            ]
        ),
        (
            .addNew,
            [
                "consider 2", "consider 0 2", "consider 0 1 2", "busy", "consider 1 2 until 110", "wait 110",
                "wait 110",
            ]
        ),
        (.beginFirst, ["no wait", "yes busy", "yes busy", "no busy", "yes busy", "yes busy", "yes busy"]),
        (.beginSecond, ["no wait", "no consider 0", "yes busy", "no busy", "yes busy", "yes busy", "yes busy"]),
        (
            .beginStranger,
            [
                "no wait", "no consider 0", "no consider 0 1", "no busy", "no consider 1 until 110", "no wait 110",
                "no wait 110",
            ]
        ),
        (
            .settleFirst,
            ["wait", "wait", "consider 1", "consider 1", "consider 1", "consider 1", "consider 1"]
        ),
        (
            .failFirst,
            [
                "wait", "wait 110", "consider 1 until 110", "consider 1 until 110", "consider 1 until 120",
                "consider 1 until 120", "consider 1 until 110",
            ]
        ),
        (.missFirst, ["wait", "wait 110", "wait 110", "wait 110", "wait 110", "wait 120", "wait 110"]),
        (.throttleFirst, ["wait", "wait 110", "wait 110", "wait 110", "wait 110", "wait 110", "wait 120"]),
        (
            .resume,
            ["wait", "consider 0", "consider 0 1", "busy", "consider 1 0", "consider 1 0", "consider 0 1"]
        ),
        (.restorePause, ["wait", "wait 130", "wait 130", "busy", "wait 130", "wait 130", "wait 130"]),
        (
            .optOut,
            [
                "wait", "drops 0 wait", "drops 0 consider 1", "busy", "drops 0 consider 1", "drops 0 wait 110",
                "drops 0 wait 110",
            ]
        ),
        (
            .optOutElsewhere,
            [
                "wait", "consider 0", "consider 0 1", "busy", "consider 1 until 110", "wait 110", "wait 110",
            ]
        ),
        (
            .forget,
            [
                "wait", "drops 0 wait", "drops 0 1 wait", "drops 1 busy", "drops 0 1 wait", "drops 0 1 wait",
                "drops 0 1 wait",
            ]
        ),
        (
            .timePasses,
            ["wait", "consider 0", "consider 0 1", "busy", "consider 1 0", "consider 1 0", "consider 0 1"]
        ),
    ]

    @Test func theTableHasEveryEventInEveryState() {
        #expect(Self.table.map(\.event) == Event.allCases)
        #expect(Self.table.reduce(0) { $0 + $1.cells.count } == Setup.allCases.count * Event.allCases.count)
    }

    @Test(arguments: Event.allCases) func everyCellIsAsWritten(event: Event) throws {
        let cells = try #require(Self.table.first { $0.event == event }).cells
        for (setup, cell) in zip(Setup.allCases, cells) {
            var machine = setup.machine
            let answer = event.apply(to: &machine)
            #expect(answer + Self.name(of: machine.next(now: event.now)) == cell, "\(setup.rawValue)")
        }
    }

    private static func name(of action: AliasStateMachine.Action) -> String {
        switch action {
        case .consider(let records, let until):
            "consider " + records.map { "\($0.id.uuid.0)" }.joined(separator: " ")
                + (until.map { " until \($0.components.seconds)" } ?? "")
        case .busy: "busy"
        case .wait(nil): "wait"
        case .wait(let until?): "wait \(until.components.seconds)"
        }
    }

    @Test func eachRequestHasABackOffOfItsOwnAndASuccessOfAnotherDoesNotEndIt() {
        var machine = AliasStateMachine()
        machine.add(Self.record(0))
        machine.add(Self.record(1))
        for expected in 1...3 {
            Self.fail(&machine, .answered)
            #expect(machine.next(now: .zero) == .consider([Self.record(1)], until: .seconds(100 + 10 * expected)))
        }
        _ = machine.begin(Self.record(1).id)
        machine.settled(Self.record(1).id)
        #expect(machine.next(now: .zero) == .wait(until: .seconds(130)))
    }

    @Test func tryingInVainMakesAPauseForAllThatBecomesLongerUntilThereIsAnAnswer() {
        var machine = Setup.two.machine
        for expected in 1...3 {
            Self.fail(&machine, .unreachable)
            #expect(machine.next(now: .zero) == .wait(until: .seconds(100 + 10 * expected)))
        }
        Self.fail(&machine, .answered)
        #expect(machine.next(now: .zero) == .consider([Self.record(1)], until: .seconds(140)))
        Self.fail(&machine, .unreachable)
        #expect(machine.next(now: .zero) == .wait(until: .seconds(110)))
    }

    /// Nobody hammers a platform that fails for everybody; one that is known to fail counts once.
    @Test func moreThanEightDifferentFailuresInARowAreAnOutage() {
        var machine = AliasStateMachine()
        for number in 0..<11 { machine.add(Self.record(UInt8(number))) }
        for _ in 0..<20 { Self.fail(&machine, .answered) }
        for number in 1...10 {
            guard case .consider(let records, _) = machine.next(now: .seconds(number < 9 ? 100 : 1000)) else {
                Issue.record("nothing to send before failure \(number)")
                return
            }
            #expect(records.first == Self.record(UInt8(number)))
            _ = machine.begin(Self.record(UInt8(number)).id)
            _ = machine.failed(now: .seconds(1000), .answered) { .seconds($0) }
            if number == 8 { #expect(machine.next(now: .seconds(1000)) == .wait(until: .seconds(1001))) }
            if number == 9 { #expect(machine.next(now: .seconds(1001)) == .wait(until: .seconds(1002))) }
            if number >= 8 { machine.resume() }
        }
        _ = machine.begin(Self.record(10).id)
        machine.settled(Self.record(10).id)
        Self.fail(&machine, .answered)
        guard case .consider = machine.next(now: .seconds(1000)) else {
            Issue.record("one that was settled ends an outage")
            return
        }
    }

    /// The newest failure says what the pause is.
    @Test func anOrdinaryFailureAfterAPauseOnRequestMakesAPauseThatEnds() {
        var machine = Setup.asked.machine
        Self.fail(&machine, .unreachable)
        machine.resume()
        #expect(machine.next(now: .zero) == .consider([Self.record(1), Self.record(0)], until: nil))
    }

    /// Whoever erases a user, or opts out, hears of those that were not on the wire; of the one that was, its answer says.
    @Test func theFailureOfOneThatIsNotToBeSentIsItsEnd() {
        for end in [AliasStateMachine.End.forgotten, .optedOut] {
            var machine = Setup.sending.machine
            let gone = end == .forgotten ? machine.forget(Self.record(0).source) : machine.optOut("one", upTo: .max)
            #expect(gone == [Self.record(1)])
            let told = machine.failed(now: .zero, .answered) { .seconds($0) }
            #expect(told == end)
            #expect(machine.next(now: .zero) == .wait(until: nil))
        }
        var machine = Setup.sending.machine
        let told = machine.failed(now: .zero, .answered) { .seconds($0) }
        #expect(told == nil)
    }

    @Test func aRecordComesBackFromItsBytesAndNothingShorterDoes() {
        let record = Self.record(3)
        let bytes = record.encoded()
        #expect(AliasRecord(bytes) == record)
        for count in 0..<bytes.count { #expect(AliasRecord(Array(bytes.prefix(count))) == nil) }
        var newer = bytes
        newer[0] = 2
        #expect(AliasRecord(newer) == nil)
    }
}
