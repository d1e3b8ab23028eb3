// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension StoreCore<StateLogState> {
    /// Keeps a copy of a damaged record, and counts it once.
    func setAside(_ entry: KeyIndex.Entry, of file: LogFile) {
        let range = entry.offset..<min(file.end, entry.offset + UInt64(entry.length))
        switch self.store.quarantine.keep(range, of: file, .damaged) {
        case .kept, .failed: self.state.withLock { $0.countDamage() }
        case .keptAlready, .keptBefore: break
        }
    }
}

/// The index and the files of a state log.
struct StateLogState: LogFileState {
    private enum Phase: Sendable {
        case open
        case compacting
        case closed
    }

    private let options: StateLog.Options
    private var phase = Phase.open
    private(set) var index: KeyIndex
    private var files: LogFileSet
    private(set) var damagedRecords = 0
    private var nextSequence: UInt64

    init(_ loader: StateLogLoader, _ options: StateLog.Options) {
        self.options = options
        self.index = loader.index
        self.files = loader.files
        self.nextSequence = loader.lastSequence + 1
        self.files.holdSpare()
    }

    var isClosed: Bool { self.phase == .closed }

    /// Refuses all further calls.
    mutating func close() {
        self.phase = .closed
    }

    /// Releases all files and records.
    mutating func clear() {
        self.phase = .closed
        self.index = KeyIndex()
        self.files.removeAll()
    }

    mutating func countDamage() {
        self.damagedRecords += 1
    }

    /// Adapts to a new folder that contains none of the files.
    mutating func leaveFolder() {
        self.files.leaveFolder()
    }

    /// The length at which a file is full; it grows with the log, so that a large log does not have too many files.
    private var limit: UInt64 {
        max(UInt64(max(0, self.options.fileBytes)), self.index.frameBytes / 8)
    }

    mutating func put(
        _ value: [UInt8],
        for key: [UInt8],
        _ hash: KeyHash,
        isDue: Bool
    ) throws(StorageError) {
        let kind: FrameHeader.Kind = isDue ? .putDue : .put
        let sequence = self.nextSequence
        let (slot, offset) = try self.files.append(frames: 1, base: sequence, limit: self.limit) { salt, buffer in
            FrameHeader.encode(kind, sequence: sequence, key: key, value: value, salt: salt, to: &buffer)
        }
        self.nextSequence += 1
        let entry = KeyIndex.Entry(
            hash: hash,
            slot: slot,
            offset: offset,
            keyLength: key.count,
            valueLength: value.count,
            isDue: isDue
        )
        self.index.put(entry)
    }

    mutating func remove(_ key: [UInt8], _ hash: KeyHash) throws(StorageError) {
        guard self.index.find(hash) != nil else { return }
        let sequence = self.nextSequence
        _ = try self.files.append(frames: 1, base: sequence, limit: self.limit, isRemoval: true) { salt, buffer in
            FrameHeader.encode(.remove, sequence: sequence, key: key, salt: salt, to: &buffer)
        }
        self.nextSequence += 1
        self.index.remove(hash)
    }

    /// Returns the place of a key's record.
    func find(_ hash: KeyHash) -> (entry: KeyIndex.Entry, file: LogFile)? {
        guard let entry = self.index.find(hash), let file = self.files.slots[entry.slot] else { return nil }
        return (entry, file)
    }

    /// The index and the files by slot, as of now.
    var view: (index: KeyIndex, files: [LogFile?]) { (self.index, self.files.slots) }

    /// The number of due records.
    var dueCount: Int { self.index.dueCount }

    /// One part of the index and the files by slot, as of now; nil if no record is due.
    func duePart(_ part: Int) -> (part: KeyIndex.Part, files: [LogFile?])? {
        guard self.index.dueCount > 0, self.index.parts.indices.contains(part) else { return nil }
        return (self.index.parts[part], self.files.slots)
    }

    var flushPlan: FlushPlan { self.files.flushPlan }

    mutating func finish(_ outcome: FlushPlan.Outcome) {
        self.files.finish(outcome)
    }

    /// The number of the next file of each kind.
    var nextNumbers: [FileHeader.Kind: UInt64] {
        [.log: self.files.nextNumber, .snapshot: self.files.nextNumber]
    }
}

extension StateLogState {
    /// True if outdated records take so much more space than live ones that a compaction is worth its work.
    var needsCompaction: Bool {
        let live = self.index.frameBytes
        let outdated = self.files.bytes - min(self.files.bytes, live)
        return outdated > max(live, UInt64(max(0, self.options.compactionBytes)))
    }

    /// Notes that a compaction begins; false while another one runs.
    mutating func beginCompaction() -> Bool {
        guard self.phase == .open else { return false }
        self.phase = .compacting
        return true
    }

    mutating func endCompaction() {
        if self.phase == .compacting { self.phase = .open }
    }

    /// Seals the existing files, and takes the number and the last sequence of their snapshot.
    mutating func seal() -> (number: UInt64, sequence: UInt64) {
        self.files.seal()
        return (self.files.takeNumber(), self.nextSequence - 1)
    }

    mutating func insert(_ snapshot: LogFile) -> Int {
        self.files.insert(snapshot)
    }

    /// Lets records that are still in the sources of a snapshot be read from it.
    mutating func move(_ entries: ArraySlice<KeyIndex.Entry>, from sources: [LogFile?], to slot: Int) {
        for var entry in entries where self.isStill(entry, in: sources) {
            entry.move(slot: slot, offset: entry.offset)
            self.index.put(entry)
        }
    }

    /// Removes records without a sound frame, and the files that a snapshot replaces.
    mutating func drop(_ lost: [KeyIndex.Entry], _ sources: [LogFile?]) {
        for entry in lost where self.isStill(entry, in: sources) { self.index.remove(entry.hash) }
        for slot in sources.indices where sources[slot] != nil { self.files.remove(slot) }
    }

    /// True if the record was neither replaced nor removed since the sources were sealed.
    private func isStill(_ entry: KeyIndex.Entry, in sources: [LogFile?]) -> Bool {
        guard let found = self.index.find(entry.hash) else { return false }
        return found.slot < sources.count && sources[found.slot] != nil
    }

    mutating func withFiles<Result>(_ body: (inout LogFileSet) -> Result) -> Result {
        body(&self.files)
    }
}
