// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import Testing

@testable import SignetJournal

struct FrameBitsTests {
    @Test func itAgreesWithASetOfNumbers() {
        for seed in SeededGenerator.seeds(100) {
            var generator = SeededGenerator(seed: seed)
            var bits = FrameBits()
            var set: Set<Int> = []
            let limit = Int.random(in: 1...300, using: &generator)
            for _ in 0..<Int.random(in: 0...limit, using: &generator) {
                let number = Int.random(in: 0..<limit, using: &generator)
                bits.insert(number)
                set.insert(number)
            }
            for number in 0...limit {
                #expect(bits.contains(number) == set.contains(number), "SIGNET_SEED=\(seed)")
                let present = (number..<limit).first { set.contains($0) } ?? limit
                let missing = (number..<limit).first { !set.contains($0) } ?? limit
                #expect(bits.nextPresent(from: number, limit: limit) == present, "SIGNET_SEED=\(seed)")
                #expect(bits.nextMissing(from: number, limit: limit) == missing, "SIGNET_SEED=\(seed)")
            }
        }
    }
}
