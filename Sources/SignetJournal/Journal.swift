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
/// Each append copies its bytes to the end of a mapped file, or writes them where files cannot be mapped; payloads are not
/// kept in memory, and about a byte a frame is. All calls are synchronous and may come from any thread. A frame whose
/// `append` returned is in the kernel: it survives the end of the process, however it ends. It survives a loss of power
/// once `sync` has returned. An acknowledgement that a crash took back shows the frame again: delivery is at least once.
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
    let options: Options
    let quarantine: Quarantine
    let state: Locked<State>
    /// Held by whoever flushes, compacts or removes files; `close` waits for it.
    let upkeep = Locked(false)
    private let lock: DirectoryLock

    /// Opens a journal, and makes the folder (0700) if it is missing.
    ///
    /// Reads every frame once.
    ///
    /// - Parameters:
    ///   - directory: The folder; it belongs to this journal, though a `StateLog` may live in it too.
    ///   - options: How frames are stored.
    ///   - disk: The system calls.
    /// - Throws: `locked` while another journal has the folder, `newerFormat` for files of a newer version, and what the
    ///   disk says. Damage is no error: see `recovery`.
    package init(directory: String, options: Options = Options(), disk: Disk = Disk()) throws(StorageError) {
        let folder = try Folder(path: directory, disk: disk)
        self.lock = try DirectoryLock(folder: folder, name: "journal.lock")
        var loader = try Loader(folder: folder)
        self.recovery = try loader.load()
        self.folder = folder
        self.options = options
        self.quarantine = loader.quarantine
        self.state = Locked(State(loader, options, folder: folder))
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

    /// Appends a frame whose payload is two pieces, one after the other.
    ///
    /// - Parameters:
    ///   - stamp: At most 1 KiB.
    ///   - payload: Its first piece.
    ///   - rest: Its second piece; less than 16 MiB together.
    /// - Returns: Its sequence, above all that were given before.
    /// - Throws: `limitReached` where the limit is to be kept by refusing, and what the disk says; then there is no such
    ///   frame.
    package func append(
        stamp: UnsafeRawBufferPointer,
        payload: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws(StorageError) -> UInt64 {
        guard stamp.count <= FrameHeader.keyLimit else {
            throw .tooLarge(self.folder.path, what: "stamp", bytes: stamp.count, limit: FrameHeader.keyLimit)
        }
        guard payload.count + rest.count <= FrameHeader.valueLimit else {
            let count = payload.count + rest.count
            throw .tooLarge(self.folder.path, what: "payload", bytes: count, limit: FrameHeader.valueLimit)
        }
        let (sequence, hasDropped) = try self.state.withLock { state throws(StorageError) in
            try state.append(stamp, payload, rest)
        }
        if hasDropped {
            do throws(StorageError) {
                try self.reclaim()
            } catch {
                // The frame is there, and room by count; the next acknowledgement frees the space on disk.
            }
        }
        return sequence
    }

    /// Appends a frame.
    ///
    /// - Parameters:
    ///   - stamp: At most 1 KiB.
    ///   - payload: Less than 16 MiB.
    /// - Returns: Its sequence, above all that were given before.
    /// - Throws: What the disk says; then there is no such frame.
    package func append(stamp: [UInt8], payload: [UInt8]) throws(StorageError) -> UInt64 {
        let result = stamp.withUnsafeBytes { stamp in
            payload.withUnsafeBytes { payload -> Result<UInt64, StorageError> in
                do throws(StorageError) {
                    return .success(try self.append(stamp: stamp, payload: payload))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
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
