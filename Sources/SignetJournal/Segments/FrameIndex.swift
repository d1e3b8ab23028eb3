// SPDX-License-Identifier: Apache-2.0

/// The offsets of the frames of one journal file: four bytes for each.
///
/// Frames are counted from 0 in the order of the file. In a file appended without damage, a frame's sequence follows
/// from its count; only if sequences are missing, the index keeps four more bytes per frame.
struct FrameIndex: Sendable, Equatable {
    /// The sequence of the first frame.
    private(set) var first: UInt64 = 0

    /// The sequence of the last frame.
    private(set) var last: UInt64 = 0

    private(set) var count = 0

    private var offsets: [UInt32] = []

    /// The distance of each sequence from the first; empty while none is missing.
    private var distances: [UInt32] = []

    /// Adds the next frame, whose sequence is above all others.
    @inline(__always)
    mutating func append(_ sequence: UInt64, at offset: UInt64) {
        if self.count == 0 {
            self.first = sequence
        } else if sequence != self.last + 1 || !self.distances.isEmpty {
            if self.distances.isEmpty { self.distances = (0..<UInt32(self.count)).map { $0 } }
            self.distances.append(UInt32(truncatingIfNeeded: sequence - self.first))
        }
        self.offsets.append(UInt32(truncatingIfNeeded: offset))
        self.last = sequence
        self.count += 1
    }

    /// Frees unused capacity when no more frames come.
    mutating func trim() {
        // An array made from an array would share its capacity.
        guard self.offsets.capacity > self.offsets.count else { return }
        self.offsets = self.offsets.withUnsafeBufferPointer(Array.init)
    }

    func offset(of ordinal: Int) -> UInt64 {
        UInt64(self.offsets[ordinal])
    }

    func sequence(of ordinal: Int) -> UInt64 {
        self.first + (self.distances.isEmpty ? UInt64(ordinal) : UInt64(self.distances[ordinal]))
    }

    /// Returns the first frame whose sequence is not below the given one; the count if there is none.
    func ordinal(notBelow sequence: UInt64) -> Int {
        guard self.count > 0, sequence > self.first else { return 0 }
        guard sequence <= self.last else { return self.count }
        let distance = sequence - self.first
        guard !self.distances.isEmpty else { return Int(distance) }
        var low = 0
        var high = self.count
        while low < high {
            let middle = (low + high) / 2
            if UInt64(self.distances[middle]) < distance {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Returns the frame of a sequence; nil if there is none.
    func ordinal(of sequence: UInt64) -> Int? {
        guard sequence >= self.first else { return nil }
        let ordinal = self.ordinal(notBelow: sequence)
        return ordinal < self.count && self.sequence(of: ordinal) == sequence ? ordinal : nil
    }
}

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
