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
/// An append copies a frame into a file that is mapped into memory; nothing is kept per frame but a fraction of a byte. All
/// calls are synchronous and may come from any thread. A frame whose `append` returned is in the kernel: it survives the end
/// of the process, however it ends. It survives a loss of power once `sync` has returned. An acknowledgement that a crash
/// took back shows the frame again: delivery is at least once.
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

    /// The file that is locked.
    static let lockName = "journal.lock"

    /// What was found when the journal was opened.
    package let recovery: RecoveryReport

    let folder: Folder
    let options: Options
    let quarantine: Quarantine
    let state: Locked<State>
    /// Held by whoever flushes, compacts or removes files; `close` waits for it.
    let upkeep = Locked(false)
    /// The newest frame of those before.
    let openedAfter: UInt64
    let lock: DirectoryLock

    /// Opens a journal, and makes the folder (0700) if it is missing.
    ///
    /// Reads every frame once.
    ///
    /// - Parameters:
    ///   - directory: The folder; it belongs to this journal, though a `StateLog` may live in it too.
    ///   - options: How it uses the disk.
    /// - Throws: `locked` while another journal has the folder, `newerFormat` for files of a newer version, and what the
    ///   disk says. Damage is no error: see `recovery`.
    package convenience init(directory: String, options: Options = Options()) throws(StorageError) {
        try self.init(directory: directory, options: options, disk: Disk())
    }

    /// Opens a journal on a disk with faults.
    package init(directory: String, options: Options, disk: Disk) throws(StorageError) {
        let folder = try Folder(path: directory, disk: disk)
        self.lock = try DirectoryLock(folder: folder, name: Self.lockName)
        var loader = try Loader(folder: folder)
        self.recovery = try loader.load()
        loader.passOver(options.usedSequence)
        self.folder = folder
        self.openedAfter = loader.lastSequence
        self.options = options
        self.quarantine = loader.quarantine
        self.state = Locked(State(loader, options, folder))
        guard self.state.withLock({ $0.needsUpkeep }) else { return }
        do throws(StorageError) {
            try self.reclaim()
        } catch {
            // Space is not freed yet. The next acknowledgement tries again, and reports what the disk says.
        }
    }

    deinit {
        self.close()
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
