//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Which frames of one journal file are live, and where they lie: about a byte a frame.
struct JournalSegment: Sendable {
    /// How many frames lie between two whose place is known.
    private static let stride = 16

    /// The slot of its file.
    var slot: Int

    /// The lowest and the highest sequence that a frame of the file has, or had; above those of the segments before.
    ///
    /// Without a frame it is empty, behind the last sequence before.
    private(set) var range: Range<UInt64>

    /// How many of its frames are not acknowledged.
    private(set) var live = 0

    /// How many frames it has.
    private(set) var count = 0

    /// The bytes of all its frames.
    private(set) var bytes: UInt64 = 0

    /// All sequences in order, if some between the first and the last are missing.
    private var sequences: [UInt64]?

    /// One bit a frame: whether it is acknowledged.
    private var acknowledged: [UInt64] = []

    /// Places of frames, each with the ordinal of the frame, from where the others are found by walking.
    private var marks: [(ordinal: UInt32, offset: UInt64)] = []

    /// Where the frame after the last one would lie.
    private var end: UInt64 = 0

    /// Makes a segment without frames.
    ///
    /// - Parameters:
    ///   - slot: The slot of its file.
    ///   - last: The highest sequence before it.
    init(slot: Int, after last: UInt64) {
        self.slot = slot
        self.range = last + 1..<last + 1
    }

    /// The highest sequence up to here.
    var last: UInt64 { self.range.upperBound - 1 }

    /// The bytes of the live frames; as if each had the average length.
    var liveBytes: UInt64 {
        self.live == self.count ? self.bytes : UInt64(Double(self.bytes) * Double(self.live) / Double(self.count))
    }

    /// Takes a frame in.
    ///
    /// - Parameters:
    ///   - sequence: Above those before.
    ///   - offset: Its place.
    ///   - length: Its bytes.
    mutating func append(_ sequence: UInt64, at offset: UInt64, length: Int) {
        if self.count == 0 {
            self.range = sequence..<sequence + 1
        } else {
            if self.sequences == nil, sequence != self.range.upperBound { self.sequences = Array(self.range) }
            self.range = self.range.lowerBound..<sequence + 1
        }
        self.sequences?.append(sequence)
        // After damage the frames before do not lead here.
        if offset != self.end || self.count - Int(self.marks.last?.ordinal ?? 0) >= Self.stride || self.marks.isEmpty {
            self.marks.append((UInt32(self.count), offset))
        }
        if self.count.isMultiple(of: 64) { self.acknowledged.append(0) }
        self.count += 1
        self.live += 1
        self.bytes += UInt64(length)
        self.end = offset + UInt64(length)
    }

    /// The ordinal of the first frame whose sequence is not below the given one; `count` if there is none.
    func ordinal(notBelow sequence: UInt64) -> Int {
        guard let sequences = self.sequences else {
            return sequence <= self.range.lowerBound
                ? 0 : Int(min(sequence - self.range.lowerBound, UInt64(self.count)))
        }
        var low = 0
        var high = sequences.count
        while low < high {
            let middle = (low + high) / 2
            if sequences[middle] < sequence {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// The sequence of a frame.
    func sequence(of ordinal: Int) -> UInt64 {
        self.sequences?[ordinal] ?? self.range.lowerBound + UInt64(ordinal)
    }

    /// The ordinal of a frame that is not acknowledged.
    func liveOrdinal(of sequence: UInt64) -> Int? {
        guard self.range.contains(sequence) else { return nil }
        let ordinal = self.ordinal(notBelow: sequence)
        guard ordinal < self.count, self.sequence(of: ordinal) == sequence, self.isLive(ordinal) else { return nil }
        return ordinal
    }

    /// Whether a frame is not acknowledged.
    func isLive(_ ordinal: Int) -> Bool {
        self.acknowledged[ordinal / 64] & 1 << UInt64(ordinal % 64) == 0
    }

    /// Counts a live frame as acknowledged.
    mutating func acknowledge(_ ordinal: Int) {
        self.acknowledged[ordinal / 64] |= 1 << UInt64(ordinal % 64)
        self.live -= 1
    }

    /// A place at or before a frame, from where it is found by walking over less than `stride` frames.
    func place(of ordinal: Int) -> UInt64 {
        var low = 0
        var high = self.marks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(self.marks[middle].ordinal) <= ordinal {
                low = middle
            } else {
                high = middle
            }
        }
        return self.marks[low].offset
    }

    /// The next live frames.
    ///
    /// - Parameters:
    ///   - sequence: Only frames from it on.
    ///   - limit: At most that many.
    /// - Returns: The ordinals of the first and the last, how many there are, and their sequences, if not all frames
    ///   between are live.
    func liveRun(
        notBelow sequence: UInt64,
        limit: Int
    ) -> (first: Int, last: Int, count: Int, sequences: [UInt64]?)? {
        let start = self.ordinal(notBelow: sequence)
        if self.live == self.count, start < self.count {
            let last = min(self.count, start + limit) - 1
            return (start, last, last - start + 1, nil)
        }
        var ordinals: [Int] = []
        var ordinal = start
        while ordinal < self.count, ordinals.count < limit {
            if self.isLive(ordinal) { ordinals.append(ordinal) }
            ordinal += 1
        }
        guard let first = ordinals.first, let last = ordinals.last else { return nil }
        let isWhole = last - first + 1 == ordinals.count
        return (first, last, ordinals.count, isWhole ? nil : ordinals.map { self.sequence(of: $0) })
    }

    /// The sequences that are acknowledged, where the file still has their frames.
    func addAcknowledged(to ranges: inout SequenceRanges) {
        for ordinal in 0..<self.count where !self.isLive(ordinal) {
            ranges.append(self.sequence(of: ordinal))
        }
    }
}
