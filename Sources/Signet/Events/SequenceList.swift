//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Numbers of events, ascending, in one to three bytes each: ten million that wait take some twenty megabytes.
struct SequenceList: Sendable, Hashable {
    /// How many there are.
    private(set) var count = 0
    /// The lowest, while there is one.
    private var lowest: UInt64 = 0
    /// The highest, while there is one.
    private var highest: UInt64 = 0
    /// The distance of each to the one before, but of the first: seven bits a byte, lowest first, the last byte below 128.
    private var distances: [UInt8] = []
    /// Where the distance of the second one begins; the bytes are compacted when half of them have gone.
    private var head = 0

    /// Makes an empty list.
    init() {}

    /// Makes a list of ascending numbers.
    init(_ sequences: [UInt64]) {
        for sequence in sequences { self.append(sequence) }
    }

    /// The lowest.
    var first: UInt64? {
        self.count > 0 ? self.lowest : nil
    }

    /// The highest.
    var last: UInt64? {
        self.count > 0 ? self.highest : nil
    }

    /// Adds a number above all others; another one is left out.
    mutating func append(_ sequence: UInt64) {
        guard self.count > 0 else {
            (self.lowest, self.highest, self.count) = (sequence, sequence, 1)
            return
        }
        guard sequence > self.highest else { return }
        // By a quarter, not by doubling: of a long list, room that is not used would be half of the memory.
        if self.distances.count == self.distances.capacity, self.distances.count >= 4096 {
            self.distances.reserveCapacity(self.distances.count + self.distances.count / 4)
        }
        var distance = sequence - self.highest
        while distance >= 0x80 {
            self.distances.append(UInt8(truncatingIfNeeded: distance) | 0x80)
            distance >>= 7
        }
        self.distances.append(UInt8(truncatingIfNeeded: distance))
        self.highest = sequence
        self.count += 1
    }

    /// Adds those of another list, which are above all others.
    mutating func append(_ other: SequenceList) {
        other.visit {
            self.append($0)
            return true
        }
    }

    /// The lowest ones.
    func prefix(_ limit: Int) -> [UInt64] {
        var sequences: [UInt64] = []
        sequences.reserveCapacity(min(limit, self.count))
        self.visit {
            guard sequences.count < limit else { return false }
            sequences.append($0)
            return true
        }
        return sequences
    }

    /// How many are not above a number.
    func count(upTo limit: UInt64) -> Int {
        guard self.count > 0, self.highest > limit else { return self.count }
        var count = 0
        self.visit {
            guard $0 <= limit else { return false }
            count += 1
            return true
        }
        return count
    }

    /// Takes the lowest ones off.
    mutating func removeFirst(_ count: Int) {
        guard count < self.count else {
            self = SequenceList()
            return
        }
        for _ in 0..<count {
            guard let distance = Self.read(self.distances, at: &self.head) else { break }
            self.lowest += distance
        }
        self.count -= count
        if self.head >= 1024, self.head * 2 > self.distances.count {
            self.distances.removeFirst(self.head)
            self.head = 0
        }
    }

    /// Goes through the numbers, lowest first, until the body says false.
    private func visit(_ body: (UInt64) -> Bool) {
        guard self.count > 0, body(self.lowest) else { return }
        var sequence = self.lowest
        var position = self.head
        while let distance = Self.read(self.distances, at: &position) {
            sequence += distance
            guard body(sequence) else { return }
        }
    }

    /// Reads one distance; nil at the end of the bytes, and for bytes that are none.
    private static func read(_ bytes: [UInt8], at position: inout Int) -> UInt64? {
        var distance: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 64 {
            let byte = bytes[position]
            position += 1
            distance |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return distance }
            shift += 7
        }
        return nil
    }

    // MARK: - Bytes

    /// Writes the list into a record.
    func write(to writer: inout ByteWriter) {
        writer.write(UInt32(clamping: self.count))
        writer.write(self.lowest)
        writer.write(UInt32(clamping: self.distances.count - self.head))
        writer.write(raw: self.distances[self.head...])
    }

    /// Reads what `write` wrote; nil when the bytes are something else.
    init?(_ reader: inout ByteReader) {
        guard let count = reader.read(UInt32.self), let lowest = reader.read(UInt64.self),
            let size = reader.read(UInt32.self), let bytes = reader.read(count: Int(size)).map(Array.init)
        else { return nil }
        guard count > 0 else {
            guard bytes.isEmpty else { return nil }
            return
        }
        self.append(lowest)
        var position = 0
        while let distance = Self.read(bytes, at: &position) {
            let (sequence, overflow) = self.highest.addingReportingOverflow(distance)
            guard distance > 0, !overflow else { return nil }
            self.append(sequence)
        }
        guard position == bytes.count, self.count == Int(count) else { return nil }
    }
}
