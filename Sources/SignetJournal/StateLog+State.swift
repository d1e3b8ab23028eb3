// SPDX-License-Identifier: Apache-2.0

extension StateLog {
    /// The state that the log's lock protects.
    struct State: Sendable {
        var isClosed = false
        var isCompacting = false
        var index: KeyIndex
        var files: LogFileSet
        /// The number of records found damaged since the log was opened.
        var damagedRecords = 0
        private var nextSequence: UInt64
        private var spare: SpareFile
        /// The frames of one write; kept to save an allocation.
        private var buffer: [UInt8] = []

        init(_ loader: Loader, folder: Folder) {
            self.index = loader.index
            self.files = loader.files
            self.nextSequence = loader.lastSequence + 1
            self.spare = SpareFile(folder: folder, name: "state.spare")
            self.spare.hold()
        }

        var lastSequence: UInt64 { self.nextSequence - 1 }

        func checkOpen(_ folder: Folder) throws(StorageError) {
            if self.isClosed { throw .closed(folder.path) }
        }

        /// Releases all files and records.
        mutating func clear(_ folder: Folder) {
            self.isClosed = true
            self.index = KeyIndex()
            self.files = LogFileSet(kind: .log, folder: folder, nextNumber: self.files.nextNumber)
        }

        /// Adapts to a new folder that contains none of the files; all of them are open, and are written to it.
        mutating func move(to folder: Folder) {
            self.files.seal()
            for slot in self.files.used { self.files.slots[slot]?.isSuspect = true }
            self.spare = SpareFile(folder: folder, name: "state.spare")
            self.spare.hold()
        }

        /// Tries to hold the spare space again.
        mutating func holdSpare() {
            self.spare.hold()
        }

        /// The length at which a file is full; it grows with the log, so that a large log does not have too many files.
        private func limit(_ options: Options) -> UInt64 {
            max(UInt64(max(0, options.fileBytes)), self.index.frameBytes / 8)
        }

        mutating func put(
            _ records: some Collection<(key: [UInt8], value: [UInt8])>,
            _ hashes: some Collection<KeyHash>,
            _ options: Options,
            _ folder: Folder
        ) throws(StorageError) {
            try self.checkOpen(folder)
            let (slot, salt) = try self.files.writable(limit: self.limit(options), base: self.nextSequence)
            defer { self.emptyBuffer() }
            for (index, record) in records.enumerated() {
                self.encode(.put, self.nextSequence + UInt64(index), record.key, record.value, salt)
            }
            var offset = try self.files.append(self.buffer, frames: records.count, to: slot)
            self.nextSequence += UInt64(records.count)
            for (record, hash) in zip(records, hashes) {
                let entry = KeyIndex.Entry(
                    hash: hash,
                    slot: slot,
                    offset: offset,
                    keyLength: record.key.count,
                    valueLength: record.value.count
                )
                self.index.put(entry)
                offset += UInt64(entry.length)
            }
        }

        mutating func remove(
            _ key: [UInt8],
            _ hash: KeyHash,
            _ options: Options,
            _ folder: Folder
        ) throws(StorageError) {
            try self.checkOpen(folder)
            guard self.index.find(hash) != nil else { return }
            do throws(StorageError) {
                try self.appendRemoval(of: key, options)
            } catch {
                guard error.code == .diskFull, self.spare.release() else { throw error }
                try self.appendRemoval(of: key, options)
            }
            self.index.remove(hash)
        }

        private mutating func appendRemoval(of key: [UInt8], _ options: Options) throws(StorageError) {
            let (slot, salt) = try self.files.writable(limit: self.limit(options), base: self.nextSequence)
            defer { self.emptyBuffer() }
            self.encode(.remove, self.nextSequence, key, [], salt)
            _ = try self.files.append(self.buffer, frames: 1, to: slot)
            self.nextSequence += 1
        }

        private mutating func encode(
            _ kind: FrameHeader.Kind,
            _ sequence: UInt64,
            _ key: [UInt8],
            _ value: [UInt8],
            _ salt: UInt32
        ) {
            key.withUnsafeBytes { key in
                value.withUnsafeBytes { value in
                    FrameHeader.encode(kind, sequence: sequence, key: key, value: value, salt: salt, to: &self.buffer)
                }
            }
        }

        private mutating func emptyBuffer() {
            if self.buffer.capacity > 1 << 20 {
                self.buffer = []
            } else {
                self.buffer.removeAll(keepingCapacity: true)
            }
        }
    }
}
