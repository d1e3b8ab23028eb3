// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

/// Every cell of the table: state x event.
@Suite struct SyncStateMachineTests {
    private func text(_ finish: GroupCommitStateMachine<Int>.Finish) -> String {
        switch finish {
        case .tell(let waiters): "tell \(waiters)"
        case .handOver(let waiters, let leader): "tell \(waiters), \(leader) leads"
        }
    }

    @Test func whoComesFirstLeads() {
        var machine = GroupCommitStateMachine<Int>()
        let first = machine.join()
        let second = machine.join()
        #expect(first && !second)
    }

    @Test func aFlushCoversThoseWhoCameBeforeItBegan() {
        var machine = GroupCommitStateMachine<Int>()
        _ = machine.join()
        machine.wait(1)
        machine.wait(2)
        machine.begin()
        let finish = machine.finish()
        #expect(self.text(finish) == "tell [1, 2]")
        let isFree = machine.join()
        #expect(isFree, "nobody leads any more")
    }

    @Test func whoComesDuringAFlushNeedsAnother() {
        var machine = GroupCommitStateMachine<Int>()
        _ = machine.join()
        machine.wait(1)
        machine.begin()
        let isFree = machine.join()
        #expect(!isFree)
        machine.wait(2)
        machine.wait(3)
        let first = machine.finish()
        #expect(self.text(first) == "tell [1], 2 leads")
        let isFreeThen = machine.join()
        #expect(!isFreeThen, "2 was told to lead")
        machine.wait(4)
        machine.begin()
        let second = machine.finish()
        #expect(self.text(second) == "tell [3, 4]")
    }

    @Test func anEndWithoutABeginTellsNobody() {
        var machine = GroupCommitStateMachine<Int>()
        let finish = machine.finish()
        #expect(self.text(finish) == "tell []")
        let isFree = machine.join()
        #expect(isFree)
    }
}
