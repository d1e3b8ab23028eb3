// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Records by key in files that survive a crash; the newest record of a key counts.
///
/// Each change is one write to the end of a file. Memory holds the place of the newest record of each key, but no
/// values. All calls are synchronous and may come from any thread. A change that returned is in the kernel, so it
/// survives the end of the process, however it ends. It survives a power loss once `sync` has returned.
///
/// The page `FORMAT.md` beside this file describes the bytes.
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

    static let lockName = "state.lock"

    /// The maximum length of a batch, in bytes of frames.
    package static let batchLimit = 256 << 20

    /// The findings of opening the log.
    package let recovery: RecoveryReport

    let folder: Folder
    let options: Options
    let quarantine: Quarantine
    let state: Locked<State>
    /// Held during a flush, so that flushes of many callers become few.
    let flushing = Locked(false)
    /// Held during a compaction; `close` waits for it.
    let compacting = Locked(false)
    let lock: DirectoryLock

    /// Opens a log, and makes the folder (0700) if it is missing.
    ///
    /// It reads every record once: about a second for a million records of 300 bytes.
    ///
    /// - Parameters:
    ///   - directory: The folder; it belongs to this log, though a `Journal` may share it.
    ///   - options: Sizes and system calls.
    /// - Throws: `locked` while another log has the folder, `newerFormat` for files of a newer version, and the disk's
    ///   error. Damage is no error: see `recovery`.
    package init(directory: String, options: Options = Options()) throws(StorageError) {
        let folder = try Folder(path: directory, disk: options.disk)
        self.lock = try DirectoryLock(folder: folder, name: Self.lockName)
        var loader = try Loader(folder: folder)
        self.recovery = try loader.load()
        self.folder = folder
        self.options = options
        self.quarantine = loader.quarantine
        self.state = Locked(State(loader, folder: folder))
    }

    deinit {
        self.close()
    }

    /// Sets the value of a key.
    ///
    /// - Parameters:
    ///   - value: The value, at most 16 MiB.
    ///   - key: The key, at most 1 KiB.
    /// - Throws: The disk's error; then the key keeps its old value.
    package func put(_ value: [UInt8], for key: [UInt8]) throws(StorageError) {
        try self.check(key, value)
        let hash = KeyHash(key)
        try self.state.withLock { state throws(StorageError) in
            try state.put(CollectionOfOne((key: key, value: value)), CollectionOfOne(hash), self.options, self.folder)
        }
    }

    /// Sets the values of several keys in one write.
    ///
    /// A crash in the middle may keep the first records without the last ones, never the reverse.
    ///
    /// - Parameter records: Keys and values; of two with the same key, the later counts.
    /// - Throws: The disk's error; then all keys keep their old values.
    package func put(_ records: [(key: [UInt8], value: [UInt8])]) throws(StorageError) {
        guard !records.isEmpty else { return }
        var bytes = 0
        for record in records {
            try self.check(record.key, record.value)
            bytes += FrameHeader.size + record.key.count + record.value.count
        }
        guard bytes <= Self.batchLimit else {
            throw .tooLarge(self.folder.path, what: "batch", bytes: bytes, limit: Self.batchLimit)
        }
        let hashes = records.map { KeyHash($0.key) }
        try self.state.withLock { state throws(StorageError) in
            try state.put(records, hashes, self.options, self.folder)
        }
    }

    /// Removes the value of a key; a key without a value costs nothing.
    ///
    /// It also works on a full disk, some thousand times.
    package func remove(_ key: [UInt8]) throws(StorageError) {
        let hash = KeyHash(key)
        try self.state.withLock { state throws(StorageError) in
            try state.remove(key, hash, self.options, self.folder)
        }
    }

    private func check(_ key: [UInt8], _ value: [UInt8]) throws(StorageError) {
        guard key.count <= FrameHeader.keyLimit else {
            throw .tooLarge(self.folder.path, what: "key", bytes: key.count, limit: FrameHeader.keyLimit)
        }
        guard value.count <= FrameHeader.valueLimit else {
            throw .tooLarge(self.folder.path, what: "value", bytes: value.count, limit: FrameHeader.valueLimit)
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
            let plan = try self.state.withLock { state throws(StorageError) in
                try state.checkOpen(self.folder)
                if self.folder.isRemoved { try self.reopen(&state) }
                return state.files.flushPlan
            }
            let outcome = plan.perform(self.folder)
            try self.state.withLock { state throws(StorageError) in
                try state.files.finish(plan, outcome)
            }
        }
    }

    /// Releases the folder, without a flush.
    ///
    /// It waits until a running compaction stops, which then throws `closed`.
    ///
    /// Every later call that can throw throws `closed`; the others behave as for an empty log.
    package func close() {
        self.state.withLock { $0.isClosed = true }
        self.compacting.withLock { _ in
            self.flushing.withLock { _ in
                self.state.withLock { $0.clear(self.folder) }
            }
        }
        self.lock.close()
    }
}
