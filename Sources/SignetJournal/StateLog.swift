//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

/// Records by key, of which the newest counts, in files that survive a crash.
///
/// Each change is one write to the end of a file; where the newest record of each key lies is kept in memory, the values
/// are not. All calls are synchronous and may come from any thread. A change that returned is in the kernel: it survives
/// the end of the process, however it ends. It survives a loss of power once `sync` has returned.
///
/// The page `FORMAT.md` beside this file describes the bytes.
package final class StateLog: Sendable {
    /// What a caller may choose.
    package struct Options: Sendable {
        /// A file of that many bytes is sealed, and the next one begun; files of a big log grow bigger.
        package var fileBytes = 32 << 20

        /// Below this many bytes of outdated records, compaction is not worth it.
        package var compactionBytes = 4 << 20

        /// The system calls.
        package var disk = Disk()

        /// The defaults.
        package init() {}
    }

    /// The file that is locked.
    static let lockName = "state.lock"

    /// The longest batch, in bytes of frames.
    package static let batchLimit = 256 << 20

    /// What was found when the log was opened.
    package let recovery: RecoveryReport

    let folder: Folder
    let options: Options
    let quarantine: Quarantine
    let state: Locked<State>
    /// Held by whoever flushes, so that flushes of many callers become few.
    let flushing = Locked(false)
    /// Held by whoever compacts; `close` waits for it.
    let compacting = Locked(false)
    let lock: DirectoryLock

    /// Opens a log, and makes the folder (0700) if it is missing.
    ///
    /// Reads every record once: about a second for a million of 300 bytes.
    ///
    /// - Parameters:
    ///   - directory: The folder; it belongs to this log, though a `Journal` may live in it too.
    ///   - options: Sizes and system calls.
    /// - Throws: `locked` while another log has the folder, `newerFormat` for files of a newer version, and what the disk
    ///   says. Damage is no error: see `recovery`.
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
    ///   - value: At most 16 MiB.
    ///   - key: At most 1 KiB.
    /// - Throws: What the disk says; then the key has its old value.
    package func put(_ value: [UInt8], for key: [UInt8]) throws(StorageError) {
        try self.check(key, value)
        let hash = KeyHash(key)
        try self.state.withLock { state throws(StorageError) in
            try state.put(CollectionOfOne((key: key, value: value)), CollectionOfOne(hash), self.options, self.folder)
        }
    }

    /// Sets the values of several keys in one write.
    ///
    /// A crash in the middle may keep the first records without the last ones, never the other way round.
    ///
    /// - Parameter records: Keys and values; of two with one key, the later counts.
    /// - Throws: What the disk says; then all keys have their old values.
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

    /// Takes the value of a key away; a key without a value costs nothing.
    ///
    /// It works on a full disk too, some thousand times.
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

    /// Makes all changes so far survive a loss of power.
    ///
    /// A flush that fails is not tried again on the same file, where it would seem to work: a copy of the file is written
    /// and flushed, and takes its place.
    ///
    /// If the folder was removed, everything is written to the one that has its path now, which is made if it is missing.
    ///
    /// - Throws: When that fails too. The changes stay readable; the next call begins with writing them again.
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

    /// Gives the folder free, without a flush.
    ///
    /// It waits for a running compaction to stop, which throws `closed`.
    ///
    /// Every later call throws `closed`, but the ones that throw nothing: they answer as for an empty log.
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
