//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

extension Journal {
    /// Looks at the frames that are not acknowledged, oldest first, without touching their payloads.
    ///
    /// The journal's lock is not held while the body runs. Damage that costs frames is set aside and counted in
    /// `damagedFrames`; a damaged payload is not noticed here.
    ///
    /// - Parameters:
    ///   - sequence: Only frames above it; 0 for all.
    ///   - limit: At most that many.
    ///   - body: Gets sequence, stamp and the length of the payload; the bytes are gone after it.
    /// - Returns: The sequence of the last one; nil when there was none.
    /// - Throws: When the disk cannot be read, and `closed`.
    package func visit(
        after sequence: UInt64,
        limit: Int,
        _ body: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer, _ payloadCount: Int) -> Void
    ) throws(StorageError) -> UInt64? {
        var after = sequence
        var rest = limit
        var last: UInt64?
        while rest > 0, let reader = try self.reader(after: after) {
            var reader = reader
            let index = reader.segment.index
            let first = index.ordinal(notBelow: after + 1)
            rest -= try reader.visit(first..<index.count, limit: rest) { frame, start, _ in
                last = frame.sequence
                body(frame.sequence, frame.stamp(start), frame.payloadLength)
            }
            self.take(reader.losses, of: reader.segment)
            after = max(after, reader.segment.lastOrBefore)
        }
        return last
    }

    /// Reads frames; those that were acknowledged or are damaged are passed over.
    ///
    /// The journal's lock is not held while the body runs. A frame whose bytes are damaged is set aside, counted in
    /// `damagedFrames` and left out for good: it must not keep those behind it waiting.
    ///
    /// - Parameters:
    ///   - sequences: Which, ascending.
    ///   - body: Gets sequence, stamp and payload; the bytes are gone after it.
    /// - Throws: When the disk cannot be read, and `closed`.
    package func read(
        _ sequences: [UInt64],
        _ body: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) {
        var position = 0
        while position < sequences.count {
            let wanted = sequences[position]
            guard wanted > 0, wanted <= JournalFrame.sequenceLimit else {
                position += 1
                continue
            }
            guard var reader = try self.reader(after: wanted - 1) else { break }
            let top = reader.segment.lastOrBefore
            while position < sequences.count, sequences[position] >= wanted, sequences[position] <= top {
                position = try reader.read(sequences, from: position, body)
            }
            self.take(reader.losses, of: reader.segment)
        }
    }

    /// A reader of the first file that has a live frame above a sequence, or at least goes on above it.
    private func reader(after sequence: UInt64) throws(StorageError) -> SegmentReader? {
        while true {
            let found = try self.state.withLock { state throws(StorageError) -> JournalSegment? in
                try state.checkOpen(self.folder)
                guard sequence < JournalFrame.sequenceLimit else { return nil }
                let index = state.segmentIndex(notBelow: sequence + 1)
                return state.segments[index...].first { $0.live > 0 }
            }
            guard let found else { return nil }
            do throws(StorageError) {
                let reader = try SegmentReader(found, in: self.folder)
                if found.file == nil, let file = reader.file { self.state.withLock { $0.keep(file, of: found) } }
                return reader
            } catch {
                // Between the lock and the opening, the file may have been removed, or replaced by a compacted one.
                let isThere = self.state.withLock { $0.segmentIndex(of: found.header.number) != nil }
                if isThere { throw error }
            }
        }
    }

    /// Sets aside what a reader found damaged, and counts its frames as gone.
    func take(_ losses: [SegmentReader.Loss], of segment: JournalSegment) {
        for loss in losses {
            do throws(StorageError) {
                try self.setAside(loss.range, of: segment)
            } catch {
                // The bytes still stay where they are until the file is removed.
            }
            self.state.withLock { state in
                for sequence in loss.sequences where state.find(sequence) != nil {
                    state.drop(sequence)
                    state.damagedFrames += 1
                }
            }
        }
    }

    /// Copies damaged bytes aside, unless that was done before.
    ///
    /// - Throws: When there is no copy.
    func setAside(_ range: Range<UInt64>, of segment: JournalSegment) throws(StorageError) {
        let log = segment.log(try segment.open(in: self.folder))
        let end = max(range.lowerBound, min(segment.end, range.upperBound))
        if case .failed(let error) = self.quarantine.keep(range.lowerBound..<end, of: log, .damaged) { throw error }
    }
}

extension SegmentReader {
    /// Reads frames of this file that lie close together.
    ///
    /// - Parameters:
    ///   - sequences: Which, ascending.
    ///   - position: The first of them that counts; the file goes up to it or further.
    ///   - body: Gets sequence, stamp and payload of each.
    /// - Returns: The position of the first that was not looked at.
    /// - Throws: When the disk cannot be read.
    mutating func read(
        _ sequences: [UInt64],
        from position: Int,
        _ body: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Int {
        let index = self.segment.index
        guard let first = index.ordinal(of: sequences[position]), !self.segment.dead.contains(first) else {
            return position + 1
        }
        var last = first
        var end = position + 1
        while end < sequences.count, let next = index.ordinal(of: sequences[end]), next > last,
            next - last <= FrameIndex.stride
        {
            last = next
            end += 1
        }
        var next = position
        var damaged: [(JournalFrame, UInt64)] = []
        let seed = self.segment.seed
        _ = try self.visit(first..<last + 1, limit: .max) { frame, start, offset in
            while next < end, sequences[next] < frame.sequence { next += 1 }
            guard next < end, sequences[next] == frame.sequence else { return }
            if frame.isSound(start, seed: seed) {
                body(frame.sequence, frame.stamp(start), frame.payload(start))
            } else {
                damaged.append((frame, offset))
            }
        }
        for (frame, offset) in damaged { self.lose(frame, at: offset) }
        return end
    }
}

extension Journal.State {
    /// Keeps a file open that was read: the next batch is likely to need it too.
    fileprivate mutating func keep(_ file: OpenFile, of segment: JournalSegment) {
        // Meanwhile it may have been removed, replaced or opened.
        guard let index = self.segmentIndex(of: segment.header.number), self.segments[index].file == nil,
            self.segments[index].header == segment.header
        else { return }
        self.segments[index].file = file
        self.readFiles.append(segment.header.number)
        guard self.readFiles.count > Self.openFiles else { return }
        guard let oldest = self.segmentIndex(of: self.readFiles.removeFirst()) else { return }
        guard oldest + Self.openFiles < self.segments.count else { return }
        if self.segments[oldest].needsDescriptor {
            self.segments[oldest].isHeld = true
        } else {
            self.segments[oldest].file = nil
        }
    }
}
