// SPDX-License-Identifier: Apache-2.0

import SignetLock

// Due records: the runtime has work to do for them.
extension StateLog {
    /// The number of parts that `dueRecords(part:)` knows; all parts together have every due record once.
    package static let duePartCount = KeyIndex.partCount

    /// The number of due records.
    package var dueCount: Int {
        self.core.state.withLock { $0.dueCount }
    }

    /// True if a key has a value whose record is due; does not touch the disk.
    package func isDue(_ key: [UInt8]) -> Bool {
        let hash = KeyHash(key)
        return self.core.state.withLock { $0.index.find(hash)?.isDue == true }
    }

    /// Returns the due records of one part of the index, key and value, in the order of their places on disk.
    ///
    /// A key stays in its part as long as the log is open. Changes continue while the records are read; the result is as of
    /// the call. A record that is found damaged is copied to an aside file, counted in `damagedRecords`, and left out.
    ///
    /// - Parameter part: The part, from 0 up to `duePartCount`.
    /// - Returns: The records; none for a part that does not exist.
    /// - Throws: An error when the disk cannot be read.
    package func dueRecords(part: Int) throws(StorageError) -> [(key: [UInt8], value: [UInt8])] {
        // Only a reference is taken under the lock, and a change meanwhile copies no more than this part.
        guard let (part, files) = try self.core.withOpenState({ $0.duePart(part) }) else { return [] }
        var rest = part.due[...]
        var records: [(key: [UInt8], value: [UInt8])] = []
        records.reserveCapacity(rest.count)
        var buffer = ReadBuffer()
        while let first = rest.first {
            let run = Self.run(of: rest)
            rest = rest[run.endIndex...]
            guard let file = files[first.slot], let last = run.last else { continue }
            let count = Int(last.offset - first.offset) + last.length
            let bytes = try buffer.read(file.file, at: first.offset, count: count)
            for entry in run {
                let start = Int(entry.offset - first.offset)
                let end = min(bytes.count, start + entry.length)
                let frame = UnsafeRawBufferPointer(rebasing: bytes[min(start, end)..<end])
                guard let header = FrameHeader.sound(frame, salt: file.header.salt) else {
                    self.core.setAside(entry, of: file)
                    continue
                }
                records.append((Array(header.key(in: frame)), Array(header.value(in: frame))))
            }
        }
        return records
    }

    /// The first entries that are read at once: their records lie close together in one file.
    private static func run(of entries: ArraySlice<KeyIndex.Entry>) -> ArraySlice<KeyIndex.Entry> {
        guard let first = entries.first else { return entries }
        var end = first.offset
        return entries.prefix { entry in
            guard entry.slot == first.slot, entry.offset < end + Self.gapLimit else { return false }
            // The first record is read however long it is.
            guard entry.offset == first.offset || entry.offset - first.offset < Self.runLimit else { return false }
            end = entry.offset + UInt64(entry.length)
            return true
        }
    }

    /// Bytes between two records that are read with them rather than passed over by another call: about a page.
    private static let gapLimit: UInt64 = 4 << 10

    /// The longest way from the begin of a run to that of its last record.
    private static let runLimit: UInt64 = 1 << 20
}
