//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import FoundationEssentials
import SignetCriteria
import SignetModel
import SignetTransport
import Testing

@testable import Signet

@Suite struct VisitorStateMachineTests {
    private typealias Scene = VisitorMachineScene

    @Test func everyCellOfTheTableHolds() throws {
        let rows = VisitorMachineTable.rows.split(separator: "\n", omittingEmptySubsequences: true)
        #expect(rows.count == Scene.Stage.allCases.count * Scene.Event.allCases.count)
        var cells: Set<String> = []
        for row in rows {
            let parts = row.split(separator: "|").map {
                $0.drop { $0 == " " }.split(separator: " ").joined(separator: " ")
            }
            try #require(parts.count == 4, "\(row)")
            let stage = try #require(Scene.Stage(rawValue: parts[0]), "\(row)")
            let event = try #require(Scene.Event(rawValue: parts[1]), "\(row)")
            cells.insert(parts[0] + parts[1])
            var machine = Scene.machine(in: stage)
            let actions = Scene.name(Scene.apply(event, to: &machine))
            #expect((actions.isEmpty ? "-" : actions) == parts[2], "\(row)")
            #expect(Scene.name(machine) == parts[3], "\(row)")
        }
        #expect(cells.count == rows.count)
    }

    @Test func whatIsDecidedIsWhatARestartFinds() throws {
        for stage in Scene.Stage.allCases {
            for event in Scene.Event.allCases {
                var machine = Scene.machine(in: stage)
                _ = Scene.apply(event, to: &machine)
                let memory = try #require(try VisitorMemory(machine.memory.encoded()))
                #expect(memory == machine.memory, "\(stage), \(event)")
                let restored = VisitorStateMachine(
                    restoring: memory,
                    records: machine.records,
                    isEnabled: machine.isEnabled,
                    threshold: 2,
                    queueLimit: 4
                )
                #expect(Scene.name(restored) == Scene.name(machine), "\(stage), \(event)")
                #expect(restored.records == machine.records, "\(stage), \(event)")
            }
        }
    }

