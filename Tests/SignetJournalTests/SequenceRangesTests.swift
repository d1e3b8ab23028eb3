// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import Testing

@testable import SignetJournal

struct SequenceRangesTests {
    @Test func rangesThatTouchBecomeOne() {
        var ranges = SequenceRanges()
        ranges.insert(5...7)
        ranges.insert(1...2)
        ranges.insert(10...10)
        #expect(ranges.ranges == [1...2, 5...7, 10...10])
        ranges.insert(3...4)
        #expect(ranges.ranges == [1...7, 10...10])
        ranges.insert(9...9)
        #expect(ranges.ranges == [1...7, 9...10])
        ranges.insert(2...20)
        #expect(ranges.ranges == [1...20])
        ranges.insert(3...4)
        #expect(ranges.ranges == [1...20])
        #expect(ranges.highest == 20)
    }

    @Test func theEndsOfTheNumbersAreNoProblem() {
        var ranges = SequenceRanges()
        ranges.insert(0...0)
        ranges.insert(.max ... .max)
        ranges.insert(1...1)
        ranges.insert((.max - 1)...(.max - 1))
        #expect(ranges.ranges == [0...1, (.max - 1)...(.max)])
    }

    @Test func itAgreesWithASet() {
        for seed in SeededGenerator.seeds(50) {
            var generator = SeededGenerator(seed: seed)
            var ranges = SequenceRanges()
            var model: Set<UInt64> = []
            for _ in 0..<60 {
                let first = UInt64.random(in: 0...200, using: &generator)
                let last = first + UInt64.random(in: 0...6, using: &generator)
                ranges.insert(first...last)
                model.formUnion(first...last)
                #expect((0...210).allSatisfy { ranges.contains($0) == model.contains($0) }, "SIGNET_SEED=\(seed)")
                let isApart = zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy {
                    $0.upperBound + 1 < $1.lowerBound
                }
                #expect(isApart, "SIGNET_SEED=\(seed)")
            }
        }
    }

    @Test func whatIsEncodedIsReadAgain() {
        var ranges = SequenceRanges()
        for number in UInt64(0)..<70_000 {
            ranges.insert(number * 3 + 1...number * 3 + 2)
        }
        let lists = ranges.encoded
        #expect(lists.count == 2)
        #expect(lists.allSatisfy { $0.count <= FrameHeader.valueLimit })
        var again = SequenceRanges()
        for list in lists {
            list.withUnsafeBytes { again.insert(encoded: $0) }
        }
        #expect(again == ranges)
    }

    @Test func pairsThatCannotBeAreLeftOut() {
        var list: [UInt8] = []
        for number in [UInt64(9), 8, 1, .max, 3, 4] {
            list.append(littleEndian: number)
        }
        var ranges = SequenceRanges()
        (list + [1, 2, 3]).withUnsafeBytes { ranges.insert(encoded: $0) }
        #expect(ranges.ranges == [3...4])
    }
}
