// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Numbered frames in the order of their appends, each kept until it is acknowledged.
///
/// An append copies a frame into a file that is mapped into memory; the memory per frame is a fraction of a byte. All
/// calls are synchronous and may come from any thread. A frame whose `append` returned is in the kernel, so it survives
/// the end of the process, however it ends. It survives a power loss once `sync` has returned. If a crash undoes an
/// acknowledgement, the frame is shown again: delivery is at least once.
///
/// The page `FORMAT.md` beside this file describes the bytes.
package final class Journal: Sendable {
    /// One entry of a journal.
    package struct Frame: Sendable, Equatable {
        /// The entry's sequence; the first is 1, none is assigned twice, and a crash may leave gaps.
        package var sequence: UInt64
        /// Up to 255 bytes beside the payload.
        package var stamp: [UInt8]
        /// The appended bytes.
        package var payload: [UInt8]

        /// Makes an entry.
        package init(sequence: UInt64, stamp: [UInt8], payload: [UInt8]) {
            self.sequence = sequence
            self.stamp = stamp
            self.payload = payload
        }
    }

    static let lockName = "journal.lock"

    /// The findings of opening the journal.
    package let recovery: RecoveryReport

    let folder: Folder
    let options: Options
    let quarantine: Quarantine
    let state: Locked<State>
    /// Held during flushes, compactions and removals of files; `close` waits for it.
    let upkeep = Locked(false)
    /// The newest sequence before the journal was opened.
    let openedAfter: UInt64
    let lock: DirectoryLock

    /// Opens a journal, and makes the folder (0700) if it is missing.
    ///
    /// It reads every frame once.
    ///
    /// - Parameters:
    ///   - directory: The folder; it belongs to this journal, though a `StateLog` may share it.
    ///   - options: The disk use of the journal.
    /// - Throws: `locked` while another journal has the folder, `newerFormat` for files of a newer version, and the
    ///   disk's error. Damage is no error: see `recovery`.
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
            // Space is not freed yet. The next acknowledgement tries again, and reports the disk's error.
        }
    }

    deinit {
        self.close()
    }

    /// Releases the folder, without a flush.
    ///
    /// Every later call that can throw throws `closed`; the others behave as for an empty journal.
    ///
    /// - Returns: The exact number of frames that stay: none is appended or acknowledged after the count. 0 when the
    ///   journal was already closed.
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
