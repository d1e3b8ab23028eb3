// SPDX-License-Identifier: Apache-2.0

/// The frames, files and counters of a journal.
struct JournalState: LogFileState {
    private enum Phase: Sendable {
        case open
        /// The folder was removed; the next append opens it again by its path.
        case folderGone
        case closed
    }

    /// The number of unneeded files left to the upkeep before an append that drops frames removes them.
    private static let deadFiles = 2

    let options: Journal.Options
    private let limitBytes: UInt64
    private var phase = Phase.open
    private(set) var segments: SegmentList
    private(set) var acknowledgements: AcknowledgementFiles
    private var policy: CompactionPolicy
    /// False once space cannot be reserved or files cannot be mapped.
    private(set) var canMap: Bool
    /// The file after the newest one.
    var next: NextSegment
    private var nextSequence: UInt64
    private(set) var nextNumber: UInt64
    private(set) var damagedFrames = 0
    private(set) var droppedFrames = 0
    /// A mapping that ends, once it is taken.
    private var retired: FileMapping?
    /// Names of unneeded files that are to be removed.
    private(set) var released: [String]
    /// The dead sequences of all files that are or were unneeded: of a frame that is missing they tell if it was acknowledged.
    private var releasedRanges: SequenceRanges
    /// The position that survives a power loss.
    private(set) var synced = Position()
    /// The number of file flushes.
    private(set) var syncCount = 0

    init(_ loader: JournalLoader, _ options: Journal.Options, _ folder: Folder) {
        self.options = options
        self.limitBytes = options.limitBytes ?? .max >> 1
        self.policy = CompactionPolicy(segmentSize: options.segmentSize)
        self.canMap = options.storage == .automatic && folder.canBeMapped
        let isAside = options.aside != nil
        self.segments = SegmentList(loader.segments, cutting: isAside ? .inUpkeep : .atSeal)
        self.next = NextSegment(isOn: isAside)
        self.acknowledgements = AcknowledgementFiles(loader.acknowledgements)
        self.nextSequence = loader.lastSequence + 1
        self.nextNumber = loader.nextNumber
        self.released = loader.released
        self.releasedRanges = loader.acknowledged
        let isUntidy = !self.released.isEmpty || self.segments.hasDeadSegments || self.segments.hasUncut
        if isUntidy || self.compactionSources != nil {
            self.segments.requestUpkeep()
        }
    }

    /// The sequence of the newest frame ever appended; 0 before the first.
    var lastSequence: UInt64 {
        self.nextSequence - 1
    }

    /// The bytes of all files, including reserved ones.
    var diskBytes: UInt64 {
        self.segments.diskBytes + self.next.bytes + self.acknowledgements.bytes
    }

    // MARK: - Closing

    var isClosed: Bool { self.phase == .closed }

    /// Refuses all further calls.
    mutating func close() {
        self.phase = .closed
    }

    /// Releases all files and frames.
    mutating func clear() {
        self.phase = .closed
        self.segments.clear()
        self.acknowledgements.clear()
    }

    // MARK: - Appending

    /// True if a frame of this length can be written right now.
    @inline(__always)
    func hasRoom(_ length: Int) -> Bool {
        self.segments.liveBytes + UInt64(length) <= self.limitBytes && self.segments.hasRoom(length)
    }

    /// Writes a frame, for which there must be room, with the next sequence.
    @inline(__always)
    mutating func write(
        _ frame: inout JournalFrame,
        _ stamp: UnsafeRawBufferPointer,
        _ payload: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer,
        _ folder: Folder
    ) throws(StorageError) {
        frame.sequence = self.nextSequence
        do throws(StorageError) {
            try self.segments.write(frame, stamp, payload, rest)
        } catch {
            if error.code == .directoryUnusable { self.leaveRemovedFile(folder) }
            throw error
        }
        self.nextSequence += 1
        self.next.noteEnd(self.segments.newestEnd)
    }

    /// Makes room for a frame, below the limit and in a file; if the folder was removed, in the one that has its path.
    mutating func makeRoom(_ length: Int, _ core: StoreCore<JournalState>) throws(StorageError) {
        if self.phase == .folderGone { try self.reopen(core.store) }
        do throws(StorageError) {
            try self.makeRoom(length, core.folder)
        } catch {
            if error.code == .directoryUnusable { self.phase = core.folder.isRemoved ? .folderGone : .open }
            throw error
        }
    }

