// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension Journal {
    /// Visits the frames that are not acknowledged, oldest first, without reading their payloads.
    ///
    /// The journal's lock is not held while the body runs. Damage that costs frames is copied to an aside file and
    /// counted in `damagedFrames`; damaged payloads are not detected here.
    ///
    /// - Parameters:
    ///   - sequence: The sequence above which frames are visited; 0 for all.
    ///   - limit: The maximum number of frames.
    ///   - body: Gets the sequence, the stamp and the length of the payload; the bytes are invalid after it returns.
    /// - Returns: The sequence of the last visited frame; nil if there was none.
    /// - Throws: `closed`, or an error when the disk cannot be read.
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

    /// Reads frames; acknowledged and damaged ones are skipped.
    ///
    /// The journal's lock is not held while the body runs. A damaged frame is copied to an aside file, counted in
    /// `damagedFrames` and left out for good, so that it does not block the frames after it.
    ///
    /// - Parameters:
    ///   - sequences: The sequences of the frames, ascending.
    ///   - body: Gets the sequence, the stamp and the payload; the bytes are invalid after it returns.
    /// - Throws: `closed`, or an error when the disk cannot be read.
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

    /// Returns a reader of the first file with live frames that reaches above a sequence.
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

    /// Copies a reader's damaged ranges to aside files, and counts their frames as gone.
    func take(_ losses: [SegmentReader.Loss], of segment: JournalSegment) {
        for loss in losses {
            do throws(StorageError) {
                try self.setAside(loss.range, of: segment)
            } catch {
                // The bytes still stay in place until the file is removed.
            }
            self.state.withLock { state in
                for sequence in loss.sequences where state.find(sequence) != nil {
                    state.drop(sequence)
                    state.damagedFrames += 1
                }
            }
        }
    }

    /// Copies damaged bytes to an aside file, unless that was done before.
    ///
    /// - Throws: An error when there is no copy.
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
    ///   - sequences: The sequences of the frames, ascending.
    ///   - position: The index of the first sequence to read; the file reaches it.
    ///   - body: Gets the sequence, the stamp and the payload of each frame.
    /// - Returns: The index of the first sequence that was not handled.
    /// - Throws: An error when the disk cannot be read.
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
    /// Keeps a file open after reading, because the next batch is likely to need it too.
    fileprivate mutating func keep(_ file: OpenFile, of segment: JournalSegment) {
        // Meanwhile the file may have been removed, replaced or opened.
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
