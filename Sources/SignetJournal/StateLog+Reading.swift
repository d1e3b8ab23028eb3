// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension StateLog {
    /// Returns the value of a key.
    ///
    /// It reads only the value's record from disk, and compares its checksum.
    ///
    /// - Returns: The value; nil for a key without one.
    /// - Throws: `damagedRecord` when the bytes on disk have changed; they are copied to an aside file once.
    package func value(for key: [UInt8]) throws(StorageError) -> [UInt8]? {
        let hash = KeyHash(key)
        let place = try self.state.withLock { state throws(StorageError) -> (KeyIndex.Entry, LogFile)? in
            try state.checkOpen(self.folder)
            guard let entry = state.index.find(hash), let file = state.files.slots[entry.slot] else { return nil }
            return (entry, file)
        }
        guard let (entry, file) = place else { return nil }
        let value = try file.readFrame(
            at: entry.offset,
            keyLength: entry.keyLength,
            valueLength: entry.valueLength
        ) { _, stored, value in
            // A different key may have the same hashes.
            stored.elementsEqual(key) ? Array(value) : nil
        }
        guard let value else {
            self.setAside(entry, of: file)
            throw StorageError.damaged(file.file.path, at: entry.offset)
        }
        return value
    }

    /// True if a key has a value; does not touch the disk.
    package func contains(_ key: [UInt8]) -> Bool {
        let hash = KeyHash(key)
        return self.state.withLock { $0.index.find(hash) != nil }
    }

    /// The number of keys with a value.
    package var count: Int {
        self.state.withLock { $0.index.count }
    }

    /// The memory of the index, in bytes.
    package var indexMemory: Int {
        self.state.withLock { $0.index.memory }
    }

    /// The number of records found damaged since the log was opened; those of the start are in `recovery`.
    package var damagedRecords: Int {
        self.state.withLock { $0.damagedRecords }
    }

    /// Returns the keys with a value that begin with a prefix, in no particular order.
    ///
    /// It reads every key from disk. Changes continue meanwhile; the result is as of the call. A record whose key is
    /// damaged is copied to an aside file, counted in `damagedRecords`, and left out.
    package func keys(withPrefix prefix: [UInt8]) throws(StorageError) -> [[UInt8]] {
        let (index, files) = try self.state.withLock { state throws(StorageError) in
            try state.checkOpen(self.folder)
            return (state.index, state.files.slots)
        }
        var keys: [[UInt8]] = []
        var rest = index.entries { $0.keyLength >= prefix.count }[...]
        while let slot = rest.first?.slot {
            let part = rest.prefix { $0.slot == slot }
            rest = rest[part.endIndex...]
            guard let file = files[slot] else { continue }
            var window = FileWindow(file.file, end: file.end)
            for entry in part {
                let count = FrameHeader.size + entry.keyLength
                let key = try window.bytes(at: entry.offset, count: count).map { bytes -> [UInt8]? in
                    guard let header = FrameHeader(bytes), header.keyLength == entry.keyLength,
                        header.checkedKey(bytes, salt: file.header.salt) != nil
                    else { return nil }
                    let key = bytes[FrameHeader.size...]
                    return key.starts(with: prefix) ? Array(key) : []
                }
                guard let key = key ?? nil else {
                    self.setAside(entry, of: file)
                    continue
                }
                if key.count == entry.keyLength { keys.append(key) }
            }
        }
        return keys
    }

    /// Keeps a copy of a damaged record, and counts it once.
    func setAside(_ entry: KeyIndex.Entry, of file: LogFile) {
        let range = entry.offset..<min(file.end, entry.offset + UInt64(entry.length))
        switch self.quarantine.keep(range, of: file, .damaged) {
        case .kept, .failed:
            self.state.withLock { $0.damagedRecords += 1 }
        case .keptAlready, .keptBefore:
            break
        }
    }
}
