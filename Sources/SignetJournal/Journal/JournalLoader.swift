// SPDX-License-Identifier: Apache-2.0

/// Finds the live frames of a journal in its files.
struct JournalLoader {
    private(set) var acknowledgements: LogFileSet
    private(set) var segments: [JournalSegment] = []
    private(set) var lastSequence: UInt64 = 0
    /// Files that a compacted one replaced before the crash.
    private(set) var released: [String] = []
    let nextNumber: UInt64
    private let store: StoreFolder
    /// All sequences that were ever acknowledged, also those of files that were removed since.
    private(set) var acknowledged = SequenceRanges()
    /// The sequences that were lost with a header, and not acknowledged.
    private var lost: [ClosedRange<UInt64>] = []
    private var replay: Replay
    private var contents: FolderContents

    /// Reads names and headers, without changes.
    init(_ store: StoreFolder) throws(StorageError) {
        self.store = store
        self.replay = Replay(quarantine: store.quarantine)
        self.contents = try store.contents()
        self.nextNumber = self.contents.nextNumber
        self.acknowledgements = LogFileSet(kind: .acknowledgements, store: store, nextNumber: self.nextNumber)
    }

    /// Reads all acknowledgements, then all frames.
    mutating func load() throws(StorageError) -> RecoveryReport {
        let renamed = try self.contents.tidy(self.store.folder)
        for (index, file) in self.contents.files.enumerated() {
            try self.readAcknowledgements(file, isLast: index == self.contents.files.count - 1)
        }
        self.lastSequence = max(self.lastSequence, self.acknowledged.highest ?? 0)
        // A compacted file has a high number and low sequences. The file that took the last appends has the highest
        // base; among several with that base, it is the newest.
        let files = self.contents.segments.sorted {
            ($0.header.base, $0.header.number) < ($1.header.base, $1.header.number)
        }
        var scan = SegmentScan(folder: self.store.folder, acknowledged: self.acknowledged)
        for (index, file) in files.enumerated() where !self.isReplaced(file.header) {
            try self.read(file, isLast: index == files.count - 1, &scan)
        }
        self.lastSequence += UInt64(scan.tornBytes / JournalFrame.size)
        var report = self.replay.report(records: self.segments.reduce(0) { $0 + $1.live }, renamed: renamed)
        report.tornBytes += scan.tornBytes
        report.damagedRecords += scan.damaged + self.contents.mended.count
        report.lost = self.lost
        report.neverReturned = scan.neverReturned
        return report
    }

    /// Excludes the sequences up to one from being assigned.
    mutating func passOver(_ sequence: UInt64) {
        self.lastSequence = max(self.lastSequence, sequence)
    }

    private mutating func readAcknowledgements(_ file: LogFile, isLast: Bool) throws(StorageError) {
        var acknowledged = self.acknowledged
        let outcome = try self.replay.read(file, isLast: isLast) { header, _, bytes in
            if header.kind == .acknowledge { acknowledged.insert(encoded: header.value(in: bytes)) }
        }
        self.acknowledged = acknowledged
        // The header shows the highest sequence assigned before the file, even if every frame is gone.
        self.lastSequence = max(self.lastSequence, file.header.sequenceBefore)
        let slot = self.acknowledgements.insert(outcome.file)
        if isLast, outcome.isAppendable { self.acknowledgements.activate(slot) }
    }

    /// True if a compacted file has all live frames of this one, which only the crash kept from being removed.
    private mutating func isReplaced(_ header: FileHeader) -> Bool {
        let isReplaced = self.contents.segments.contains { other in
            other.header.span > 0 && other.header.number > header.number && other.header.base <= header.base
                && header.base - other.header.base < UInt64(other.header.span)
        }
        if isReplaced { self.released.append(FileName(number: header.number, suffix: header.kind.suffix).text) }
        return isReplaced
    }

    private mutating func read(
        _ file: (header: FileHeader, size: UInt64),
        isLast: Bool,
        _ scan: inout SegmentScan
    ) throws(StorageError) {
        if let lost = self.contents.mended.first(where: { $0.header == file.header }) { self.noteLost(lost) }
        let before = max(self.segments.last?.top ?? 0, file.header.sequenceBefore)
        let quarantine = self.store.quarantine
        let segment = try scan.read(file.header, size: file.size, after: before, isLast: isLast, quarantine)
        self.lastSequence = max(self.lastSequence, before, segment.top)
        self.segments.append(segment)
    }
    /// Notes the frames that were before the first one of a file that has lost its header.
    private mutating func noteLost(_ lost: LostHeader) {
        let base = lost.header.base
        // No more than fit.
        let fitting = min(base, UInt64(lost.lostBytes / JournalFrame.size) + 1)
        let before = max(self.segments.last?.top ?? 0, base - fitting)
        var missing = SequenceRanges()
        for sequence in (before + 1)..<max(base, before + 1) where !self.acknowledged.contains(sequence) {
            missing.insert(sequence...sequence)
        }
        self.lost += missing.ranges
    }
}
