// SPDX-License-Identifier: Apache-2.0

/// Reads frames of one journal file, from memory or in pieces.
struct SegmentReader: ~Copyable {
    /// Frames whose bytes have changed.
    struct Loss {
        var sequences: [UInt64]
        var range: Range<UInt64>
    }

    /// The maximum length of one read, in bytes, unless one block is longer.
    private static let pieceBytes: UInt64 = 256 << 10

    /// The file, as of the reader's creation.
    let segment: JournalSegment

    private(set) var losses: [Loss] = []

    /// The open file; nil for a mapped file.
    let file: OpenFile?
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    init(_ segment: JournalSegment, in folder: Folder) throws(StorageError) {
        self.segment = segment
        self.file = segment.mapping == nil ? try segment.open(in: folder) : nil
    }

    deinit {
        self.memory.deallocate()
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
        var next = self.segment.dead.nextMissing(from: frames.lowerBound, limit: count)
        while next < count, shown < limit {
            let block = next / FrameIndex.stride
            // Even if most frames are dead, one piece has a live frame, its first.
            let wanted = min(limit - shown, count - next) / FrameIndex.stride + 2
            let blocks = block..<self.pieceEnd(from: block, atMost: wanted)
            let bytes = try self.bytes(of: blocks)
            let end = min(count, blocks.upperBound * FrameIndex.stride)
            shown += self.walk(bytes, blocks, from: next, to: end, limit: limit - shown, body)
            if shown >= limit { break }
            next = self.segment.dead.nextMissing(from: end, limit: count)
        }
        return shown
    }

    /// Returns the end of a run of blocks that are read at once.
    private func pieceEnd(from block: Int, atMost wanted: Int) -> Int {
        let index = self.segment.index
        var end = min(index.blocks, block + max(1, wanted))
        let start = index.offset(ofBlock: block)
        while end > block + 1, index.offset(ofBlock: end - 1) - start > Self.pieceBytes {
            end = block + (end - block + 1) / 2
        }
        return end
    }

    /// Returns the bytes of blocks, valid until the next call.
    private mutating func bytes(of blocks: Range<Int>) throws(StorageError) -> UnsafeRawBufferPointer {
        let start = self.segment.index.offset(ofBlock: blocks.lowerBound)
        let end =
            blocks.upperBound < self.segment.index.blocks
            ? self.segment.index.offset(ofBlock: blocks.upperBound) : self.segment.end
        let count = Int(end - start)
        if let mapping = self.segment.mapping { return mapping.bytes(Int(start)..<Int(end)) }
        guard let file = self.file else { throw StorageError.closed(self.segment.name) }
        if self.memory.count < count {
            self.memory.deallocate()
            self.memory = .allocate(byteCount: max(count, 8 << 10), alignment: 8)
        }
        let piece = UnsafeMutableRawBufferPointer(rebasing: self.memory[..<count])
        // A truncated file has no more bytes; the missing ones are found damaged.
        let filled = try file.read(into: piece, at: start)
        return UnsafeRawBufferPointer(rebasing: piece[..<filled])
    }

    private mutating func walk(
        _ bytes: UnsafeRawBufferPointer,
        _ blocks: Range<Int>,
        from first: Int,
        to end: Int,
        limit: Int,
        _ body: (_ frame: JournalFrame, _ start: UnsafeRawPointer, _ offset: UInt64) -> Void
    ) -> Int {
        let index = self.segment.index
        let offset = index.offset(ofBlock: blocks.lowerBound)
        // The next expected frame; those before it were visited, are dead, or were found missing.
        var expected = blocks.lowerBound * FrameIndex.stride
        let before = index.sequence(of: expected) - 1
        var walk = FrameWalk(bytes, seed: self.segment.seed, after: before, upTo: index.sequence(of: end - 1))
        var shown = 0
        var gap: Range<Int>?
        while shown < limit, expected < end {
            switch walk.next() {
            case .frame(let frame, let place), .unfinished(let frame, let place):
                if frame.sequence != index.sequence(of: expected) {
                    let found = index.ordinal(notBelow: frame.sequence)
                    self.lose(from: max(first, expected), to: min(found, end), gap.map { (offset, $0) })
                    gap = nil
                    expected = found
                    // A frame that the start did not count, because of damage that is gone now, is ignored.
                    guard expected < end, index.sequence(of: expected) == frame.sequence else { continue }
                }
                if expected >= first, !self.segment.dead.contains(expected), let start = bytes.baseAddress {
                    body(frame, start + place, offset + UInt64(place))
                    shown += 1
                }
                expected += 1
            case .hole(let range, _):
                gap = range
            case .tail(let range):
                gap = range
            case .end:
                self.lose(from: max(first, expected), to: end, gap.map { (offset, $0) })
                return shown
            }
        }
        return shown
    }

    /// Records the loss of live frames.
    private mutating func lose(from first: Int, to end: Int, _ gap: (offset: UInt64, range: Range<Int>)?) {
        guard first < end else { return }
        var sequences: [UInt64] = []
        for ordinal in first..<end where !self.segment.dead.contains(ordinal) {
            sequences.append(self.segment.index.sequence(of: ordinal))
        }
        guard !sequences.isEmpty else { return }
        let start = self.segment.index.offset(ofBlock: first / FrameIndex.stride)
        let range = gap.map { $0.offset + UInt64($0.range.lowerBound)..<$0.offset + UInt64($0.range.upperBound) }
        self.losses.append(Loss(sequences: sequences, range: range ?? start..<start))
    }

    /// Records damage in a frame's payload.
    mutating func lose(_ frame: JournalFrame, at offset: UInt64) {
        self.losses.append(Loss(sequences: [frame.sequence], range: offset..<offset + UInt64(frame.length)))
    }
}
