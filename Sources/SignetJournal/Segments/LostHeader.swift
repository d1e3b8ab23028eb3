// SPDX-License-Identifier: Apache-2.0

/// A journal file that has lost its header with its first page: it follows from the file's name and from its frames.
///
/// The number is in the name. Each checksum begins with the salt, so it can be counted back to it; the next frame
/// confirms it.
struct LostHeader {
    /// The header, with the first sequence that was found as its base.
    let header: FileHeader
    /// The number of lost bytes before the first frame that was found.
    let lostBytes: Int

    /// Finds the header; nil unless two sound frames follow one another.
    ///
    /// - Parameters:
    ///   - bytes: The bytes after the header.
    ///   - number: The file's number.
    init?(_ bytes: [UInt8], number: UInt64) {
        let found = bytes.withUnsafeBytes { Self.find($0) }
        guard let found else { return nil }
        self.header = FileHeader(kind: .journal, salt: found.salt, number: number, base: found.sequence)
        self.lostBytes = found.place
    }

    private static func find(_ bytes: UnsafeRawBufferPointer) -> (salt: UInt32, sequence: UInt64, place: Int)? {
        guard let first = bytes.baseAddress else { return nil }
        var place = 0
        while place + JournalFrame.size <= bytes.count {
            // Most places fail by their lengths and sequences, without a checksum.
            if let frame = self.frame(in: bytes, at: place), let next = self.frame(in: bytes, at: place + frame.length),
                next.sequence > frame.sequence, let salt = frame.salt(first + place), salt != 0
            {
                let seed = CRC32C(salt: salt)
                if frame.isSound(first + place, seed: seed), next.isSound(first + place + frame.length, seed: seed) {
                    return (salt, frame.sequence, place)
                }
            }
            place += 1
        }
        return nil
    }

    private static func frame(in bytes: UnsafeRawBufferPointer, at place: Int) -> JournalFrame? {
        guard let first = bytes.baseAddress, place + JournalFrame.size <= bytes.count else { return nil }
        let frame = JournalFrame(first + place)
        guard frame.sequence > 0, frame.sequence <= JournalFrame.sequenceLimit, frame.length <= bytes.count - place,
            !JournalFrame.isUnfinished(first + place)
        else { return nil }
        return frame
    }
}
