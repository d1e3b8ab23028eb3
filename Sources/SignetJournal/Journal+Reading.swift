//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

extension Journal {
    /// Frames that are not acknowledged, in order.
    ///
    /// A frame whose bytes are damaged is set aside, counted in `damagedFrames` and left out for good: it must not keep
    /// those behind it waiting.
    ///
    /// - Parameters:
    ///   - sequence: Only frames above it; 0 for all.
    ///   - limit: At most that many.
    /// - Returns: The frames; fewer than `limit` only if there are no more.
    /// - Throws: When the disk cannot be read, and `closed`.
    package func frames(after sequence: UInt64, limit: Int) throws(StorageError) -> [Frame] {
        var frames: [Frame] = []
        var last = sequence
        while frames.count < limit {
            let places = try self.places(after: last, limit: limit - frames.count)
            guard let end = places.last?.place.sequence else { break }
            for (place, file) in places {
                if let frame = try self.read(place, of: file) { frames.append(frame) }
            }
            last = end
        }
        return frames
    }

    /// One frame.
    ///
    /// - Returns: Nil if there is no such frame, or if it was acknowledged.
    /// - Throws: `damagedRecord` when its bytes are damaged; after that there is no such frame.
    package func frame(_ sequence: UInt64) throws(StorageError) -> Frame? {
        let found = try self.state.withLock { state throws(StorageError) -> (JournalSegment.Place, LogFile)? in
            try state.checkOpen(self.folder)
            guard let (segment, place) = state.find(sequence),
                let file = state.files.slots[state.segments[segment].slot]
            else { return nil }
            return (place, file)
        }
        guard let (place, file) = found else { return nil }
        guard let frame = try self.read(place, of: file) else {
            throw StorageError.damaged(file.file.path, at: place.offset)
        }
        return frame
    }

    private func places(
        after sequence: UInt64,
        limit: Int
    ) throws(StorageError) -> [(place: JournalSegment.Place, file: LogFile)] {
        try self.state.withLock { state throws(StorageError) in
            try state.checkOpen(self.folder)
            var places: [(place: JournalSegment.Place, file: LogFile)] = []
            guard sequence < .max else { return places }
            for segment in state.segments[state.segmentIndex(notBelow: sequence + 1)...] where segment.live > 0 {
                guard let file = state.files.slots[segment.slot] else { continue }
                for place in segment.places[segment.index(notBelow: sequence + 1)...] {
                    guard places.count < limit else { return places }
                    if !state.acknowledged.contains(place.sequence) { places.append((place, file)) }
                }
            }
            return places
        }
    }

    private func read(_ place: JournalSegment.Place, of file: LogFile) throws(StorageError) -> Frame? {
        let frame = try file.readFrame(
            at: place.offset,
            keyLength: place.stampLength,
            valueLength: place.payloadLength
        ) { header, stamp, payload in
            Frame(sequence: header.sequence, stamp: Array(stamp), payload: Array(payload))
        }
        if let frame { return frame }
        let length = UInt64(FrameHeader.size + place.stampLength + place.payloadLength)
        switch self.quarantine.keep(place.offset..<min(file.end, place.offset + length), of: file, .damaged) {
        case .kept, .failed:
            self.state.withLock { state in
                state.damagedFrames += 1
                state.drop(place.sequence)
            }
        case .keptAlready, .keptBefore:
            self.state.withLock { $0.drop(place.sequence) }
        }
        return nil
    }
}
