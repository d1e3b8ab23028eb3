//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

/// Numbered frames in the order in which they were appended, kept until each was acknowledged.
///
/// Each append is one write to the end of a file; payloads are not kept in memory. All calls are synchronous and may come
/// from any thread. A frame whose `append` returned is in the kernel: it survives the end of the process, however it ends.
/// It survives a loss of power once `sync` has returned. An acknowledgement that a crash took back shows the frame again:
/// delivery is at least once.
///
/// The page `FORMAT.md` beside this file describes the bytes.
package final class Journal: Sendable {
    /// One entry.
    package struct Frame: Sendable, Equatable {
        /// Its number; the first is 1, none is given twice, and after a crash some may be passed over.
        package var sequence: UInt64
        /// A few bytes beside the payload.
        package var stamp: [UInt8]
        /// The bytes that were appended.
        package var payload: [UInt8]

        /// Makes an entry.
        package init(sequence: UInt64, stamp: [UInt8], payload: [UInt8]) {
            self.sequence = sequence
            self.stamp = stamp
            self.payload = payload
        }
    }

    /// What was found when the journal was opened.
    package let recovery: RecoveryReport

    let folder: Folder
    let segmentBytes: UInt64
    let quarantine: Quarantine
    let state: Locked<State>
    /// Held by whoever flushes or removes files; `close` waits for it.
    let upkeep = Locked(false)
    /// The newest frame of those before.
    let openedAfter: UInt64
    private let lock: DirectoryLock

    /// Opens a journal, and makes the folder (0700) if it is missing.
    ///
    /// Reads every frame once.
    ///
    /// - Parameters:
    ///   - directory: The folder; it belongs to this journal, though a `StateLog` may live in it too.
    ///   - segmentBytes: A file of that many bytes is sealed, and the next one begun. Files are removed as a whole.
    /// - Throws: `locked` while another journal has the folder, `newerFormat` for files of a newer version, and what the
    ///   disk says. Damage is no error: see `recovery`.
    package convenience init(directory: String, segmentBytes: Int = 8 << 20) throws(StorageError) {
        try self.init(directory: directory, segmentBytes: segmentBytes, disk: Disk())
    }

    /// Opens a journal on a disk with faults.
    package init(directory: String, segmentBytes: Int = 8 << 20, disk: Disk) throws(StorageError) {
        let folder = try Folder(path: directory, disk: disk)
        self.lock = try DirectoryLock(folder: folder, name: "journal.lock")
        var loader = try Loader(folder: folder)
        self.recovery = try loader.load()
        self.folder = folder
        self.openedAfter = loader.lastSequence
        self.segmentBytes = UInt64(max(0, segmentBytes))
        self.quarantine = loader.quarantine
        self.state = Locked(State(loader, folder: folder))
        guard self.state.withLock({ $0.hasRemovableFiles }) else { return }
        do throws(StorageError) {
            try self.reclaim()
        } catch {
            // Space is not freed yet. The next acknowledgement tries again, and reports what the disk says.
        }
    }

    deinit {
        self.close()
    }

    /// Appends a frame.
    ///
    /// - Parameters:
    ///   - stamp: At most 1 KiB.
    ///   - payload: At most 16 MiB.
    /// - Returns: Its sequence, above all that were given before.
    /// - Throws: What the disk says; then there is no such frame.
    package func append(stamp: [UInt8], payload: [UInt8]) throws(StorageError) -> UInt64 {
        guard stamp.count <= FrameHeader.keyLimit else {
            throw .tooLarge(self.folder.path, what: "stamp", bytes: stamp.count, limit: FrameHeader.keyLimit)
        }
        guard payload.count <= FrameHeader.valueLimit else {
            throw .tooLarge(self.folder.path, what: "payload", bytes: payload.count, limit: FrameHeader.valueLimit)
        }
        return try self.state.withLock { state throws(StorageError) in
            try state.append(stamp, payload, limit: self.segmentBytes, self.folder)
        }
    }

    /// How many frames are not acknowledged.
    package var liveCount: Int {
        self.state.withLock { $0.liveCount }
    }

    /// The number of the newest frame ever appended, acknowledged or not; 0 before the first.
    package var lastSequence: UInt64 {
        self.state.withLock { $0.lastSequence }
    }

    /// How many frames were found damaged since the journal was opened; those of the start are in `recovery`.
    package var damagedFrames: Int {
        self.state.withLock { $0.damagedFrames }
    }

    /// Makes all frames and acknowledgements so far survive a loss of power.
    ///
    /// A flush that fails is not tried again on the same file, where it would seem to work: a copy of the file is written
    /// and flushed, and takes its place.
    ///
    /// - Throws: When that fails too. The frames stay readable; the next call begins with writing them again.
    package func sync() throws(StorageError) {
        try self.upkeep.withLock { _ throws(StorageError) in
            let plans = try self.state.withLock { state throws(StorageError) in
                try state.checkOpen(self.folder)
                return (state.files.flushPlan, state.acknowledgements.flushPlan)
            }
            let outcomes = (plans.0.perform(self.folder), plans.1.perform(self.folder))
            try self.state.withLock { state throws(StorageError) in
                try state.files.finish(plans.0, outcomes.0)
                try state.acknowledgements.finish(plans.1, outcomes.1)
            }
        }
    }

    /// Gives the folder free, without a flush.
    ///
    /// Every later call throws `closed`, but the ones that throw nothing: they answer as for an empty journal.
    ///
    /// - Returns: How many frames stay, exactly: nothing is appended or acknowledged after they were counted. 0 when it was
    ///   closed before.
    @discardableResult
    package func close() -> Int {
        let liveCount = self.state.withLock { state in
            state.isClosed = true
            return state.liveCount
        }
        defer { self.lock.close() }
        self.upkeep.withLock { _ in
            self.state.withLock { $0.clear(self.folder) }
        }
        return liveCount
    }
}
