// SPDX-License-Identifier: Apache-2.0

/// The frames of one journal file: their places, the dead ones among them, and the bytes of the live ones.
struct SegmentFrames: Sendable {
    /// The places of the frames.
    private(set) var index = FrameIndex()

    /// The frames that are acknowledged, damaged or unfinished.
    private(set) var dead = FrameBits()

    /// The number of frames that are not dead.
    private(set) var live = 0

    /// The bytes of the live frames, each with those after it that are no frame.
    private(set) var liveBytes: UInt64 = 0

    /// The end of the last frame.
    private var end: UInt64 = 0

    /// Adds a frame that is in the file.
    @inline(__always)
    mutating func add(_ frame: JournalFrame, at offset: UInt64) {
        self.extendLast(to: offset)
        self.index.append(frame.sequence, at: offset)
        self.live += 1
        self.liveBytes += UInt64(frame.length)
        self.end = offset + UInt64(frame.length)
    }

    /// Adds a frame that is in the file, but dead.
    mutating func addDead(_ frame: JournalFrame, at offset: UInt64) {
        self.extendLast(to: offset)
        self.dead.insert(self.index.count)
        self.index.append(frame.sequence, at: offset)
        self.end = offset + UInt64(frame.length)
    }

    @inline(__always)
    private mutating func extendLast(to offset: UInt64) {
        guard offset != self.end, self.index.count > 0, !self.dead.contains(self.index.count - 1) else { return }
        self.liveBytes += offset - self.end
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

    /// Returns the length of a frame, with the bytes after it that are no frame.
    func length(of ordinal: Int) -> UInt64 {
        let end = ordinal + 1 < self.index.count ? self.index.offset(of: ordinal + 1) : self.end
        return end - self.index.offset(of: ordinal)
    }

    /// Marks a live frame as dead.
    ///
    /// - Returns: The decrease of `liveBytes`.
    mutating func drop(_ ordinal: Int) -> UInt64 {
        let bytes = self.length(of: ordinal)
        self.dead.insert(ordinal)
        self.live -= 1
        self.liveBytes -= bytes
        return bytes
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
