// SPDX-License-Identifier: Apache-2.0

/// Reads the files of a journal after a start, and records the bytes that cannot be used.
struct SegmentScan: ~Copyable {
    /// The length of torn ends that were cut off, in bytes.
    private(set) var tornBytes = 0

    /// The number of damaged places that no earlier start had found.
    private(set) var damaged = 0

    /// The number of frames that a crash left unfinished before others.
    private(set) var neverReturned = 0

    private let folder: Folder
    private let acknowledged: SequenceRanges
    private var buffer = ReadBuffer()

    init(folder: Folder, acknowledged: SequenceRanges) {
        self.folder = folder
        self.acknowledged = acknowledged
    }

    /// The findings of a walk, beside frames.
    private struct Findings {
        var damaged: [Range<UInt64>] = []
        var neverReturned = 0
        var tail: Tail?
    }

    /// The bytes after the last sound frame.
    private enum Tail {
        /// A crash left them unfinished.
        case unfinished(Range<UInt64>)
        case damaged(Range<UInt64>)

        var range: Range<UInt64> {
            switch self {
            case .unfinished(let range), .damaged(let range): range
            }
        }
    }

    /// Reads one file.
    ///
    /// - Parameters:
    ///   - header: The file's header.
    ///   - size: The file's length.
    ///   - last: The highest sequence of the earlier files.
    ///   - isLast: True if it was the file for appends when the previous process ended.
    ///   - quarantine: Takes copies of unusable bytes.
    /// - Returns: The file's content.
    /// - Throws: An error when the disk cannot be read, or a torn end cannot be cut off.
    mutating func read(
        _ header: FileHeader,
        size: UInt64,
        after last: UInt64,
        isLast: Bool,
        _ quarantine: Quarantine
    ) throws(StorageError) -> JournalSegment {
        let file = try self.folder.openFile(FileName(number: header.number, suffix: header.kind.suffix).text)
        let seed = CRC32C(salt: header.salt)
        let start = UInt64(FileHeader.size)
        let bytes = try self.buffer.read(file, at: start, count: Int(clamping: size - min(size, start)))
        // A compacted file states its range; for any other, the range follows from the shortest frame.
        let span = header.span > 0 ? UInt64(header.span) : JournalSegment.longest / UInt64(JournalFrame.size)
        let highest = min(JournalFrame.sequenceLimit, max(last, header.base) + span)
        var frames = SegmentFrames()
        var walk = FrameWalk(bytes, seed: seed, after: last, upTo: highest)
        let findings = self.walk(&walk, bytes, seed, &frames)
        var segment = JournalSegment(header, frames: frames, end: findings.end, isFlushed: false)
        // Reserved space that was never used. Frames that another file has as well may lie there instead.
        let isRestUnused = start + UInt64(walk.written ?? 0) <= findings.end
        if isRestUnused, !isLast || findings.found.tail != nil { segment.noteReserved(upTo: size) }
        let log = segment.log(file)
        for range in findings.found.damaged {
            if case .keptBefore = quarantine.keep(range, of: log, .damaged) { continue }
            self.damaged += 1
        }
        self.neverReturned += findings.found.neverReturned
        guard let tail = findings.found.tail else {
            // The rest is reserved space that was never used.
            if segment.end < size, isLast { try self.cut(file, to: segment.end) }
            return segment
        }
        if isLast {
            let range = tail.range
            self.tornBytes += Int(clamping: range.upperBound - range.lowerBound)
            if case .failed = quarantine.keep(range, of: log, .torn) { return segment }
            try self.cut(file, to: range.lowerBound)
            return JournalSegment(header, frames: frames, end: range.lowerBound, isFlushed: false)
        }
        switch tail {
        case .unfinished:
            self.neverReturned += 1
        case .damaged(let range):
            if case .keptBefore = quarantine.keep(range, of: log, .damaged) { break }
            self.damaged += 1
        }
        return segment
    }

    private func cut(_ file: OpenFile, to end: UInt64) throws(StorageError) {
        try file.truncate(to: end)
        try file.sync()
    }

    private func walk(
        _ walk: inout FrameWalk,
        _ bytes: UnsafeRawBufferPointer,
        _ seed: CRC32C,
        _ frames: inout SegmentFrames
    ) -> (found: Findings, end: UInt64) {
        let start = UInt64(FileHeader.size)
        var found = Findings()
        var cursor = SequenceRanges.Cursor(self.acknowledged)
        var unfinished: [(frame: JournalFrame, range: Range<UInt64>)] = []
        var end = start
        while true {
            switch walk.next() {
            case .frame(let frame, let place):
                // A complete frame follows the unfinished ones, so they are holes.
                for hole in unfinished { frames.addDead(hole.frame, at: hole.range.lowerBound) }
                found.neverReturned += unfinished.count
                unfinished = []
                let offset = start + UInt64(place)
                end = offset + UInt64(frame.length)
                if cursor.contains(frame.sequence) {
                    frames.addDead(frame, at: offset)
                } else if let first = bytes.baseAddress, frame.isSound(first + place, seed: seed) {
                    frames.add(frame, at: offset)
                } else {
                    frames.addDead(frame, at: offset)
                    found.damaged.append(offset..<end)
                }
            case .unfinished(let frame, let place):
                let offset = start + UInt64(place)
                unfinished.append((frame, offset..<offset + UInt64(frame.length)))
            case .hole(let range, let isUnfinished):
                for hole in unfinished { frames.addDead(hole.frame, at: hole.range.lowerBound) }
                found.neverReturned += unfinished.count + (isUnfinished ? 1 : 0)
                unfinished = []
                let range = start + UInt64(range.lowerBound)..<start + UInt64(range.upperBound)
                if !isUnfinished { found.damaged.append(range) }
            case .tail(let range):
                let first = unfinished.first?.range.lowerBound ?? start + UInt64(range.lowerBound)
                let tail = first..<start + UInt64(range.upperBound)
                let isUnfinished = !unfinished.isEmpty || self.isUnfinished(bytes, at: range.lowerBound)
                found.tail = isUnfinished ? .unfinished(tail) : .damaged(tail)
                // A later start needs the zeros of a frame's header to see that it was never finished.
                return (found, start + UInt64(min(bytes.count, range.upperBound + JournalFrame.size)))
            case .end:
                if let first = unfinished.first, let last = unfinished.last {
                    found.tail = .unfinished(first.range.lowerBound..<last.range.upperBound)
                    end = last.range.upperBound
                }
                return (found, end)
            }
        }
    }

    private func isUnfinished(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard let first = bytes.baseAddress, offset + JournalFrame.size <= bytes.count else { return false }
        return JournalFrame.isUnfinished(first + offset)
    }
}
