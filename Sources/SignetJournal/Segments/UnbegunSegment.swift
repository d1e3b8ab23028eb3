// SPDX-License-Identifier: Apache-2.0

/// A journal file whose header has no base: it was prepared, and as far as its header tells, never begun.
///
/// A power loss can keep frames of a file and lose the header that was written again before them.
enum UnbegunSegment {
    /// Finds the base that the header should have.
    ///
    /// - Parameters:
    ///   - bytes: The bytes after the header.
    ///   - salt: The file's salt.
    /// - Returns: The sequence of the first frame that is left; nil if none is sound.
    static func base(_ bytes: [UInt8], salt: UInt32) -> UInt64? {
        let seed = CRC32C(salt: salt)
        return bytes.withUnsafeBytes { bytes in
            guard let (sound, place) = self.firstSound(bytes, seed) else { return nil }
            // A frame before it that lost only its payload belongs to the file too, so that it is counted. So few
            // frames fit before the sound one that no other bytes pass for one.
            let before = UnsafeRawBufferPointer(rebasing: bytes[..<(place + sound.length)])
            let fitting = UInt64(place / JournalFrame.size)
            let least = sound.sequence > fitting ? sound.sequence - fitting : 1
            var walk = FrameWalk(before, seed: seed, after: least - 1, upTo: sound.sequence)
            while true {
                switch walk.next() {
                case .frame(let frame, _), .unfinished(let frame, _): return frame.sequence
                case .hole: continue
                case .tail, .end: return sound.sequence
                }
            }
        }
    }

    /// Returns the first frame of which each byte is sound, and its place.
    private static func firstSound(_ bytes: UnsafeRawBufferPointer, _ seed: CRC32C) -> (JournalFrame, at: Int)? {
        guard let first = bytes.baseAddress else { return nil }
        // A file that was not begun is all zeros.
        var end = bytes.count
        while end >= 8, bytes.loadUnaligned(fromByteOffset: end - 8, as: UInt64.self) == 0 { end -= 8 }
        var place = 0
        while place < end, place + JournalFrame.size <= bytes.count {
            let frame = JournalFrame(first + place)
            if frame.sequence > 0, frame.sequence <= JournalFrame.sequenceLimit, frame.length <= bytes.count - place,
                !JournalFrame.isUnfinished(first + place), frame.isSound(first + place, seed: seed)
            {
                return (frame, place)
            }
            place += 1
        }
        return nil
    }
}
