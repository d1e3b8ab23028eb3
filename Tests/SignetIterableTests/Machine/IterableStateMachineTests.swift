// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetCriteria
import SignetModel
import SignetTransport
import Testing

@testable import Signet
@testable import SignetIterable

@Suite struct IterableStateMachineTests {
    private typealias Scene = IterableMachineScene

    @Test func everyCellOfTheTableHolds() throws {
        let rows = IterableMachineTable.rows.split(separator: "\n", omittingEmptySubsequences: true)
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
                let memory = try IterableMemory(decoding: machine.memory.encoded())
                #expect(memory == machine.memory, "\(stage), \(event)")
                var restored = IterableStateMachine(
                    restoring: memory,
                    records: machine.records,
                    isEnabled: machine.isEnabled,
                    threshold: 2,
                    queueLimit: 4
                )
                // Said by the installation itself at each start.
                restored.isOptedOut = machine.isOptedOut
                // Said by the mark of its record.
                restored.isMatchDue = machine.isMatchDue
                #expect(Scene.name(restored) == Scene.name(machine), "\(stage), \(event)")
                #expect(restored.records == machine.records, "\(stage), \(event)")
            }
        }
    }

    /// The last record of a user who has left is removed from the disk, and then the memory is written.
    @Test func aKillBetweenALastRecordAndTheMemoryHoldsUpNobody() throws {
        var machine = IterableStateMachine(
            restoring: IterableMemory(),
            records: [],
            isEnabled: true,
            threshold: 2,
            queueLimit: 9
        )
        _ = machine.identify(Scene.ann, replays: true, merges: true, mpid: MPID(rawValue: 1))
        while case .perform(let number, _) = machine.next(now: .zero) {
            _ = machine.finish(number, .done, now: .zero, jitter: 0)
        }
        _ = machine.record(.customEvent("hers", at: 1), id: .random())
        _ = machine.identify(Scene.bob, replays: true, merges: true, mpid: MPID(rawValue: 2))
        #expect(machine.memory.turns.map(\.id) == [Scene.ann, Scene.bob])
        let killed = IterableStateMachine(
            restoring: machine.memory,
            records: [],
            isEnabled: true,
            threshold: 2,
            queueLimit: 9
        )
        #expect(killed.memory.turns.map(\.id) == [Scene.bob])
        #expect(killed.owesWork)
    }

    @Test func onlyOneOperationIsUnderWay() {
        var machine = Scene.machine(in: .replaying)
        guard case .perform(let number, _) = machine.next(now: .zero) else { return #expect(Bool(false)) }
        #expect(machine.next(now: .zero) == .busy)
        #expect(!machine.finish(number, .done, now: .zero, jitter: 0).isEmpty)
        #expect(machine.finish(number, .done, now: .zero, jitter: 0).isEmpty)
    }

    @Test func anActivationKeepsItsIDAfterEveryFailure() {
        var machine = Scene.machine(in: .activating)
        let id = machine.memory.activation?.userID
        let error = SignetError(.rejected, "no")
        for answer in [IterableStateMachine.Answer.failed(error), .conflict(error), .refused(error)] {
            _ = machine.matched("9") { .random() }
            machine.backOff.endPause()
            guard case .perform(let number, .activate(let activation)) = machine.next(now: .zero) else {
                Issue.record("nothing to do")
                continue
            }
            #expect(activation.userID == id)
            _ = machine.finish(number, answer, now: .zero, jitter: 0)
        }
        #expect(id == Scene.uuid)
    }

    @Test func failuresOfTheServiceAreRepeatedAsDocumentedAndThenWithGrowingPauses() {
        var machine = Scene.machine(in: .unknown)
        _ = machine.record(.customEvent("f", at: 2), id: .random())
        var pauses: [Duration] = []
        for _ in 0..<11 {
            machine.backOff.endPause()
            guard case .perform(let number, _) = machine.next(now: .zero) else { continue }
            _ = machine.finish(number, .failed(SignetError(.serverFailure, "")), now: .zero, jitter: 0)
            pauses.append(machine.pausedUntil ?? .zero)
        }
        #expect(pauses == [0, 0, 2, 2, 2, 5, 15, 60, 120, 300, 300].map { .seconds($0) })
        guard case .perform(let number, _) = machine.next(now: .seconds(300)) else { return #expect(Bool(false)) }
        let error = SignetError(.throttled, "", retryAfter: .seconds(30))
        _ = machine.finish(number, .failed(error), now: .zero, jitter: 0)
        #expect(machine.pausedUntil == .seconds(30))
    }

    @Test func theOldestRecordsMakeRoomAndAreCounted() {
        var machine = Scene.machine(in: .visitor)
        _ = machine.record(.customEvent("f", at: 2), id: .random())
        let (receipt, actions) = machine.record(.customEvent("g", at: 3), id: .random())
        #expect(receipt == .buffered)
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
        #expect(first == .buffered)
        #expect(second == .ignored(.tooLarge))
        #expect(Scene.name(actions) == "drop 1 limit")
        #expect(machine.records == before)
    }

    @Test func aLoginIsFollowedByWhatTheProjectKnowsItsUsersBy() {
        typealias Addressing = IterableConfiguration.Addressing
        let (ann, both) = (IterableUserID.userID("ann"), Scene.ann)
        let cases: [(email: String?, customerID: String?, Addressing, IterableUserID?)] = [
            ("ann@example.com", "ann", .email, both), ("ann@example.com", "ann", .userID, ann),
            ("ann@example.com", "ann", .hybrid, both),
            (nil, "ann", .email, nil), (nil, "ann", .userID, ann), (nil, "ann", .hybrid, ann),
            ("ann@example.com", nil, .email, both), ("ann@example.com", nil, .userID, nil),
            ("ann@example.com", nil, .hybrid, both),
            // One that cannot go out is none.
            ("", "ann", .email, nil), ("", "ann", .hybrid, ann), ("ann@example.com", "", .userID, nil),
        ]
        for (email, customerID, addressing, expected) in cases {
            for stage in [Scene.Stage.visitor, .known] {
                // In front of the installation is somebody else, who has gone in any case.
                var machine = Scene.machine(in: stage)
                if stage == .known { _ = machine.identify(Scene.bob, replays: true, merges: true) }
                let call = OutboxEntry.Call.identify(email: email, customerID: customerID)
                let record = OutboxEntry(id: .random(), mpid: MPID(rawValue: 2), call: call, services: [.iterable])
                _ = machine.follow(record, by: addressing, replays: true, merges: true, now: 1)
                #expect(machine.memory.current?.id == expected, "\(email ?? "-"), \(customerID ?? "-"), \(addressing)")
            }
        }
    }

    /// What the service was asked to do before an opt-out, it has done.
    @Test func anAnswerThatComesDuringAnOptOutCounts() {
        let refusal = SignetError(.rejected, "no such user")
        let answers: [(IterableStateMachine.Answer, String)] = [
            (.done, "save, tell merged, tell resolved"), (.refused(refusal), "save, tell mergeFailed, tell resolved"),
        ]
        for (answer, expected) in answers {
            var machine = Scene.machine(in: .merging)
            guard case .perform(let number, .task(.merge, _)) = machine.next(now: .zero) else {
                Issue.record("no merge")
                continue
            }
            #expect(machine.setOptedOut(true).isEmpty)
            #expect(Scene.name(machine.finish(number, answer, now: .zero, jitter: 0)) == expected)
            #expect(machine.next(now: .zero) == .idle)
            _ = machine.setOptedOut(false)
            #expect(machine.next(now: .zero) == .idle)
        }
    }

    /// Nobody is asked for tokens meanwhile: neither the merge nor the user who has gone is given up for that.
    @Test func thatThereIsNoTokenDuringAnOptOutSaysNothing() {
        var machine = Scene.machine(in: .merging)
        _ = machine.logout(now: 2)
        guard case .perform(let number, .task(.merge, _)) = machine.next(now: .zero) else {
            Issue.record("no merge")
            return
        }
        _ = machine.setOptedOut(true)
        let none = SignetError(.tokenUnavailable, "paused")
        #expect(machine.finish(number, .noToken(none), now: .zero, jitter: 0).isEmpty)
        #expect(machine.next(now: .zero) == .idle)
        _ = machine.setOptedOut(false)
        #expect(Scene.name(machine) == "visitor, then merge into email")
    }

    /// Interrupted at the end of the runtime, the service may have done it.
    @Test func aMergeThatWasInterruptedAndIsRefusedThenIsDone() {
        var machine = Scene.machine(in: .merging)
        guard case .perform(_, .task(.merge, _)) = machine.next(now: .zero) else {
            Issue.record("no merge")
            return
        }
        machine.interrupt { _ in true }
        let actions = Scene.apply(.refused, to: &machine)
        #expect(Scene.name(actions) == "save, tell merged, tell resolved")
    }

    /// What the service cannot have heard is not taken back from it.
    @Test func aDeviceThatWasNeverToldIsNotDisabled() {
        var untold = Scene.machine(in: .replaying)
        _ = untold.setPushToken(Scene.push)
        // Announced, and its token there; of consent the service hears next, then of the device.
        for _ in 0..<2 { _ = Scene.apply(.done, to: &untold) }
        var told = untold
        _ = untold.setConsent(false, now: 2000)
        #expect(Scene.name(untold) == "noConsent")
        _ = Scene.apply(.done, to: &told)
        _ = told.next(now: .zero)
        _ = told.setConsent(false, now: 2000)
        #expect(Scene.name(told) == "noConsent, then disable")
    }

    @Test func nobodyIsMergedIntoThemselves() {
        for stage in [Scene.Stage.activating, .replaying, .unknown] {
            for merges in [true, false] {
                var machine = Scene.machine(in: stage)
                _ = machine.identify(.userID(Scene.uuid), replays: true, merges: merges, mpid: MPID(rawValue: 1))
                #expect(machine.memory.turns.map(\.id) == [.userID(Scene.uuid)], "\(stage), \(merges)")
                #expect(machine.memory.current?.isKnown == true && machine.memory.current?.mpid == MPID(rawValue: 1))
                let tasks = machine.memory.turns.flatMap(\.tasks)
                #expect(!tasks.contains { if case .merge = $0 { true } else { false } }, "\(stage), \(merges)")
                #expect(machine.records.allSatisfy { machine.memory.owns($0.ordinal) })
            }
        }
    }

    @Test func anUpdateOfAVisitorIsKeptWithoutMergingNestedObjects() {
        let update = IterableRecord.userUpdate(["a": ["b": 1]], mergesNestedObjects: true, at: 7)
        var visitor = Scene.machine(in: .visitor)
        var known = Scene.machine(in: .known)
        for times in 1...2 {
            _ = visitor.record(update, id: .random())
            #expect(visitor.records.last?.record.mergesNestedObjects == false, "\(times)")
            #expect(visitor.records.last?.record.dataFields == ["a": ["b": 1]], "\(times)")
            #expect(visitor.records.last?.record.createdAt == 7)
        }
        _ = known.record(update, id: .random())
        #expect(known.records.last?.record == update)
    }

    @Test func whoIsErasedTakesTheirTurnAlongAndNobodyElses() {
        var machine = IterableStateMachine(
            restoring: IterableMemory(),
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
        let call = OutboxEntry.Call.identify(email: nil, customerID: "bob")
        let record = OutboxEntry(id: .random(), mpid: MPID(rawValue: 2), call: call, services: [.iterable])
        let actions = machine.follow(record, by: .hybrid, replays: true, merges: true, now: 1)
        #expect(Scene.name(actions) == "save")
        #expect(machine.follow(record, by: .hybrid, replays: true, merges: true, now: 1).isEmpty)
        #expect(machine.memory.turns.map(\.mpid) == [MPID(rawValue: 2)])
        #expect(machine.memory.followed == record.id)
    }
}
