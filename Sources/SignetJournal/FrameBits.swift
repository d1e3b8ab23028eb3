// SPDX-License-Identifier: Apache-2.0

/// A set of frames of one journal file, one bit per frame.
struct FrameBits: Sendable, Equatable {
    private var words: [UInt64] = []

    @inline(__always)
    func contains(_ ordinal: Int) -> Bool {
        let word = ordinal >> 6
        return word < self.words.count && self.words[word] & 1 << UInt64(ordinal & 63) != 0
    }

    mutating func insert(_ ordinal: Int) {
        let word = ordinal >> 6
        if word >= self.words.count {
            self.words.append(contentsOf: repeatElement(0, count: word + 1 - self.words.count))
        }
        self.words[word] |= 1 << UInt64(ordinal & 63)
    }

    /// Returns the first frame from a given one on that is not in the set, or the limit.
    func nextMissing(from ordinal: Int, limit: Int) -> Int {
        self.next(from: ordinal, limit: limit, flip: .max)
    }

    /// Returns the first frame from a given one on that is in the set, or the limit.
    func nextPresent(from ordinal: Int, limit: Int) -> Int {
        self.next(from: ordinal, limit: limit, flip: 0)
    }

    private func next(from ordinal: Int, limit: Int, flip: UInt64) -> Int {
        var word = ordinal >> 6
        var mask = UInt64.max << UInt64(ordinal & 63)
        while word << 6 < limit {
            let bits = ((word < self.words.count ? self.words[word] : 0) ^ flip) & mask
            if bits != 0 { return min(limit, word << 6 + bits.trailingZeroBitCount) }
            mask = .max
            word += 1
        }
        return limit
    }
}
