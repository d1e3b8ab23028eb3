// SPDX-License-Identifier: Apache-2.0

/// Reads frames of one journal file, from memory or in pieces.
struct SegmentReader: ~Copyable {
    /// Frames whose bytes have changed.
    struct Loss {
        var sequences: [UInt64]
        var range: Range<UInt64>
    }

    /// The number of frames that may lie between two that are read at once.
    private static let nearby = 4

    /// The maximum length of one read, in bytes, unless one frame is longer.
    private static let pieceBytes: UInt64 = 256 << 10

    /// The file, as of the reader's creation.
    let segment: JournalSegment

    private(set) var losses: [Loss] = []

    /// The open file; nil for a mapped file.
    let file: OpenFile?
    private var buffer = ReadBuffer()

    init(_ segment: JournalSegment, in folder: Folder) throws(StorageError) {
        self.segment = segment
        self.file = segment.mapping == nil ? try segment.open(in: folder) : nil
    }

    /// Visits the headers and stamps of live frames.
    ///
    /// - Parameters:
    ///   - frames: The range of frames to consider, live or not.
    ///   - limit: The maximum number of frames to visit.
    ///   - body: Gets the frame, its first byte, and its offset; the bytes are invalid after it returns.
    /// - Returns: The number of visited frames.
    /// - Throws: An error when the disk cannot be read.
    mutating func visit(
        _ frames: Range<Int>,
        limit: Int,
        _ body: (_ frame: JournalFrame, _ start: UnsafeRawPointer, _ offset: UInt64) -> Void
    ) throws(StorageError) -> Int {
        let count = frames.upperBound
        var shown = 0
        var next = self.segment.frames.dead.nextMissing(from: frames.lowerBound, limit: count)
        while next < count, shown < limit {
            // Even if most frames are dead, one piece has a live frame, its first.
            let piece = next..<self.pieceEnd(from: next, atMost: min(limit - shown, count - next))
            shown += self.walk(try self.bytes(of: piece), piece, limit: limit - shown, body)
            next = self.segment.frames.dead.nextMissing(from: piece.upperBound, limit: count)
        }
        return shown
    }

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
        let index = self.segment.frames.index
        guard let first = self.segment.frames.find(sequences[position]) else { return position + 1 }
        var last = first
        var end = position + 1
        while end < sequences.count, let next = index.ordinal(of: sequences[end]), next > last,
            next - last <= Self.nearby
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

    /// Returns the end of a run of frames that are read at once.
    private func pieceEnd(from first: Int, atMost wanted: Int) -> Int {
        let index = self.segment.frames.index
        var end = first + wanted
        let start = index.offset(of: first)
        while end > first + 1, index.offset(of: end - 1) - start > Self.pieceBytes {
            end = first + (end - first + 1) / 2
        }
        return end
    }

    /// Returns the bytes of frames, valid until the next call.
    private mutating func bytes(of frames: Range<Int>) throws(StorageError) -> UnsafeRawBufferPointer {
        let index = self.segment.frames.index
        let start = index.offset(of: frames.lowerBound)
        let end = frames.upperBound < index.count ? index.offset(of: frames.upperBound) : self.segment.end
        let count = Int(end - start)
        if let mapping = self.segment.mapping { return mapping.bytes(Int(start)..<Int(end)) }
        guard let file = self.file else { throw StorageError.closed(self.segment.state.name) }
        // A truncated file has no more bytes; the missing ones are found damaged.
        return try self.buffer.read(file, at: start, count: count)
    }

    private mutating func walk(
        _ bytes: UnsafeRawBufferPointer,
        _ frames: Range<Int>,
        limit: Int,
        _ body: (_ frame: JournalFrame, _ start: UnsafeRawPointer, _ offset: UInt64) -> Void
    ) -> Int {
        let index = self.segment.frames.index
        let end = frames.upperBound
        let offset = index.offset(of: frames.lowerBound)
        // The next expected frame; those before it were visited, are dead, or were found missing.
        var expected = frames.lowerBound
        let before = index.sequence(of: expected) - 1
        var walk = FrameWalk(bytes, seed: self.segment.seed, after: before, upTo: index.sequence(of: end - 1))
        var shown = 0
        var gap: Range<Int>?
        while shown < limit, expected < end {
            switch walk.next() {
            case .frame(let frame, let place), .unfinished(let frame, let place):
                if frame.sequence != index.sequence(of: expected) {
                    let found = index.ordinal(notBelow: frame.sequence)
                    self.lose(from: expected, to: min(found, end), gap.map { (offset, $0) })
                    gap = nil
                    expected = found
                    // A frame that the start did not count, because of damage that is gone now, is ignored.
                    guard expected < end, index.sequence(of: expected) == frame.sequence else { continue }
                }
                if !self.segment.frames.dead.contains(expected), let start = bytes.baseAddress {
                    body(frame, start + place, offset + UInt64(place))
                    shown += 1
                }
                expected += 1
            case .hole(let range, _):
                gap = range
            case .tail(let range):
                gap = range
            case .end:
                self.lose(from: expected, to: end, gap.map { (offset, $0) })
                return shown
            }
        }
        return shown
    }

    /// Records the loss of live frames.
    private mutating func lose(from first: Int, to end: Int, _ gap: (offset: UInt64, range: Range<Int>)?) {
        guard first < end else { return }
        var sequences: [UInt64] = []
        for ordinal in first..<end where !self.segment.frames.dead.contains(ordinal) {
            sequences.append(self.segment.frames.index.sequence(of: ordinal))
        }
        guard !sequences.isEmpty else { return }
        let start = self.segment.frames.index.offset(of: first)
        let range = gap.map { $0.offset + UInt64($0.range.lowerBound)..<$0.offset + UInt64($0.range.upperBound) }
        self.losses.append(Loss(sequences: sequences, range: range ?? start..<start))
    }

    /// Records damage in a frame's payload.
    mutating func lose(_ frame: JournalFrame, at offset: UInt64) {
        self.losses.append(Loss(sequences: [frame.sequence], range: offset..<offset + UInt64(frame.length)))
    }
}