    @Test func onlyOneOperationIsUnderWay() {
        var machine = Scene.machine(in: .replaying)
        guard case .perform(let number, _) = machine.next(now: .zero) else { return #expect(Bool(false)) }
        #expect(machine.next(now: .zero) == .busy)
        #expect(!machine.finish(number, .done, now: .zero, chance: 0).isEmpty)
        #expect(machine.finish(number, .done, now: .zero, chance: 0).isEmpty)
    }

    @Test func anActivationKeepsItsIDAfterEveryFailure() {
        var machine = Scene.machine(in: .activating)
        let id = machine.memory.activation?.userID
        let error = SignetError(.refused, "no")
        for answer in [VisitorStateMachine.Answer.failed(error), .conflict(error), .refused(error)] {
            _ = machine.matched("9") { .random() }
            machine.pausedUntil = nil
            guard case .perform(let number, .activate(let activation)) = machine.next(now: .zero) else {
                Issue.record("nothing to do")
                continue
            }
            #expect(activation.userID == id)
            _ = machine.finish(number, answer, now: .zero, chance: 0)
        }
        #expect(id == Scene.uuid)
    }

    @Test func failuresOfTheServiceAreRepeatedAsDocumentedAndThenWithGrowingPauses() {
        var machine = Scene.machine(in: .unknown)
        _ = machine.record(.customEvent("f", at: 2), id: .random())
        var pauses: [Duration] = []
        for _ in 0..<11 {
            machine.pausedUntil = nil
            guard case .perform(let number, _) = machine.next(now: .zero) else { continue }
            _ = machine.finish(number, .failed(SignetError(.serverFailure, "")), now: .zero, chance: 0)
            pauses.append(machine.pausedUntil ?? .zero)
        }
        #expect(pauses == [0, 0, 2, 2, 2, 5, 15, 60, 120, 300, 300].map { .seconds($0) })
        guard case .perform(let number, _) = machine.next(now: .seconds(300)) else { return #expect(Bool(false)) }
        let error = SignetError(.throttled, "", retryAfter: .seconds(30))
        _ = machine.finish(number, .failed(error), now: .zero, chance: 0)
        #expect(machine.pausedUntil == .seconds(30))
    }

    @Test func theOldestRecordsMakeRoomAndAreCounted() {
        var machine = Scene.machine(in: .visitor)
        _ = machine.record(.customEvent("f", at: 2), id: .random())
        let (receipt, actions) = machine.record(.customEvent("g", at: 3), id: .random())
        #expect(receipt == .storedLocally)
        #expect(Scene.name(actions) == "store 3, remove 0, drop 1 limit, evaluate")
        // The update of the visitor's fields is beside them.
        #expect(machine.records.map(\.ordinal) == [1, 2, 3])
    }

    @Test func whatIsOnTheWireIsNotEvicted() {
        var machine = Scene.machine(in: .unknown)
        for index in 0..<4 { _ = machine.record(.customEvent("\(index)", at: 2), id: .random()) }
        let first = machine.records[0].ordinal
        _ = machine.next(now: .zero)
        let (_, actions) = machine.record(.customEvent("5", at: 2), id: .random())
        #expect(!Scene.name(actions).contains("remove \(first)"))
        #expect(Scene.name(actions).contains("drop 1 limit"))
    }

    @Test func whatAVisitorTellsOfThemselvesHasAnEnd() {
        var machine = Scene.machine(in: .visitor)
        let text = JSONValue.string(String(repeating: "x", count: 40_000))
        let (first, _) = machine.record(.userUpdate(["b": text], at: 2), id: .random())
        let before = machine.records
        let (second, actions) = machine.record(.userUpdate(["c": text], at: 2), id: .random())
        #expect(first == .storedLocally)
        #expect(second == .ignored(.tooLarge))
        #expect(Scene.name(actions) == "drop 1 limit")
        #expect(machine.records == before)
    }

    @Test func whoIsErasedTakesTheirTurnAlongAndNobodyElses() {
        var machine = VisitorStateMachine(
            restoring: VisitorMemory(),
            records: [],
            isEnabled: true,
            threshold: 2,
            queueLimit: 9
        )
        _ = machine.identify(Scene.ann, replays: true, merges: true, mpid: MPID(rawValue: 1))
        _ = machine.record(.customEvent("hers", at: 1), id: .random())
        _ = machine.identify(Scene.bob, replays: true, merges: true, mpid: MPID(rawValue: 2))
        _ = machine.record(.customEvent("his", at: 1), id: .random())
        _ = machine.next(now: .zero)
        #expect(machine.forget { $0 == MPID(rawValue: 3) }.isEmpty)
        let actions = machine.forget { $0 == MPID(rawValue: 1) }
        #expect(Scene.name(actions) == "save, remove 0, drop 1 forgotten, again")
        #expect(machine.underWay == nil)
        #expect(machine.memory.turns.map(\.id) == [Scene.bob])
        #expect(machine.records.map(\.ordinal) == [1])
        #expect(Scene.name(machine.forget { $0 == MPID(rawValue: 2) }).contains("drop 1 forgotten"))
        #expect(machine.state == .noConsent)
    }

    @Test func whoSaidToTheVisitorFirstWhoTheyAreIsTheUserOfTheLogin() {
        var machine = Scene.machine(in: .noConsent)
        _ = machine.identify(Scene.bob, replays: true, merges: true, mpid: MPID(rawValue: 1))
        let call = LinkedRecord.Call.identify(email: nil, customerID: "bob")
        let record = LinkedRecord(id: .random(), mpid: MPID(rawValue: 2), call: call, services: [.visitors])
        let actions = machine.follow(record, by: .hybrid, replays: true, merges: true, now: 1)
        #expect(Scene.name(actions) == "save")
        #expect(machine.follow(record, by: .hybrid, replays: true, merges: true, now: 1).isEmpty)
        #expect(machine.memory.turns.map(\.mpid) == [MPID(rawValue: 2)])
        #expect(machine.memory.followed == record.id)
    }
}
