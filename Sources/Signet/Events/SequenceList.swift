//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Numbers of events, ascending, in one to three bytes each: ten million that wait take some twenty megabytes.
struct SequenceList: Sendable {
    /// How many there are.
    private(set) var count = 0
    /// The lowest, while there is one.
    private var lowest: UInt64 = 0
    /// The highest, while there is one.
    private var highest: UInt64 = 0
    /// The distance of each to the one before, but of the first: seven bits a byte, lowest first, the last byte below 128.
    ///
    /// In pieces: thousands of lists that grew in one piece each would leave holes of every size behind, four times what they
    /// hold. No distance is in two pieces, and no piece is empty.
    private var pieces: [[UInt8]] = []
    /// Where the distance of the second one begins in the first piece.
    private var head = 0

    /// How many bytes a piece has at most: with the header of its array, half a kilobyte.
    private static let pieceBytes = 480
    /// How many bytes a distance has at most.
    private static let distanceBytes = 10

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
        if self.pieces.last.map({ $0.count + Self.distanceBytes > Self.pieceBytes }) ?? true {
            var piece: [UInt8] = []
            // A short list grows with what it holds; a long one needs the whole piece.
            if !self.pieces.isEmpty { piece.reserveCapacity(Self.pieceBytes) }
            self.pieces.append(piece)
        }
        let last = self.pieces.count - 1
        var distance = sequence - self.highest
        while distance >= 0x80 {
            self.pieces[last].append(UInt8(truncatingIfNeeded: distance) | 0x80)
            distance >>= 7
        }
        self.pieces[last].append(UInt8(truncatingIfNeeded: distance))
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
        var gone = 0
        for _ in 0..<count {
            guard gone < self.pieces.count, let distance = Self.read(self.pieces[gone], at: &self.head) else { break }
            self.lowest += distance
            if self.head == self.pieces[gone].count { (gone, self.head) = (gone + 1, 0) }
        }
        self.pieces.removeFirst(gone)
        self.count -= count
    }

    /// Goes through the numbers, lowest first, until the body says false.
    private func visit(_ body: (UInt64) -> Bool) {
        guard self.count > 0, body(self.lowest) else { return }
        var sequence = self.lowest
        var position = self.head
        for piece in self.pieces {
            while let distance = Self.read(piece, at: &position) {
                sequence += distance
                guard body(sequence) else { return }
            }
            position = 0
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
        writer.write(UInt32(clamping: self.pieces.reduce(-self.head) { $0 + $1.count }))
        for (index, piece) in self.pieces.enumerated() { writer.write(raw: piece[(index == 0 ? self.head : 0)...]) }
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

extension SequenceList: Hashable {
    /// Whether both hold the same numbers.
    static func == (left: SequenceList, right: SequenceList) -> Bool {
        left.count == right.count && left.prefix(left.count) == right.prefix(right.count)
    }

    /// Equal lists have the same three.
    func hash(into hasher: inout Hasher) {
        hasher.combine(self.count)
        hasher.combine(self.first)
        hasher.combine(self.last)
    }
}