    private mutating func makeRoom(_ length: Int, _ folder: Folder) throws(StorageError) {
        if self.segments.liveBytes + UInt64(length) > self.limitBytes {
            try self.makeRoomBelowLimit(UInt64(length), folder)
        }
        self.segments.cutLeftovers()
        if self.segments.hasRoom(length) { return }
        do throws(StorageError) {
            let prepared = self.beginPrepared(length)
            let segment = if let prepared { prepared } else { try self.makeSegment(length, folder) }
            self.retired = self.segments.begin(segment) ?? self.retired
            self.next.noteBegun(capacity: segment.capacity, isMapped: segment.mapping != nil)
        } catch {
            // A full file that is not mapped can grow further when no new one can be made.
            guard let newest = self.segments.newest, let file = newest.file else { throw error }
            guard try file.status().links > 0 else {
                self.leaveRemovedFile(folder)
                throw StorageError.removed(file.path)
            }
            guard newest.mapping == nil, newest.end + UInt64(length) <= self.options.growthLimit else { throw error }
            self.segments.grow(length)
        }
    }

    private mutating func makeSegment(_ length: Int, _ folder: Folder) throws(StorageError) -> JournalSegment {
        let header = FileHeader(
            kind: .journal,
            salt: .random(in: 1 ... .max),
            number: self.takeNumber(),
            base: self.nextSequence
        )
        let capacity = max(self.options.segmentSize, UInt64(FileHeader.size + length))
        var log = try LogFile.create(in: folder, header)
        var mapping: FileMapping?
        if self.canMap {
            do throws(StorageError) {
                self.canMap = try log.file.reserve(capacity)
                if self.canMap {
                    mapping = try log.file.map(capacity)
                    if mapping == nil { try log.file.truncate(to: UInt64(FileHeader.size)) }
                }
            } catch {
                folder.discard(log.name)
                throw error
            }
        }
        try log.finish(in: folder)
        return JournalSegment(begun: log, capacity: capacity, mapping: mapping, filled: log.end)
    }

    /// Begins the file that is prepared, if a frame of this length fits.
    private mutating func beginPrepared(_ length: Int) -> JournalSegment? {
        guard let prepared = self.next.take() else { return nil }
        do throws(StorageError) {
            if prepared.capacity >= UInt64(FileHeader.size + length), try prepared.isNamed {
                return try prepared.begin(base: self.nextSequence)
            }
        } catch {
            // The caller makes another one, and reports the disk's error.
        }
        // It is not begun later, because the files' numbers would not ascend with their bases.
        self.released.append(prepared.name)
        self.segments.requestUpkeep()
        return nil
    }

    /// Takes the number of a new file; none is used twice.
    mutating func takeNumber() -> UInt64 {
        defer { self.nextNumber += 1 }
        return self.nextNumber
    }

    /// Stops appending to a file that was removed from outside.
    private mutating func leaveRemovedFile(_ folder: Folder) {
        self.phase = folder.isRemoved ? .folderGone : .open
        self.segments.leaveNewest()
    }

    /// Continues in the folder that has the path of a removed one, or makes it.
    ///
    /// Open files still have their bytes; the next `sync` or `maintain` writes them to the new folder. The frames of
    /// all other files are lost, and counted in `damagedFrames`.
    ///
    /// - Throws: `locked` when another journal has that folder, `directoryUnusable` when one left files in it, and the
    ///   disk's error.
    mutating func reopen(_ store: StoreFolder) throws(StorageError) {
        try store.reopen()
        self.phase = .open
        self.canMap = self.options.storage == .automatic && store.folder.canBeMapped
        self.damagedFrames += self.segments.leaveFolder()
        self.acknowledgements.leaveFolder()
        self.released = []
        _ = self.next.take()
        // No sync holds for the new folder.
        self.synced = Position()
    }

    /// Takes the mapping that ends; unmapping takes longer than a caller should wait for the lock.
    @inline(__always)
    mutating func takeRetired() -> FileMapping? {
        guard let retired = self.retired else { return nil }
        self.retired = nil
        return retired
    }

    /// Returns true once after appends left work that should not wait for the next upkeep.
    @inline(__always)
    mutating func takeWork() -> Bool {
        self.next.takeWork()
    }

    // MARK: - The byte limit

    /// Drops the oldest frames until a new one fits below the limit.
    private mutating func makeRoomBelowLimit(_ length: UInt64, _ folder: Folder) throws(StorageError) {
        guard self.options.whenFull == .dropOldest, length <= self.limitBytes else {
            throw .limitReached(folder.path, limit: self.limitBytes)
        }
        // It drops more than needed, so that not every append has to do this.
        let excess = self.segments.liveBytes + length - self.limitBytes
        let wanted = min(self.segments.liveBytes, max(excess, self.options.segmentSize / 16))
        let oldest = self.segments.oldest(atLeast: wanted)
        guard let first = oldest.first, let last = oldest.last else { return }
        var ranges = SequenceRanges()
        ranges.insert(first...last)
        try self.acknowledgements.append(ranges, base: self.nextSequence)
        for sequence in oldest { self.segments.drop(sequence) }
        self.droppedFrames += oldest.count
        if self.released.count + self.segments.deadSegments.count > Self.deadFiles { self.next.noteUnneededFiles() }
    }
}

// MARK: - Acknowledging

