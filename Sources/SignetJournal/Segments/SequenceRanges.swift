// SPDX-License-Identifier: Apache-2.0

/// A set of sequences, as the smallest number of ranges.
struct SequenceRanges: Sendable, Equatable {
    /// The ranges, ascending, with at least one sequence missing between two.
    private(set) var ranges: [ClosedRange<UInt64>] = []

    var highest: UInt64? { self.ranges.last?.upperBound }

    func contains(_ sequence: UInt64) -> Bool {
        let index = self.firstIndex(endingAtOrAfter: sequence)
        return index < self.ranges.count && self.ranges[index].contains(sequence)
    }

    mutating func insert(_ range: ClosedRange<UInt64>) {
        // Ranges that touch or overlap the new one merge with it.
        let before = range.lowerBound == 0 ? 0 : range.lowerBound - 1
        let first = self.firstIndex(endingAtOrAfter: before)
        var merged = range
        var end = first
        let after = range.upperBound == .max ? .max : range.upperBound + 1
        while end < self.ranges.count, self.ranges[end].lowerBound <= after {
            let old = self.ranges[end]
            merged = min(merged.lowerBound, old.lowerBound)...max(merged.upperBound, old.upperBound)
            end += 1
        }
        self.ranges.replaceSubrange(first..<end, with: CollectionOfOne(merged))
    }

    private func firstIndex(endingAtOrAfter sequence: UInt64) -> Int {
        Self.firstIndex(in: self.ranges, endingAtOrAfter: sequence)
    }

    private static func firstIndex(in ranges: [ClosedRange<UInt64>], endingAtOrAfter sequence: UInt64) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < sequence {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// The pairs of first and last sequence, lowest byte first, in lists that each fit into a frame.
    var encoded: [[UInt8]] {
        var lists: [[UInt8]] = []
        var rest = self.ranges[...]
        while !rest.isEmpty {
            var list: [UInt8] = []
            for range in rest.prefix(1 << 16) {
                list.append(littleEndian: range.lowerBound)
                list.append(littleEndian: range.upperBound)
            }
            lists.append(list)
            rest = rest.dropFirst(1 << 16)
        }
        return lists
    }

    /// Adds the ranges of an encoded list; invalid pairs are skipped.
    mutating func insert(encoded bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset + 16 <= bytes.count {
            let first = bytes.littleEndian(at: offset, as: UInt64.self)
            let last = bytes.littleEndian(at: offset + 8, as: UInt64.self)
            if first <= last, last <= JournalFrame.sequenceLimit { self.insert(first...last) }
            offset += 16
        }
    }

    /// A lookup of ascending sequences, one after the other.
    struct Cursor {
        private let ranges: [ClosedRange<UInt64>]
        private var index: Int?

        init(_ sequences: SequenceRanges) {
            self.ranges = sequences.ranges
        }

        mutating func contains(_ sequence: UInt64) -> Bool {
            var index = self.index ?? SequenceRanges.firstIndex(in: self.ranges, endingAtOrAfter: sequence)
            while index < self.ranges.count, self.ranges[index].upperBound < sequence { index += 1 }
            self.index = index
            return index < self.ranges.count && self.ranges[index].contains(sequence)
        }
    }
}
