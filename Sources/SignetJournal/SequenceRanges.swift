//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A set of sequences, as few ranges as possible.
struct SequenceRanges: Sendable, Equatable {
    /// Ascending, with at least one sequence missing between two.
    private(set) var ranges: [ClosedRange<UInt64>] = []

    /// The highest sequence in it.
    var highest: UInt64? { self.ranges.last?.upperBound }

    func contains(_ sequence: UInt64) -> Bool {
        let index = self.firstIndex(endingAtOrAfter: sequence)
        return index < self.ranges.count && self.ranges[index].contains(sequence)
    }

    /// Adds a sequence that is not below any in it.
    mutating func append(_ sequence: UInt64) {
        guard let last = self.ranges.last, last.upperBound + 1 >= sequence else {
            self.ranges.append(sequence...sequence)
            return
        }
        self.ranges[self.ranges.count - 1] = last.lowerBound...sequence
    }

    private func firstIndex(endingAtOrAfter sequence: UInt64) -> Int {
        var low = 0
        var high = self.ranges.count
        while low < high {
            let middle = (low + high) / 2
            if self.ranges[middle].upperBound < sequence {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// The bytes of pairs of first and last, lowest byte first, in lists that each fit into a frame.
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

    /// Makes a set of what `encoded` wrote, in several pieces; pairs that cannot be are left out.
    init(pairs: [(first: UInt64, last: UInt64)]) {
        for (first, last) in pairs.sorted(by: { $0.first < $1.first })
        where first <= last && last <= FrameHeader.sequenceLimit {
            if let highest = self.ranges.last, first <= highest.upperBound + 1 {
                self.ranges[self.ranges.count - 1] = highest.lowerBound...max(highest.upperBound, last)
            } else {
                self.ranges.append(first...last)
            }
        }
    }

    /// Makes an empty set.
    init() {}

    /// Reads the pairs that `encoded` wrote.
    static func pairs(in bytes: UnsafeRawBufferPointer) -> [(first: UInt64, last: UInt64)] {
        stride(from: 0, to: bytes.count - 15, by: 16).map { offset in
            (
                first: bytes.littleEndian(at: offset, as: UInt64.self),
                last: bytes.littleEndian(at: offset + 8, as: UInt64.self)
            )
        }
    }
}
