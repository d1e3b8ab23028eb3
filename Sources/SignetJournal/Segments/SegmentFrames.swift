// SPDX-License-Identifier: Apache-2.0

/// The frames of one journal file: their places, the dead ones among them, and the bytes of the live ones.
struct SegmentFrames: Sendable {
    /// The places of the frames.
    private(set) var index = FrameIndex()

    /// The frames that are acknowledged, damaged or unfinished.
    private(set) var dead = FrameBits()

    /// The number of frames that are not dead.
    private(set) var live = 0

    /// The bytes of the live frames, or more.
    ///
    /// A dead frame whose length is unknown without reading the file counts as the shortest one until the bytes are
    /// counted again.
    private(set) var liveBytes: UInt64 = 0

    private var longest: UInt64 = 0

    private var shortest: UInt64 = .max

    /// The number of frames counted as the shortest one since the last count.
    private var estimated = 0

    /// The ordinal and offset of the frame after the one measured last.
    private var measured: (next: Int, offset: UInt64) = (0, 0)

    /// Adds a frame that is in the file.
    @inline(__always)
    mutating func add(_ frame: JournalFrame, at offset: UInt64) {
        self.index.append(frame.sequence, at: offset)
        self.live += 1
        self.liveBytes += UInt64(frame.length)
        self.longest = max(self.longest, UInt64(frame.length))
        self.shortest = min(self.shortest, UInt64(frame.length))
    }

    /// Adds a frame that is in the file, but dead.
    mutating func addDead(_ frame: JournalFrame, at offset: UInt64) {
        self.dead.insert(self.index.count)
        self.index.append(frame.sequence, at: offset)
    }

    /// Frees unused capacity when no more frames come.
    mutating func trim() {
        self.index.trim()
    }

    /// Returns the ordinal of a live frame; nil if there is none.
    func find(_ sequence: UInt64) -> Int? {
        guard let ordinal = self.index.ordinal(of: sequence), !self.dead.contains(ordinal) else { return nil }
        return ordinal
    }

    /// Marks a live frame as dead.
    ///
    /// - Parameters:
    ///   - ordinal: The frame's ordinal.
    ///   - length: The frame's length, if the caller knows it.
    ///   - mapped: The mapped bytes of the file and the end of the frames in it; nil if it is not mapped.
    /// - Returns: The decrease of `liveBytes`.
    mutating func drop(_ ordinal: Int, length: UInt64?, _ mapped: (bytes: FileMapping, end: UInt64)?) -> UInt64 {
        var bytes = self.liveBytes
        if self.live > 1 {
            if let length = length ?? self.length(of: ordinal, mapped) {
                bytes = length
            } else {
                bytes = self.shortest
                self.estimated += 1
            }
            // Even if the file was overwritten, the other frames have at least the bytes of the shortest.
            bytes = min(bytes, self.liveBytes - UInt64(self.live - 1) * self.shortest)
        }
        self.dead.insert(ordinal)
        self.live -= 1
        self.liveBytes -= bytes
        return bytes
    }

    /// Returns the length of a frame, if it is known without reading a file.
    private mutating func length(of ordinal: Int, _ mapped: (bytes: FileMapping, end: UInt64)?) -> UInt64? {
        if self.shortest == self.longest { return self.longest }
        guard let mapped else { return nil }
        // Mapped frames were appended here, without a gap: from the first frame of the block, or from the one measured
        // last, each header leads to the next.
        var next = ordinal - ordinal % FrameIndex.stride
        var offset: UInt64
        if self.measured.next > next, self.measured.next <= ordinal {
            (next, offset) = self.measured
        } else {
            offset = self.index.offset(ofBlock: ordinal / FrameIndex.stride)
        }
        var length: UInt64 = 0
        while next <= ordinal {
            guard offset + UInt64(JournalFrame.size) <= mapped.end else { return nil }
            length = UInt64(JournalFrame.length(mapped.bytes.address + Int(offset)))
            offset += length
            next += 1
        }
        self.measured = (next, offset)
        return length
    }

    /// Lowers `liveBytes` without reading: no live frame lies before the block of the first one.
    ///
    /// If frames are acknowledged in order, no count is needed.
    ///
    /// - Parameter fileEnd: The end of the frames in the file.
    /// - Returns: The decrease of `liveBytes`.
    mutating func tighten(_ fileEnd: UInt64) -> UInt64 {
        let first = self.dead.nextMissing(from: 0, limit: self.index.count)
        guard first < self.index.count else { return 0 }
        if self.live == self.index.count - first { self.estimated = 0 }
        let most = fileEnd - self.index.offset(ofBlock: first / FrameIndex.stride)
        guard most < self.liveBytes else { return 0 }
        defer { self.liveBytes = most }
        return self.liveBytes - most
    }

    /// True if so many dead frames have unknown lengths that the live bytes have to be counted.
    ///
    /// A count reads the file, so it waits for a quarter of the frames, or for fewer that may have had as many bytes.
    func isCountStale(_ fileEnd: UInt64) -> Bool {
        self.estimated > 0
            && (3 * self.estimated > self.live
                || 15 * self.estimated > self.live && 4 * UInt64(self.estimated) * self.longest > fileEnd)
    }

    /// The bytes of the live frames, or fewer: dead frames of unknown length count as the longest.
    var leastLiveBytes: UInt64 {
        guard self.estimated > 0 else { return self.liveBytes }
        let unknown = UInt64(self.estimated) * (self.longest - self.shortest)
        return max(UInt64(self.live) * self.shortest, self.liveBytes - min(self.liveBytes, unknown))
    }

    /// Applies an exact count of the bytes that were live at some moment.
    ///
    /// - Parameters:
    ///   - bytes: The counted bytes.
    ///   - before: The frames at that moment; later changes are applied on top.
    mutating func recount(_ bytes: UInt64, of before: SegmentFrames) {
        let counted = bytes + self.liveBytes
        self.liveBytes = counted > before.liveBytes ? counted - before.liveBytes : 0
        self.estimated -= min(self.estimated, before.estimated)
    }

    /// The sequences of dead frames.
    var deadRanges: [ClosedRange<UInt64>] {
        var ranges: [ClosedRange<UInt64>] = []
        let count = self.index.count
        var first = self.dead.nextPresent(from: 0, limit: count)
        while first < count {
            let end = self.dead.nextMissing(from: first, limit: count)
            ranges.append(self.index.sequence(of: first)...self.index.sequence(of: end - 1))
            first = self.dead.nextPresent(from: end, limit: count)
        }
        return ranges
    }
}
