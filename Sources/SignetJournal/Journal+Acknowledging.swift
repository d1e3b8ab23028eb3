//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Journal.State {
    /// Where a live frame is.
    func find(_ sequence: UInt64) -> (segment: Int, ordinal: Int)? {
        let index = self.segmentIndex(notBelow: sequence)
        guard index < self.segments.count, let ordinal = self.segments[index].liveOrdinal(of: sequence) else {
            return nil
        }
        return (index, ordinal)
    }

    /// The index of the first segment that goes up to a sequence or further.
    func segmentIndex(notBelow sequence: UInt64) -> Int {
        var low = 0
        var high = self.segments.count
        while low < high {
            let middle = (low + high) / 2
            if self.segments[middle].last < sequence {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Writes down that frames are acknowledged, and counts them so.
    ///
    /// - Returns: How many of them were live.
    mutating func acknowledge(_ sequences: [UInt64]) throws(StorageError) -> Int {
        var places: [(segment: Int, ordinal: Int)] = []
        var ranges = SequenceRanges()
        var last: UInt64 = 0
        for sequence in sequences.isAscending ? sequences : sequences.sorted() where sequence != last {
            last = sequence
            guard let place = self.find(sequence) else { continue }
            places.append(place)
            ranges.append(sequence)
        }
        guard !places.isEmpty else { return 0 }
        try self.appendAcknowledgements(ranges)
        for place in places { self.segments[place.segment].acknowledge(place.ordinal) }
        self.liveCount -= places.count
        self.countBytes()
        self.changes += 1
        return places.count
    }

    /// Counts a frame as no longer live, in memory.
    mutating func drop(_ sequence: UInt64) {
        guard let place = self.find(sequence) else { return }
        self.segments[place.segment].acknowledge(place.ordinal)
        self.liveCount -= 1
        self.countBytes()
    }

    /// Writes acknowledgements down, on a full disk too.
    mutating func appendAcknowledgements(_ ranges: SequenceRanges) throws(StorageError) {
        do throws(StorageError) {
            try self.writeAcknowledgements(ranges)
        } catch {
            guard error.code == .diskFull, self.spare.release() else { throw error }
            try self.writeAcknowledgements(ranges)
        }
    }

    private mutating func writeAcknowledgements(_ ranges: SequenceRanges) throws(StorageError) {
        let (slot, salt) = try self.acknowledgements.writable(limit: .max, base: self.nextSequence)
        defer { self.emptyBuffer() }
        let lists = ranges.encoded
        for list in lists {
            list.withUnsafeBytes { list in
                FrameHeader.encode(
                    .acknowledge,
                    sequence: ranges.highest ?? 0,
                    key: UnsafeRawBufferPointer(start: nil, count: 0),
                    value: list,
                    salt: salt,
                    to: &self.buffer
                )
            }
        }
        _ = try self.acknowledgements.append(self.buffer, frames: lists.count, to: slot)
    }

    private mutating func emptyBuffer() {
        if self.buffer.capacity > 1 << 20 {
            self.buffer = []
        } else {
            self.buffer.removeAll(keepingCapacity: true)
        }
    }
}

extension [UInt64] {
    fileprivate var isAscending: Bool {
        zip(self, self.dropFirst()).allSatisfy { $0 <= $1 }
    }
}
