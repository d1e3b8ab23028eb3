//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// The machine's table, by hand: what is next and what a call answers, for every event in every state.
@Suite struct AliasStateMachineTests {
    enum Setup: String, CaseIterable {
        case empty, one, two, sending, paused, pausedOnRequest

        var machine: AliasStateMachine {
            var machine = AliasStateMachine()
            if self == .empty { return machine }
            machine.add(AliasStateMachineTests.record(0))
            if self == .one { return machine }
            machine.add(AliasStateMachineTests.record(1))
            if self == .two { return machine }
            _ = machine.begin(AliasStateMachineTests.record(0).id)
            if self == .sending { return machine }
            let isAskedFor = self == .pausedOnRequest
            _ = machine.failed(now: .seconds(100), isPauseAskedFor: isAskedFor) { .seconds(10 * $0) }
            return machine
        }
    }

    enum Event: String, CaseIterable {
        case addSame, addNew, beginFirst, beginSecond, beginStranger, settleFirst, failFirst, resume, timePasses

        func apply(to machine: inout AliasStateMachine) -> String {
            switch self {
            case .addSame: machine.add(AliasStateMachineTests.record(0))
            case .addNew: machine.add(AliasStateMachineTests.record(2))
            case .beginFirst: return machine.begin(AliasStateMachineTests.record(0).id) ? "yes " : "no "
            case .beginSecond: return machine.begin(AliasStateMachineTests.record(1).id) ? "yes " : "no "
            case .beginStranger: return machine.begin(AliasStateMachineTests.record(9).id) ? "yes " : "no "
            case .settleFirst: machine.settled(AliasStateMachineTests.record(0).id)
            case .failFirst: _ = machine.failed(now: .seconds(100), isPauseAskedFor: false) { .seconds(10 * $0) }
            case .resume: machine.resume()
            case .timePasses: break
            }
            return ""
        }

        var now: Duration {
            self == .timePasses ? .seconds(110) : .seconds(105)
        }
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
            lastEvent: .max
        )
    }

    /// What is next, 5 s after a failure at 100 s (10 s when time passes): records to consider, or when to look again.
    static let table: [(event: Event, cells: [String])] = [
        (.addSame, ["consider 0", "consider 0", "consider 0 1", "busy", "wait 110", "wait 110"]),
        (.addNew, ["consider 2", "consider 0 2", "consider 0 1 2", "busy", "wait 110", "wait 110"]),
        (.beginFirst, ["no wait", "yes busy", "yes busy", "no busy", "yes busy", "yes busy"]),
        (.beginSecond, ["no wait", "no consider 0", "yes busy", "no busy", "yes busy", "yes busy"]),
        (.beginStranger, ["no wait", "no consider 0", "no consider 0 1", "no busy", "no wait 110", "no wait 110"]),
        (.settleFirst, ["wait", "wait", "consider 1", "consider 1", "consider 1", "consider 1"]),
        (.failFirst, ["wait", "wait 110", "wait 110", "wait 110", "wait 120", "wait 120"]),
        (.resume, ["wait", "consider 0", "consider 0 1", "busy", "consider 0 1", "wait 110"]),
        (.timePasses, ["wait", "consider 0", "consider 0 1", "busy", "consider 0 1", "consider 0 1"]),
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
        case .consider(let records): "consider " + records.map { "\($0.id.uuid.0)" }.joined(separator: " ")
        case .busy: "busy"
        case .wait(nil): "wait"
        case .wait(let until?): "wait \(until.components.seconds)"
        }
    }

    @Test func failuresInARowMakeThePauseLongerAndASuccessForgetsThem() {
        var machine = AliasStateMachine()
        machine.add(Self.record(0))
        machine.add(Self.record(1))
        for expected in 1...3 {
            _ = machine.begin(Self.record(0).id)
            let isLeft = Self.fails(&machine)
            #expect(isLeft)
            #expect(machine.next(now: .zero) == .wait(until: .seconds(expected)))
        }
        _ = machine.begin(Self.record(0).id)
        machine.settled(Self.record(0).id)
        _ = machine.begin(Self.record(1).id)
        let isLeft = Self.fails(&machine)
        #expect(isLeft)
        #expect(machine.next(now: .zero) == .wait(until: .seconds(1)))
    }

    /// The newest failure says what the pause is.
    @Test func anOrdinaryFailureAfterAPauseOnRequestMakesAPauseThatEnds() {
        var machine = Setup.pausedOnRequest.machine
        _ = machine.begin(Self.record(0).id)
        _ = Self.fails(&machine)
        #expect(machine.next(now: .zero) == .wait(until: .seconds(2)))
        machine.resume()
        #expect(machine.next(now: .zero) == .consider([Self.record(0), Self.record(1)]))
    }

    private static func fails(_ machine: inout AliasStateMachine) -> Bool {
        machine.failed(now: .zero, isPauseAskedFor: false) { .seconds($0) }
    }

    /// Whoever erases a user hears of those that were not on the wire; of the one that was, its answer says.
    @Test func theFailureOfAForgottenOneIsItsEnd() {
        var machine = AliasStateMachine()
        machine.add(Self.record(0))
        _ = machine.begin(Self.record(0).id)
        let gone = machine.forget(Self.record(0).source)
        let isLeft = Self.fails(&machine)
        #expect(gone.isEmpty && !isLeft)
        #expect(machine.next(now: .zero) == .wait(until: nil))
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