extension JournalState {
    /// Acknowledges frames; unknown or already acknowledged ones are skipped.
    ///
    /// - Returns: The number of frames that were live.
    /// - Throws: The disk's error; then all are live as before.
    mutating func acknowledge(_ sequences: [UInt64]) throws(StorageError) -> Int {
        var ranges = SequenceRanges()
        var count = 0
        for sequence in sequences where self.segments.contains(sequence) {
            ranges.insert(sequence...sequence)
            count += 1
        }
        guard count > 0 else { return 0 }
        try self.acknowledgements.append(ranges, base: self.nextSequence)
        for sequence in sequences { self.segments.drop(sequence) }
        return count
    }

    /// Counts live frames as gone, because they are damaged.
    mutating func lose(_ sequences: [UInt64]) {
        for sequence in sequences where self.segments.contains(sequence) {
            self.segments.drop(sequence)
            self.damagedFrames += 1
        }
    }

    /// True if the acknowledgements have to be written anew.
    var needsRewrite: Bool { self.acknowledgements.needsRewrite(segmentSize: self.options.segmentSize) }

    /// Writes the acknowledgements that still matter to a new file, the given one or one that it makes.
    ///
    /// - Returns: The slots of the old files.
    /// - Throws: The disk's error.
    mutating func rewriteAcknowledgements(in file: LogFile?) throws(StorageError) -> [Int] {
        var file = file
        if let made = file, made.header.number + 1 != self.acknowledgements.nextNumber {
            // An acknowledgement has begun a newer file, and the newest one must take the next frames.
            self.released.append(made.name)
            file = nil
        }
        var ranges = self.segments.deadRanges
        for range in self.releasedRanges.ranges { ranges.insert(range) }
        return try self.acknowledgements.rewrite(ranges, base: self.nextSequence, in: file)
    }

    mutating func finishRewrite(_ old: [Int]) {
        self.released += self.acknowledgements.finishRewrite(old)
    }
}

// MARK: - Upkeep

extension JournalState {
    /// The files whose live frames go to a new one next; nil when nothing has to be done.
    var compactionSources: [JournalSegment]? {
        // `close` waits for the upkeep.
        self.isClosed ? nil : self.policy.sources(self.segments, at: self.acknowledgements.written)
    }

    private var isSparse: Bool { self.policy.isDue(self.segments, at: self.acknowledgements.written) }

    /// True if an acknowledgement leaves work.
    var needsUpkeep: Bool {
        self.segments.needsUpkeep || self.isSparse || self.needsRewrite
    }

    /// True if appends left work.
    var needsMaintenance: Bool {
        self.segments.needsUpkeep || self.isSparse || self.segments.hasHeld
    }

    /// Changes the list of files.
    mutating func withSegments<Result>(_ body: (inout SegmentList) -> Result) -> Result {
        body(&self.segments)
    }

    /// Puts off the next compaction, because one failed.
    mutating func postponeCompaction() {
        self.policy.postpone(at: self.acknowledgements.written)
    }

    /// Removes files without live frames.
    mutating func release(_ numbers: Set<UInt64>) {
        for segment in self.segments.all where numbers.contains(segment.number) { self.noteReleased(segment) }
        self.released += self.segments.release(numbers)
    }

    /// Replaces files with the one that has their live frames.
    mutating func replace(_ sources: [JournalSegment], by segment: JournalSegment) {
        for source in sources { self.noteReleased(source) }
        self.released += self.segments.replace(sources, by: segment)
    }

    private mutating func noteReleased(_ segment: JournalSegment) {
        for range in segment.frames.deadRanges { self.releasedRanges.insert(range) }
    }

    /// Notes that released files are removed.
    mutating func finishRemoval(_ names: Set<String>) {
        self.released.removeAll { names.contains($0) }
    }

    mutating func withFiles<Result>(_ body: (inout LogFileSet) -> Result) -> Result {
        self.acknowledgements.withFiles(body)
    }
}

// MARK: - Flushing

extension JournalState {
    /// Counts flushes outside a plan.
    mutating func countFlush() {
        self.syncCount += 1
    }

    /// Applies the result of a flush of journal files; a failed one is written again before the position counts.
    mutating func finishSegments(_ outcome: FlushPlan.Outcome) {
        self.syncCount += outcome.flushed.count
        self.segments.finish(outcome)
    }

    /// Applies the result of a flush of acknowledgements; failed ones are written again before they count.
    mutating func finishAcknowledgements(_ outcome: FlushPlan.Outcome) {
        self.syncCount += outcome.flushed.count
        self.acknowledgements.finish(outcome)
    }

    /// Marks a position that survives a power loss.
    mutating func noteSync(_ position: Position) {
        self.synced = position
    }

    /// Marks acknowledgements that survive a power loss.
    mutating func noteSync(acknowledgements written: Int) {
        self.synced.acknowledgements = max(self.synced.acknowledgements, written)
    }
}
