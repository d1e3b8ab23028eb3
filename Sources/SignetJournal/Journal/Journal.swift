// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Numbered frames in the order of their appends, each kept until it is acknowledged.
///
/// An append copies a frame into a file that is mapped into memory; a frame takes four bytes and a bit of memory. All
/// calls are synchronous and may come from any thread. A frame whose `append` returned is in the kernel, so it survives
/// the end of the process, however it ends. It survives a power loss once `sync` has returned. If a crash undoes an
/// acknowledgement, the frame is shown again: delivery is at least once.
///
/// The page `FORMAT.md` in the folder above describes the bytes.
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

    /// The findings of opening the journal.
    package let recovery: RecoveryReport

    private let core: StoreCore<JournalState>
    private let reader: JournalReader
    private let upkeep: JournalUpkeep
    private let aside: JournalAside
    /// The sequences that were acknowledged before the journal was opened.
    private let acknowledgedBefore: SequenceRanges
    /// The newest sequence before the journal was opened.
    private let openedAfter: UInt64

    /// Opens a journal, and makes the folder (0700) if it is missing.
    ///
    /// It reads every frame once.
    ///
    /// - Parameters:
    ///   - directory: The folder; it belongs to this journal, though a `StateLog` may share it.
    ///   - options: The disk use of the journal.
    /// - Throws: `locked` while another journal has the folder, `newerFormat` or `olderFormat` for files of
    ///   another version, and the disk's error. Damage is no error: see `recovery`.
    package convenience init(directory: String, options: Options = Options()) throws(StorageError) {
        try self.init(directory: directory, options: options, disk: Disk())
    }

    /// Opens a journal on a disk with faults.
    package init(directory: String, options: Options, disk: Disk) throws(StorageError) {
        let kinds: [FileHeader.Kind] = [.journal, .acknowledgements]
        let store = try StoreFolder(directory, name: "journal", kinds: kinds, disk: disk)
        var loader = try JournalLoader(store)
        self.recovery = try loader.load()
        loader.passOver(options.usedSequence)
        self.openedAfter = loader.lastSequence
        self.acknowledgedBefore = loader.acknowledged
        self.core = StoreCore(store, JournalState(loader, options, store.folder))
        self.reader = JournalReader(self.core)
        self.upkeep = JournalUpkeep(self.core, self.reader)
        self.aside = JournalAside(self.upkeep, options.aside)
        if self.core.state.withLock({ $0.segments.needsUpkeep }) { self.aside.reclaimAside() }
    }

    deinit {
        self.close()
    }

    /// Appends a frame with a payload in two pieces, one after the other.
    ///
    /// The call waits for the file system only where it makes a new file itself: with `Options.aside` the first one, and
    /// one that was not prepared in time. It never waits for a flush.
    ///
    /// - Parameters:
    ///   - stamp: The stamp, at most 255 bytes.
    ///   - payload: The first piece of the payload.
    ///   - rest: The second piece; both together are less than 16 MiB.
    /// - Returns: The frame's sequence, above all earlier ones.
    /// - Throws: `limitReached` at the byte limit, and the disk's error; then the frame was not appended.
    package func append(
        stamp: UnsafeRawBufferPointer,
        payload: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws(StorageError) -> UInt64 {
        guard stamp.count <= JournalFrame.stampLimit else {
            throw .tooLarge(self.core.folder.path, what: "stamp", bytes: stamp.count, limit: JournalFrame.stampLimit)
        }
        let count = payload.count + rest.count
        guard count <= JournalFrame.payloadLimit else {
            throw .tooLarge(self.core.folder.path, what: "payload", bytes: count, limit: JournalFrame.payloadLimit)
        }
        let outcome = try self.core.withOpenState { state throws(StorageError) -> Appended in
            var frame = JournalFrame(sequence: 0, stampLength: stamp.count, payloadLength: count)
            if !state.hasRoom(frame.length) { try state.makeRoom(frame.length, self.core) }
            try state.write(&frame, stamp, payload, rest, self.core.folder)
            return Appended(sequence: frame.sequence, retired: state.takeRetired(), hasWork: state.takeWork())
        }
        if outcome.hasWork { self.aside.reclaimAside() }
        return outcome.sequence
    }

    /// Appends a frame.
    ///
    /// - Parameters:
    ///   - stamp: The stamp, at most 255 bytes.
    ///   - payload: The payload, less than 16 MiB.
    /// - Returns: The frame's sequence, above all earlier ones.
    /// - Throws: `limitReached` at the byte limit, and the disk's error; then the frame was not appended.
    package func append(stamp: [UInt8], payload: [UInt8]) throws(StorageError) -> UInt64 {
        try stamp.withUnsafeBufferPointer { stamp throws(StorageError) in
            try payload.withUnsafeBufferPointer { payload throws(StorageError) in
                try self.append(stamp: UnsafeRawBufferPointer(stamp), payload: UnsafeRawBufferPointer(payload))
            }
        }
    }

    /// The result of an append, with work left to do outside the lock.
    private struct Appended {
        var sequence: UInt64
        /// A mapping that ends here; unmapping takes longer than a caller should wait for the lock.
        var retired: FileMapping?
        /// True if frames were dropped to make room, or a file was begun or is half full.
        var hasWork: Bool
    }

    /// Visits the frames that are not acknowledged, oldest first, without reading their payloads.
    ///
    /// The journal's lock is not held while the body runs. Damage that costs frames is copied to an aside file and
    /// counted in `damagedFrames`; damaged payloads are not detected here.
    ///
    /// - Parameters:
    ///   - sequence: The sequence above which frames are visited; 0 for all.
    ///   - limit: The maximum number of frames.
    ///   - body: Gets the sequence, the stamp and the length of the payload; the bytes are invalid after it returns.
    /// - Returns: The sequence of the last visited frame; nil if there was none.
    /// - Throws: `closed`, or an error when the disk cannot be read.
    package func visit(
        after sequence: UInt64,
        limit: Int,
        _ body: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer, _ payloadCount: Int) -> Void
    ) throws(StorageError) -> UInt64? {
        try self.reader.visit(after: sequence, limit: limit, body)
    }

    /// Reads frames; acknowledged and damaged ones are skipped.
    ///
    /// The journal's lock is not held while the body runs. A damaged frame is copied to an aside file, counted in
    /// `damagedFrames` and left out for good, so that it does not block the frames after it.
    ///
    /// - Parameters:
    ///   - sequences: The sequences of the frames, ascending.
    ///   - body: Gets the sequence, the stamp and the payload; the bytes are invalid after it returns.
    /// - Throws: `closed`, or an error when the disk cannot be read.
    package func read(
        _ sequences: [UInt64],
        _ body: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) {
        try self.reader.read(sequences, body)
    }

    /// Counts frames that were lost before the journal was opened: a file was removed, or its bytes are damaged.
    ///
    /// - Parameter sequences: Sequences of earlier processes; none that was acknowledged since.
    /// - Returns: The number of those that have no frame, although nothing had acknowledged it.
    package func countMissing(_ sequences: [UInt64]) -> Int {
        self.core.state.withLock { state in
            sequences.count { !state.segments.contains($0) && !self.acknowledgedBefore.contains($0) }
        }
    }

    /// Returns frames that are not acknowledged, in order.
    ///
    /// A damaged frame is copied to an aside file, counted in `damagedFrames` and left out for good, so that it does
    /// not block the frames after it.
    ///
    /// - Parameters:
    ///   - sequence: The sequence above which frames are returned; 0 for all.
    ///   - limit: The maximum number of frames.
    /// - Returns: The frames; fewer than `limit` only if there are no more.
    /// - Throws: `closed`, or an error when the disk cannot be read.
    package func frames(after sequence: UInt64, limit: Int) throws(StorageError) -> [Frame] {
        var frames: [Frame] = []
        var last = sequence
        while frames.count < limit {
            var sequences: [UInt64] = []
            let end = try self.visit(after: last, limit: limit - frames.count) { sequence, _, _ in
                sequences.append(sequence)
            }
            guard let end else { break }
            try self.read(sequences) { sequence, stamp, payload in
                frames.append(Frame(sequence: sequence, stamp: Array(stamp), payload: Array(payload)))
            }
            last = end
        }
        return frames
    }

    /// Acknowledges frames, which are then never shown again, even after a restart.
    ///
    /// It also works on a full disk. A file whose frames are all acknowledged is removed once no more frames go to it.
    /// Acknowledgements survive a power loss before that removal. Files with few live frames are compacted.
    ///
    /// The call waits for the file system only where it begins a file for acknowledgements: the first one after a start,
    /// and one during the replacement of a file whose flush failed. Without `Options.aside` it also does the upkeep.
    ///
    /// - Parameter sequences: The sequences in any order; unknown or already acknowledged ones are skipped.
    /// - Throws: The disk's error. If no acknowledgement could be written, the frames are live as before. If only a
    ///   file could not be removed, they are acknowledged, and the next call removes the file.
    package func acknowledge(_ sequences: [UInt64]) throws(StorageError) {
        let needsUpkeep = try self.core.withOpenState { state throws(StorageError) in
            try state.acknowledge(sequences) > 0 && state.needsUpkeep
        }
        if needsUpkeep { try self.aside.reclaim() }
    }

    /// Makes all frames and acknowledgements so far survive a power loss.
    ///
    /// Callers that arrive during a flush wait for it, and one of them then flushes for all. A failed flush is not
    /// retried on the same file, where it would seem to work. Instead the bytes are written to a new file, which is
    /// flushed and replaces the old one.
    ///
    /// - Throws: An error when that fails too. The frames stay readable; the next call writes them again first.
    package func sync() throws(StorageError) {
        guard try self.upkeep.sync() else { return }
        if self.core.state.withLock({ $0.segments.needsUpkeep }) { self.aside.reclaimAside() }
    }

    /// Does the work that appends leave.
    ///
    /// It removes unneeded files, compacts, flushes files held open for that, and rewrites files that lost their folder
    /// or failed to flush.
    ///
    /// Acknowledging and `sync` do the same. A journal that only appends and drops the oldest frames needs this call
    /// now and then, for example each second. It returns at once when there is nothing to do.
    ///
    /// - Throws: The disk's error; the next call tries all steps again.
    package func maintain() throws(StorageError) {
        try self.upkeep.maintain()
    }

    /// Acknowledges frames and removes their bytes from all files before it returns.
    ///
    /// Every file that holds such a frame in any state, or bytes of unknown origin, is rewritten without them. The
    /// rewrite follows the rules of a compaction: the copy is flushed and named before the old file goes. All copies of
    /// damaged bytes are removed too, because their owner is unknown. Appends and reads continue meanwhile; frames
    /// appended after the call are not considered.
    ///
    /// A crash at any moment leaves each file either unchanged or without such frames; the same call finishes the work.
    ///
    /// - Parameters:
    ///   - isWanted: Returns true for a frame to erase, by its sequence and stamp. It runs while no other call can
    ///     compact or flush, so it must not call the journal; nor may the other closures.
    ///   - changing: Returns a replacement for the payload of a frame that stays, of the same length; nil to keep it.
    ///   - letGo: Called once with the number of live frames erased, even if the call throws afterwards.
    /// - Returns: The counts of the erasure.
    /// - Throws: The disk's error, mostly `diskFull`: a copy needs the space of the live frames of one file. `closed`
    ///   if `close` came meanwhile. Some frames may then be erased already, and the same call continues with the others.
    package func erase(
        where isWanted: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer) -> Bool,
        changing: (_ payload: UnsafeRawBufferPointer) -> [UInt8]? = { _ in nil },
        letGo: (_ live: Int) -> Void = { _ in }
    ) throws(StorageError) -> Erasure {
        try self.upkeep.erase(where: isWanted, changing: changing, letGo: letGo)
    }

    /// The counts of an erasure.
    package struct Erasure: Sendable, Equatable {
        /// The number of live frames erased.
        package var live: Int
        /// The number of all frames erased, including acknowledged ones that still lay in a file.
        package var frames: Int
        /// The number of removed files with copies of damaged bytes.
        package var copies: Int

        /// Makes an erasure from counts, zero by default.
        package init(live: Int = 0, frames: Int = 0, copies: Int = 0) {
            self.live = live
            self.frames = frames
            self.copies = copies
        }
    }

    /// Releases the folder, without a flush.
    ///
    /// It waits for upkeep that runs, and lets it and an erasure end early. Of upkeep that waits, it does what needs no
    /// flush: it cuts full files, and removes unneeded ones if all acknowledgements were flushed before.
    ///
    /// Every later call that can throw throws `closed`; the others behave as for an empty journal.
    ///
    /// - Returns: The exact number of frames that stay: none is appended or acknowledged after the count. 0 when the
    ///   journal was already closed.
    @discardableResult
    package func close() -> Int {
        let liveCount = self.core.state.withLock { state in
            state.close()
            return state.segments.liveCount
        }
        self.aside.close()
        defer { self.core.store.close() }
        self.upkeep.close()
        return liveCount
    }

    /// The number of frames that are not acknowledged.
    package var liveCount: Int {
        self.core.state.withLock { $0.segments.liveCount }
    }

    /// The bytes of the frames that are not acknowledged.
    package var liveBytes: UInt64 {
        self.core.state.withLock { $0.segments.liveBytes }
    }

    /// The bytes of the journal's files, including space reserved for the next frames.
    package var diskBytes: UInt64 {
        self.core.state.withLock { $0.diskBytes }
    }

    /// The sequence of the newest frame ever appended, acknowledged or not; 0 before the first.
    package var lastSequence: UInt64 {
        self.core.state.withLock { $0.lastSequence }
    }

    /// The number of frames appended since the journal was opened.
    package var appendedCount: Int {
        Int(self.lastSequence - self.openedAfter)
    }

    /// The number of frames found damaged since the journal was opened; those of the start are in `recovery`.
    package var damagedFrames: Int {
        self.core.state.withLock { $0.damagedFrames }
    }

    /// The number of frames dropped at the byte limit since the journal was opened.
    package var droppedFrames: Int {
        self.core.state.withLock { $0.droppedFrames }
    }

    /// The sequence up to which all frames survive a power loss.
    package var syncedSequence: UInt64 {
        self.core.state.withLock { $0.synced.sequence }
    }

    /// The number of file flushes since the journal was opened.
    package var syncCount: Int {
        self.core.state.withLock { $0.syncCount }
    }
}
