// SPDX-License-Identifier: Apache-2.0

/// Ascending numbers of events, in one to three bytes each: ten million waiting events take some twenty megabytes.
struct SequenceList: Sendable {
    /// The number of events in the list.
    private(set) var count = 0
    /// The lowest number, if the list is not empty.
    private var lowest: UInt64 = 0
    /// The highest number, if the list is not empty.
    private var highest: UInt64 = 0
    /// The distance of each number to the one before: seven bits a byte, lowest first, the last byte below 128.
    ///
    /// The bytes are in pieces: thousands of lists that each grew in one piece would leave holes of every size, four
    /// times their content. No distance is split between two pieces, and no piece is empty.
    private var pieces: [[UInt8]] = []
    /// The index in the first piece at which the distance of the second number begins.
    private var head = 0

    /// The most bytes of a piece: with the header of its array, half a kilobyte.
    private static let pieceBytes = 480
    /// The most bytes of a distance.
    private static let distanceBytes = 10

    /// Makes an empty list.
    init() {}

    /// Makes a list of ascending numbers.
    init(_ sequences: [UInt64]) {
        for sequence in sequences { self.append(sequence) }
    }

    /// The lowest number.
    var first: UInt64? {
        self.count > 0 ? self.lowest : nil
    }

    /// The highest number.
    var last: UInt64? {
        self.count > 0 ? self.highest : nil
    }

    /// Appends a number above all others; any other number is ignored.
    mutating func append(_ sequence: UInt64) {
        guard self.count > 0 else {
            (self.lowest, self.highest, self.count) = (sequence, sequence, 1)
            return
        }
        guard sequence > self.highest else { return }
        if self.pieces.last.map({ $0.count + Self.distanceBytes > Self.pieceBytes }) ?? true {
            var piece: [UInt8] = []
            // A short list grows with its content; a long one needs the whole piece.
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

    /// Appends the numbers of another list, which are above all others.
    mutating func append(_ other: SequenceList) {
        other.visit {
            self.append($0)
            return true
        }
    }

    /// Returns the lowest numbers.
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

    /// Returns the count of numbers up to a limit.
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

    /// Removes the lowest numbers.
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

    /// Visits the numbers, lowest first, until the body returns false.
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

    /// Reads one distance; nil at the end of the bytes, and for invalid bytes.
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
}

/// The lowest number and the distances, as bytes.
extension SequenceList: RecordValue {
    func write(to encoder: inout RecordEncoder) -> RecordKind {
        guard self.count > 0 else {
            encoder.append(length: 0)
            return .bytes
        }
        let lowestBytes = max(1, (70 - self.lowest.leadingZeroBitCount) / 7)
        encoder.append(length: self.pieces.reduce(lowestBytes - self.head) { $0 + $1.count })
        encoder.append(self.lowest)
        for (index, piece) in self.pieces.enumerated() { encoder.append(raw: piece[(index == 0 ? self.head : 0)...]) }
        return .bytes
    }

    init(record value: RecordDecoder.Value) throws(RecordDamage) {
        guard value.kind == .bytes else { throw RecordDamage(field: nil) }
        let bytes = Array(value.content)
        guard !bytes.isEmpty else { return }
        var position = 0
        guard let lowest = Self.read(bytes, at: &position) else { throw RecordDamage(field: nil) }
        self.append(lowest)
        while let distance = Self.read(bytes, at: &position) {
            let (sequence, overflow) = self.highest.addingReportingOverflow(distance)
            guard distance > 0, !overflow else { throw RecordDamage(field: nil) }
            self.append(sequence)
        }
        // The last distance is whole.
        guard position == bytes.count, bytes[position - 1] < 0x80 else { throw RecordDamage(field: nil) }
    }
}

extension SequenceList: Hashable {
    /// Returns true if both lists hold the same numbers.
    static func == (left: SequenceList, right: SequenceList) -> Bool {
        left.count == right.count && left.prefix(left.count) == right.prefix(right.count)
    }

    /// Hashes the count, the lowest and the highest number.
    func hash(into hasher: inout Hasher) {
        hasher.combine(self.count)
        hasher.combine(self.first)
        hasher.combine(self.last)
    }
}
