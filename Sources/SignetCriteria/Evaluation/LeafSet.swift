// SPDX-License-Identifier: Apache-2.0

/// A set of leaf numbers.
struct LeafSet: Sendable, Hashable {
    private var words: [UInt64]

    init(capacity: Int) {
        self.words = Array(repeating: 0, count: (capacity + 63) / 64)
    }

    mutating func insert(_ leaf: Int) {
        self.words[leaf / 64] |= 1 << UInt64(leaf % 64)
    }

    func contains(_ leaf: Int) -> Bool {
        self.words[leaf / 64] & (1 << UInt64(leaf % 64)) != 0
    }

    func visit(_ body: (Int) -> Void) {
        for (index, word) in self.words.enumerated() {
            var rest = word
            while rest != 0 {
                body(index * 64 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }
}
