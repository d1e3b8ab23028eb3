// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Records by key in files that survive a crash; the newest record of a key counts.
///
/// Each change is one write to the end of a file. Memory holds the place of the newest record of each key, but no
/// values. All calls are synchronous and may come from any thread. A change that returned is in the kernel, so it
/// survives the end of the process, however it ends. It survives a power loss once `sync` has returned.
///
/// A change never waits for a flush. It waits for the file system where it begins a new file, which it makes itself: after
/// the start of a compaction, during the replacement of a file whose flush failed, and when a file is full. A removal on
/// a full disk also removes the spare file. If the folder was removed, `sync` opens or makes it while changes wait.
///
/// The page `FORMAT.md` in the folder above describes the bytes.
package final class StateLog: Sendable {
    /// The options of a log.
    package struct Options: Sendable {
        /// The length at which a file is sealed and the next one begun, in bytes; a large log has longer files.
        package var fileBytes = 32 << 20

        /// The bytes of outdated records below which compaction is not worth it.
        package var compactionBytes = 4 << 20

        /// The system calls.
        package var disk = Disk()

        /// Makes the default options.
        package init() {}
    }

    /// The findings of opening the log.
    package let recovery: RecoveryReport

    let core: StoreCore<StateLogState>
    /// Held during a flush, so that flushes of many callers become few.
    private let flushing = Locked(false)
    /// Held during a compaction; `close` waits for it.
    private let compacting = Locked(false)

    /// Opens a log, and makes the folder (0700) if it is missing.
    ///
    /// It reads every record once: about a second for a million records of 300 bytes.
    ///
    /// - Parameters:
    ///   - directory: The folder; it belongs to this log, though a `Journal` may share it.
    ///   - options: Sizes and system calls.
    /// - Throws: `locked` while another log has the folder, `newerFormat` or `olderFormat` for files of another version, and
    ///   the disk's error. Damage is no error: see `recovery`.
    package init(directory: String, options: Options = Options()) throws(StorageError) {
        let store = try StoreFolder(directory, name: "state", kinds: [.log, .snapshot], disk: options.disk)
        var loader = try StateLogLoader(store)
        self.recovery = try loader.load()
        self.core = StoreCore(store, StateLogState(loader, options))
    }

    deinit {
        self.close()
    }

    /// Sets the value of a key, without a mark of due work.
    ///
    /// - Parameters:
    ///   - value: The value, at most 16 MiB.
    ///   - key: The key, at most 1 KiB.
    /// - Throws: The disk's error; then the key keeps its old value.
    package func put(_ value: [UInt8], for key: [UInt8]) throws(StorageError) {
        try self.put(value, for: key, isDue: false)
    }

    /// Sets the value of a key, with or without a mark of due work, in one write.
    ///
    /// The mark belongs to the record: the next value of the key has its own, and a removal takes it away.
    ///
    /// - Parameters:
    ///   - value: The value, at most 16 MiB.
    ///   - key: The key, at most 1 KiB.
    ///   - isDue: True if the runtime has work to do for the record.
    /// - Throws: The disk's error; then the key keeps its old value and its old mark.
    package func put(_ value: [UInt8], for key: [UInt8], isDue: Bool) throws(StorageError) {
        try self.check(key, value)
        let hash = KeyHash(key)
        try self.core.withOpenState { state throws(StorageError) in
            try state.put(value, for: key, hash, isDue: isDue)
        }
    }

    /// Removes the value of a key; a key without a value costs nothing.
    ///
    /// It also works on a full disk, some thousand times.
    package func remove(_ key: [UInt8]) throws(StorageError) {
        let hash = KeyHash(key)
        try self.core.withOpenState { state throws(StorageError) in
            try state.remove(key, hash)
        }
    }

    private func check(_ key: [UInt8], _ value: [UInt8]) throws(StorageError) {
        guard key.count <= FrameHeader.keyLimit else {
            throw .tooLarge(self.core.folder.path, what: "key", bytes: key.count, limit: FrameHeader.keyLimit)
        }
        guard value.count <= FrameHeader.valueLimit else {
            throw .tooLarge(self.core.folder.path, what: "value", bytes: value.count, limit: FrameHeader.valueLimit)
        }
    }

    /// Makes all changes so far survive a power loss.
    ///
    /// A failed flush is not retried on the same file, where it would seem to work. Instead a copy of the file is
    /// written and flushed, and replaces it.
    ///
    /// If the folder was removed, all files are written to the folder that has its path now, which is made if it is
    /// missing.
    ///
    /// - Throws: An error when that fails too. The changes stay readable; the next call writes them again first.
    package func sync() throws(StorageError) {
        try self.flushing.withLock { _ throws(StorageError) in
            let plan = try self.core.withOpenState { state throws(StorageError) in
                if self.core.folder.isRemoved {
                    try self.core.store.reopen()
                    state.leaveFolder()
                }
                return state.flushPlan
            }
            let outcome = plan.perform(in: self.core.folder)
            self.core.state.withLock { $0.finish(outcome) }
            try self.core.replaceSuspects()
        }
    }

    /// Releases the folder, without a flush.
    ///
    /// It waits until a running compaction stops, which then throws `closed`.
    ///
    /// Every later call that can throw throws `closed`; the others behave as for an empty log.
    package func close() {
        self.core.state.withLock { $0.close() }
        self.compacting.withLock { _ in
            self.flushing.withLock { _ in
                self.core.state.withLock { $0.clear() }
            }
        }
        self.core.store.close()
    }

    /// Returns the value of a key.
    ///
    /// It reads only the value's record from disk, and compares its checksum.
    ///
    /// - Returns: The value; nil for a key without one.
    /// - Throws: `damagedRecord` when the bytes on disk have changed; they are copied to an aside file once.
    package func value(for key: [UInt8]) throws(StorageError) -> [UInt8]? {
        let hash = KeyHash(key)
        let place = try self.core.withOpenState { $0.find(hash) }
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
            self.core.setAside(entry, of: file)
            throw StorageError.damaged(file.file.path, at: entry.offset)
        }
        return value
    }

    /// True if a key has a value; does not touch the disk.
    package func contains(_ key: [UInt8]) -> Bool {
        let hash = KeyHash(key)
        return self.core.state.withLock { $0.index.find(hash) != nil }
    }

    /// Returns the place of a key's record; nil for a key without a value; does not touch the disk.
    ///
    /// A put and a compaction change it. As long as it stays, so does the value.
    package func place(of key: [UInt8]) -> RecordPlace? {
        let hash = KeyHash(key)
        return self.core.state.withLock { state in
            state.find(hash).map { RecordPlace(file: $0.file.header.number, offset: $0.entry.offset) }
        }
    }

    /// The number of keys with a value.
    package var count: Int {
        self.core.state.withLock { $0.index.count }
    }

    /// The number of records found damaged since the log was opened; those of the start are in `recovery`.
    package var damagedRecords: Int {
        self.core.state.withLock { $0.damagedRecords }
    }

    /// Returns the keys with a value that begin with a prefix, in no particular order.
    ///
    /// It reads every key with the same first byte from disk. Changes continue meanwhile; the result is as of the call.
    /// A record of these whose key is damaged is copied to an aside file, counted in `damagedRecords`, and left out.
    package func keys(withPrefix prefix: [UInt8]) throws(StorageError) -> [[UInt8]] {
        let (index, files) = try self.core.withOpenState { $0.view }
        var keys: [[UInt8]] = []
        var rest = index.entries { $0.hash.mayBegin(with: prefix) && $0.keyLength >= prefix.count }[...]
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
                    self.core.setAside(entry, of: file)
                    continue
                }
                if key.count == entry.keyLength { keys.append(key) }
            }
        }
        return keys
    }

    /// True if outdated records take so much more space than live ones that `compact` is worth its work.
    package var needsCompaction: Bool {
        self.core.state.withLock { $0.needsCompaction }
    }

    /// Writes the live records to a snapshot, and removes all files that it replaces.
    ///
    /// Afterwards the log's files contain no byte of a record that was outdated or removed before the call; aside files
    /// may have some. Changes and reads continue meanwhile. A crash at any moment leaves either the old files or the
    /// snapshot complete. A call during another call does nothing.
    ///
    /// A live record found damaged is copied to an aside file and counted in `damagedRecords`; the previous record
    /// becomes valid again, if there is one.
    ///
    /// - Throws: The disk's error, mostly `diskFull`: the snapshot needs the space of all live records. The old files
    ///   then stay in use.
    package func compact() throws(StorageError) {
        guard try self.core.withOpenState({ $0.beginCompaction() }) else { return }
        defer { self.core.state.withLock { $0.endCompaction() } }
        try self.compacting.withLock { _ throws(StorageError) in
            var compaction = try self.makeCompaction()
            try compaction.run()
        }
    }

    /// Returns a compaction, which seals the existing files; later changes go to a new one.
    package func makeCompaction() throws(StorageError) -> Compaction {
        try Compaction(self.core)
    }

    /// Removes all bytes from the files that do not belong to a live record, before it returns.
    ///
    /// It works like `compact`, but waits for a running one, and also removes the copies of damaged bytes, because
    /// their owner is unknown. A damaged record gives way to the previous one, which becomes valid again; check the
    /// records again afterwards.
    ///
    /// - Returns: The number of removed files with copies of damaged bytes.
    /// - Throws: The disk's error, mostly `diskFull`; the same call continues the work.
    package func erase() throws(StorageError) -> Int {
        try self.compacting.withLock { _ throws(StorageError) in
            var compaction = try self.makeCompaction()
            try compaction.run()
            return try self.core.store.eraseCopies { self.core.state.withLock { $0.nextNumbers } }
        }
    }
}
