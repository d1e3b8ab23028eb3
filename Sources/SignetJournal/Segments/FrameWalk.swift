// SPDX-License-Identifier: Apache-2.0

/// Walks through the frames of a journal's bytes, past damaged and unfinished ones.
struct FrameWalk {
    /// The content at a place.
    enum Finding: Equatable {
        /// A sound header and stamp; the payload was not checked.
        case frame(JournalFrame, at: Int)
        /// A sound header and stamp whose frame was never finished.
        case unfinished(JournalFrame, at: Int)
        /// Bytes that are no frame, followed by a sound one.
        case hole(Range<Int>, isUnfinished: Bool)
        /// Bytes that are no frame, not followed by any.
        case tail(Range<Int>)
        /// The end of the written bytes.
        case end
    }

    /// The sequence of the newest frame that was found.
    private(set) var last: UInt64

    /// The offset at which the next frame is expected.
    private(set) var position: Int

    private let bytes: UnsafeRawBufferPointer
    private let seed: CRC32C
    private let highest: UInt64
    /// The end of the bytes other than zero, once no frame was found at a place before or at it.
    private(set) var written: Int?

    /// Starts at the first byte.
    ///
    /// - Parameters:
    ///   - bytes: The bytes from the place of a frame on.
    ///   - seed: The checksum of the file's salt.
    ///   - last: The sequence before those that count; frames up to it are skipped silently.
    ///   - highest: The highest sequence that can occur.
    init(_ bytes: UnsafeRawBufferPointer, seed: CRC32C, after last: UInt64, upTo highest: UInt64) {
        self.bytes = bytes
        self.seed = seed
        self.last = last
        self.highest = highest
        self.position = 0
    }

    /// Returns the next finding; after `tail` and `end` always `end`.
    @inline(__always)
    mutating func next() -> Finding {
        while let place = self.frame(at: self.position) {
            let here = self.position
            self.position += place.frame.length
            guard place.frame.sequence > self.last else { continue }
            self.last = place.frame.sequence
            if JournalFrame.isUnfinished(place.start) { return .unfinished(place.frame, at: here) }
            return .frame(place.frame, at: here)
        }
        return self.pass()
    }

    /// Returns the finding at a place without a header.
    private mutating func pass() -> Finding {
        let here = self.position
        let written = self.written ?? self.findEnd()
        self.written = written
        guard here < written else {
            self.position = self.bytes.count
            return .end
        }
        var candidate = here + 1
        while candidate + JournalFrame.size <= self.bytes.count {
            if let place = self.frame(at: candidate), place.frame.sequence > self.last,
                !JournalFrame.isUnfinished(place.start), place.frame.isSound(place.start, seed: self.seed)
            {
                self.position = candidate
                return .hole(here..<candidate, isUnfinished: self.isUnfinished(at: here))
            }
            candidate += 1
        }
        self.position = self.bytes.count
        return .tail(here..<written)
    }

    private func isUnfinished(at offset: Int) -> Bool {
        guard let start = self.bytes.baseAddress, offset + JournalFrame.size <= self.bytes.count else { return true }
        return JournalFrame.isUnfinished(start + offset)
    }

    @inline(__always)
    private func frame(at offset: Int) -> (frame: JournalFrame, start: UnsafeRawPointer)? {
        guard let first = self.bytes.baseAddress, offset + JournalFrame.size <= self.bytes.count else { return nil }
        let frame = JournalFrame(first + offset)
        guard frame.sequence > 0, frame.sequence <= self.highest, frame.length <= self.bytes.count - offset,
            frame.checkedStamp(first + offset, seed: self.seed) != nil
        else { return nil }
        return (frame, first + offset)
    }

    /// Returns the end of the bytes other than zero; reserved space that was never used is zero.
    private func findEnd() -> Int {
        var end = self.bytes.count
        while end - self.position >= 8, self.bytes.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self) == 0 {
            end -= 8
        }
        while end > self.position, self.bytes[end - 1] == 0 {
            end -= 1
        }
        return end
    }
}
