// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import Testing

@testable import SignetJournal

struct FrameIndexTests {
    @Test func itAgreesWithAListOfSequencesAndOffsets() {
        for seed in SeededGenerator.seeds(100) {
            var generator = SeededGenerator(seed: seed)
            var index = FrameIndex()
            var list: [(sequence: UInt64, offset: UInt64)] = []
            var sequence = UInt64.random(in: 1...1000, using: &generator)
            var offset: UInt64 = 80
            let gaps = Int.random(in: 0...3, using: &generator)
            for _ in 0..<Int.random(in: 0...200, using: &generator) {
                index.append(sequence, at: offset)
                list.append((sequence, offset))
                let isGap = Int.random(in: 0..<10, using: &generator) < gaps
                sequence += isGap ? UInt64.random(in: 1...50, using: &generator) : 1
                offset += UInt64.random(in: 16...400, using: &generator)
            }
            #expect(index.count == list.count)
            for (ordinal, entry) in list.enumerated() {
                #expect(index.sequence(of: ordinal) == entry.sequence, "SIGNET_SEED=\(seed)")
                #expect(index.offset(of: ordinal) == entry.offset)
            }
            let first = list.first?.sequence ?? 1
            for wanted in (first > 3 ? first - 3 : 0)...(list.last?.sequence ?? 1) + 3 {
                let notBelow = list.firstIndex { $0.sequence >= wanted } ?? list.count
                #expect(index.ordinal(notBelow: wanted) == notBelow, "SIGNET_SEED=\(seed)")
                #expect(index.ordinal(of: wanted) == list.firstIndex { $0.sequence == wanted }, "SIGNET_SEED=\(seed)")
            }
        }
    }
}
