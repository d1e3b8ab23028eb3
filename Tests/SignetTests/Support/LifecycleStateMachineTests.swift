// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct LifecycleStateMachineTests {
    typealias Machine = LifecycleStateMachine

    enum Event: String, CaseIterable, Sendable {
        case run, shutdown, refuseCalls, end
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let stage: Machine.Stage
        let event: Event
        let action: String
        let next: Machine.Stage

        var testDescription: String { "\(self.stage) \(self.event)" }
    }

    static let table: [Row] = [
        Row(stage: .idle, event: .run, action: "run", next: .running),
        Row(stage: .idle, event: .shutdown, action: "end", next: .ended),
        Row(stage: .idle, event: .refuseCalls, action: "", next: .idle),
        Row(stage: .idle, event: .end, action: "", next: .ended),
        Row(stage: .running, event: .run, action: "alreadyRunning", next: .running),
        Row(stage: .running, event: .shutdown, action: "drain", next: .stopping),
        Row(stage: .running, event: .refuseCalls, action: "", next: .stopping),
        Row(stage: .running, event: .end, action: "", next: .ended),
        Row(stage: .stopping, event: .run, action: "alreadyRunning", next: .stopping),
        Row(stage: .stopping, event: .shutdown, action: "join", next: .stopping),
        Row(stage: .stopping, event: .refuseCalls, action: "", next: .stopping),
        Row(stage: .stopping, event: .end, action: "", next: .ended),
        Row(stage: .ended, event: .run, action: "notRunning", next: .ended),
        Row(stage: .ended, event: .shutdown, action: "report", next: .ended),
        Row(stage: .ended, event: .refuseCalls, action: "", next: .ended),
        Row(stage: .ended, event: .end, action: "", next: .ended),
    ]

    @Test func theTableIsComplete() {
        #expect(Self.table.count == 4 * Event.allCases.count)
        #expect(Set(Self.table.map(\.testDescription)).count == Self.table.count)
    }

    @Test(arguments: table) func eachCellDoesWhatTheTableSays(row: Row) {
        var machine = Machine()
        switch row.stage {
        case .idle: break
        case .running: _ = machine.run()
        case .stopping:
            _ = machine.run()
            _ = machine.shutdown()
        case .ended: machine.end()
        }
        #expect(machine.stage == row.stage)
        #expect(Self.apply(row.event, to: &machine) == row.action)
        #expect(machine.stage == row.next)
    }

    private static func apply(_ event: Event, to machine: inout Machine) -> String {
        switch event {
        case .run:
            switch machine.run() {
            case .run: return "run"
            case .refuse(let code): return code.description
            }
        case .shutdown:
            switch machine.shutdown() {
            case .drain: return "drain"
            case .end: return "end"
            case .join: return "join"
            case .report: return "report"
            }
        case .refuseCalls:
            machine.refuseCalls()
            return ""
        case .end:
            machine.end()
            return ""
        }
    }
}
