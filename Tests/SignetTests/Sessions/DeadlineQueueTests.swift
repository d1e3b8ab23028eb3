// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import Testing

@testable import Signet

@Suite struct DeadlineQueueTests {
    @Test func soonestComesFirstAndEqualOnesInTheOrderTheyCame() {
        var queue = DeadlineQueue<String>()
        queue.insert("late", at: .seconds(9))
        queue.insert("a", at: .seconds(5))
        queue.insert("b", at: .seconds(5))
        queue.insert("soon", at: .seconds(1))
        queue.insert("c", at: .seconds(5))
        #expect(queue.first == .seconds(1))
        var popped: [String] = []
        while let holder = queue.popDue(at: .seconds(9)) { popped.append(holder) }
        #expect(popped == ["soon", "a", "b", "c", "late"])
        #expect(queue.count == 0)
        #expect(queue.first == nil)
    }

    @Test func nothingComesBeforeItsTime() {
        var queue = DeadlineQueue<Int>()
        queue.insert(1, at: .seconds(5))
        #expect(queue.popDue(at: .seconds(5) - .nanoseconds(1)) == nil)
        #expect(queue.count == 1)
        #expect(queue.popDue(at: .seconds(5)) == 1)
    }

    @Test func deadlinesThatNeverComeAreKeptInOrderToo() {
        var queue = DeadlineQueue<String>()
        queue.insert("never", at: .seconds(Int64.max) + .seconds(Int64.max))
        queue.insert("hardly", at: .seconds(Int64.max) + .seconds(1))
        queue.insert("now", at: .zero)
        #expect(queue.popDue(at: .seconds(1)) == "now")
        #expect(queue.popDue(at: .seconds(Int64.max)) == nil)
        #expect(queue.popFirst() == "hardly")
        #expect(queue.popFirst() == "never")
    }

    @Test func anyOrderOfInsertionComesOutSorted() {
        var generator = SeededGenerator()
        var queue = DeadlineQueue<Int>()
        var expected: [(Int, Int)] = []
        for order in 0..<3000 {
            let deadline = Int.random(in: 0..<500, using: &generator)
            queue.insert(order, at: .seconds(deadline))
            expected.append((deadline, order))
            if order.isMultiple(of: 3), let first = expected.min(by: { $0 < $1 }) {
                #expect(queue.popDue(at: .seconds(500)) == first.1)
                expected.removeAll { $0 == first }
            }
        }
        for (_, order) in expected.sorted(by: { $0 < $1 }) { #expect(queue.popDue(at: .seconds(500)) == order) }
        #expect(queue.popDue(at: .seconds(500)) == nil)
    }
}
