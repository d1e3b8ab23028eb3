// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@testable import Signet
@testable import SignetInfobip

@Suite struct InfobipStateMachineTests {
    private typealias Scene = InfobipMachineScene

    @Test func everyCellOfTheTableHolds() throws {
        let rows = InfobipMachineTable.rows.split(separator: "\n", omittingEmptySubsequences: true)
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
            #expect(Scene.apply(event, to: &machine) == parts[2], "\(row)")
            #expect(Scene.name(machine) == parts[3], "\(row)")
        }
        #expect(cells.count == rows.count)
    }

    @Test func whatIsDecidedIsWhatARestartFinds() throws {
        for stage in Scene.Stage.allCases {
            for event in Scene.Event.allCases {
                var machine = Scene.machine(in: stage)
                _ = Scene.apply(event, to: &machine)
                let memory = try #require(try InfobipMemory(machine.memory.encoded()))
                #expect(memory == machine.memory, "\(stage), \(event)")
            }
        }
    }

    @Test func whateverChangesIsToBeWritten() {
        for stage in Scene.Stage.allCases {
            for event in Scene.Event.allCases {
                var machine = Scene.machine(in: stage)
                // What a request may have changed is written before it is sent.
                _ = machine.next(now: .zero, milliseconds: 0)
                let before = machine.memory
                let actions = Scene.apply(event, to: &machine)
                #expect(machine.memory == before || actions.contains("save"), "\(stage), \(event): \(actions)")
            }
        }
    }

    /// Whatever happens, also while something is under way, there is an end to it.
    @Test(arguments: [false, true]) func nobodyWaitsForEver(isUnderWay: Bool) {
        for stage in Scene.Stage.allCases where stage != .new {
            for event in Scene.Event.allCases where event != .noToken {
                for answer in [Scene.Event.done, .refused, .identity] {
                    var machine = Scene.machine(in: stage)
                    if isUnderWay { _ = machine.next(now: .zero, milliseconds: 0) }
                    _ = Scene.apply(event, to: &machine)
                    var count = 0
                    while machine.underWay != nil
                        || machine.choose(isPaused: false, now: .seconds(9), milliseconds: 0) != nil,
                        count < 20
                    {
                        Self.end(answer, of: &machine)
                        count += 1
                    }
                    #expect(count < 20, "\(stage), \(event), \(answer)")
                    #expect(!machine.hasCallers, "\(stage), \(event), \(answer)")
                    #expect(!machine.hasPendingChanges, "\(stage), \(event), \(answer)")
                }
            }
        }
    }

    /// Neither the registration is refused here, without which there is nothing to ask for, nor who it is and what they have,
    /// where nobody knows.
    private static func end(_ answer: Scene.Event, of machine: inout InfobipStateMachine) {
        machine.pausedUntil = nil
        _ = machine.next(now: .seconds(9), milliseconds: 0)
        switch machine.underWay?.operation {
        case .register: _ = Scene.apply(.done, to: &machine)
        case .fetchUser where machine.memory.doubt != .none: _ = Scene.apply(.done, to: &machine)
        case .fetchInstallation where machine.memory.isInfobipDoubted: _ = Scene.apply(.done, to: &machine)
        default: _ = Scene.apply(answer, to: &machine)
        }
    }

    /// The status table of facts 5.5: status before, how the service answers, status after, how often it has refused, and what
    /// whoever waits is told; the event is told where it is done.
    @Test func aDepersonalizeHasTheDocumentedStates() {
        typealias Status = InfobipMemory.Depersonalization.Status
        let rows: [(Status, Int, isDone: Bool, Status, Int, isRequested: Bool, end: String)] = [
            (.undefined, 0, true, .undefined, 0, false, "done"), (.success, 0, true, .success, 0, false, "done"),
            (.undefined, 0, false, .pending, 1, true, "pending"), (.success, 0, false, .pending, 1, true, "pending"),
            (.pending, 1, true, .success, 0, false, "done"), (.pending, 1, false, .pending, 2, true, "pending"),
            (.pending, 2, false, .undefined, 0, false, "throws rejected"),
        ]
        for row in rows {
            var machine = Scene.machine(in: .pending)
            machine.memory.depersonalization = .init(status: row.0, isRequested: true, failures: row.1)
            #expect(Scene.apply(.depersonalize, to: &machine) == "waits, save")
            let actions = Scene.apply(row.isDone ? .done : .refused, to: &machine)
            let expected = InfobipMemory.Depersonalization(status: row.3, isRequested: row.isRequested, failures: row.4)
            #expect(machine.memory.depersonalization == expected, "\(row)")
            #expect(actions == "save, tell \(row.isDone ? "depersonalized" : "failed"), end \(row.end)", "\(row)")
        }
    }

    @Test func pausesGrowAndHoldWhatNobodyWaitsFor() {
        var machine = Scene.machine(in: .dirty)
        var pauses: [Duration] = []
        for _ in 0..<6 {
            machine.pausedUntil = nil
            _ = Scene.apply(.failed, to: &machine)
            pauses.append(machine.pausedUntil ?? .zero)
        }
        #expect(pauses == [5, 15, 60, 120, 300, 300].map { .seconds($0) })
        #expect(machine.next(now: .zero, milliseconds: 0) == .wait(until: .seconds(300)))
        // Who calls does not wait for it.
        #expect(Scene.apply(.fetch, to: &machine) == "waits")
        guard case .perform(_, .fetchUser) = machine.next(now: .zero, milliseconds: 0) else {
            Issue.record("not fetched")
            return
        }
    }

    @Test func aPauseThatTheServiceAsksForIsKeptWhoeverCalls() {
        var machine = Scene.machine(in: .dirty)
        _ = machine.next(now: .zero, milliseconds: 0)
        let error = SignetError(.throttled, "", retryAfter: .seconds(30))
        let failed = InfobipStateMachine.Answer.failed(error, mayHaveHappened: false)
        _ = machine.finish(1, failed, now: .zero, milliseconds: 0, jitter: 0)
        #expect(machine.pausedUntil == .seconds(30))
        #expect(Scene.apply(.fetch, to: &machine) == "throws throttled")
        #expect(Scene.apply(.save, to: &machine) == "pending, save")
    }

    @Test func editsThatArriveWhileSavingAreSentAfterIt() {
        var machine = Scene.machine(in: .saving)
        #expect(Scene.apply(.save, to: &machine) == "waits, save")
        #expect(Scene.apply(.done, to: &machine) == "save, tell user")
        #expect(machine.memory.userChanges == Scene.change("C"))
        #expect(Scene.apply(.done, to: &machine) == "save, tell user, end done")
        #expect(machine.memory.user.firstName == "C")
        #expect(machine.memory.user.externalUserID == "anna")
    }

    @Test func aRegistrationThatIsLostAgainAtOnceIsNoCure() {
        var machine = Scene.machine(in: .dirty)
        #expect(Scene.apply(.lost, to: &machine).contains("tell failed"))
        #expect(machine.pausedUntil == nil)
        _ = Scene.apply(.done, to: &machine)
        _ = Scene.apply(.lost, to: &machine)
        #expect(machine.pausedUntil == .seconds(5))
    }
}
