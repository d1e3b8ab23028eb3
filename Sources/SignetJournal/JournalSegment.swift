//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Where the live frames of one journal file lie: 24 bytes a frame.
struct JournalSegment: Sendable {
    /// One frame.
    struct Place: Sendable {
        let sequence: UInt64
        let offset: UInt64
        private let lengths: UInt64

        init(_ header: FrameHeader, at offset: UInt64) {
            self.sequence = header.sequence
            self.offset = offset
            self.lengths = UInt64(header.keyLength) << 32 | UInt64(header.valueLength)
        }

        var stampLength: Int { Int(self.lengths >> 32) }
        var payloadLength: Int { Int(self.lengths & 0xFFFF_FFFF) }
    }

    /// The slot of its file.
    let slot: Int

    /// The highest sequence that a frame of the file ever had; below its first one while there is none.
    ///
    /// It never falls from one segment to the next, whether frames are live or not: searches go by it.
    private(set) var last: UInt64

    /// The frames in ascending order, some acknowledged ones among them.
    private(set) var places: [Place] = []

    /// How many of them are not acknowledged.
    var live = 0

    init(slot: Int, last: UInt64) {
        self.slot = slot
        self.last = last
    }

    mutating func append(_ place: Place) {
        self.places.append(place)
        self.last = place.sequence
        self.live += 1
    }

    /// Takes a frame in that was acknowledged before.
    mutating func pass(_ sequence: UInt64) {
        self.last = sequence
    }

    /// The index of the first frame whose sequence is not below the given one.
    func index(notBelow sequence: UInt64) -> Int {
        var low = 0
        var high = self.places.count
        while low < high {
            let middle = (low + high) / 2
            if self.places[middle].sequence < sequence {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// The frame of a sequence, acknowledged or not.
    func place(of sequence: UInt64) -> Place? {
        let index = self.index(notBelow: sequence)
        return index < self.places.count && self.places[index].sequence == sequence ? self.places[index] : nil
    }
}
