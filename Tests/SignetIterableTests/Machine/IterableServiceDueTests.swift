// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet
@testable import SignetIterable

/// The work that the memory and the records of an Iterable visitor show.
@Suite struct IterableServiceDueTests {
    private typealias Scene = IterableMachineScene

    private static func due(_ machine: IterableStateMachine, isOptedOut: Bool = false) -> ServiceDue {
        machine.memory.due(machine.records.map(\.ordinal), isOptedOut: isOptedOut)
    }

    @Test(arguments: Scene.Stage.allCases) private func itIsDueWhereTheMachineHasWork(stage: Scene.Stage) {
        let machine = Scene.machine(in: stage)
        #expect((Self.due(machine) == .due) == machine.hasWork)
    }

    @Test func recordsOfAVisitorWaitForACriterion() {
        #expect(Self.due(Scene.machine(in: .visitor)) == .awaitsApp("records that meet a criterion"))
        #expect(Self.due(Scene.machine(in: .noConsent)) == .nothing)
    }

    @Test(arguments: Scene.Stage.allCases) private func anOptOutLeavesOnlyTasks(stage: Scene.Stage) {
        var machine = Scene.machine(in: stage)
        let hadRecords = !machine.records.isEmpty || machine.memory.activation != nil
        #expect((Self.due(machine, isOptedOut: true) == .due) == hadRecords)
        _ = machine.setOptedOut(true)
        let hasTasks = machine.memory.turns.contains { !$0.tasks.isEmpty }
        #expect(Self.due(machine, isOptedOut: true) == (hasTasks ? .awaitsApp("an opt-in") : .nothing))
    }
}
