//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Testing

@testable import SignetJournal

struct SequenceRangesTests {
    @Test func rangesThatTouchOrOverlapBecomeOne() {
        let ranges = SequenceRanges(pairs: [(5, 7), (1, 2), (10, 10), (3, 4), (12, 20), (13, 14)])
        #expect(ranges.ranges == [1...7, 10...10, 12...20])
        #expect(ranges.highest == 20)
        #expect(SequenceRanges().highest == nil)
    }

    @Test func appendedSequencesGrowTheLastRange() {
        var ranges = SequenceRanges()
        for sequence: UInt64 in [3, 4, 4, 7, 9, 10] { ranges.append(sequence) }
        #expect(ranges.ranges == [3...4, 7...7, 9...10])
    }

    @Test func itAgreesWithASet() {
        for seed in SeededGenerator.seeds(50) {
            var generator = SeededGenerator(seed: seed)
            var pairs: [(first: UInt64, last: UInt64)] = []
            var model: Set<UInt64> = []
            for _ in 0..<60 {
                let first = UInt64.random(in: 0...200, using: &generator)
                let last = first + UInt64.random(in: 0...6, using: &generator)
                pairs.append((first, last))
                model.formUnion(first...last)
                let ranges = SequenceRanges(pairs: pairs)
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
            ranges.append(number * 3 + 1)
            ranges.append(number * 3 + 2)
        }
        let lists = ranges.encoded
        #expect(lists.count == 2)
        #expect(lists.allSatisfy { $0.count <= FrameHeader.valueLimit })
        let pairs = lists.flatMap { list in list.withUnsafeBytes { SequenceRanges.pairs(in: $0) } }
        #expect(SequenceRanges(pairs: pairs) == ranges)
    }

    @Test func pairsThatCannotBeAreLeftOut() {
        var list: [UInt8] = []
        for number in [UInt64(9), 8, 1, .max, 3, 4] {
            list.append(littleEndian: number)
        }
        let pairs = (list + [1, 2, 3]).withUnsafeBytes { SequenceRanges.pairs(in: $0) }
        #expect(SequenceRanges(pairs: pairs).ranges == [3...4])
        #expect(SequenceRanges.pairs(in: UnsafeRawBufferPointer(start: nil, count: 0)).isEmpty)
    }
}
