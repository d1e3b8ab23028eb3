// SPDX-License-Identifier: Apache-2.0

/// The files in which a journal records which frames are acknowledged.
struct AcknowledgementFiles: Sendable {
    /// The size that the files reach before they are written anew, in bytes.
    private static let leastBytes: UInt64 = 64 << 10

    private var files: LogFileSet

    /// The number of acknowledgements written.
    private(set) var written = 0

    /// The size of the files after they were last written anew, in bytes.
    private var rewrittenBytes: UInt64 = 0

    init(_ files: LogFileSet) {
        self.files = files
        self.files.holdSpare()
    }

    var bytes: UInt64 { self.files.bytes }

    /// Writes acknowledgements, even on a full disk.
    ///
    /// - Parameters:
    ///   - ranges: The sequences.
    ///   - base: The next sequence of the journal.
    /// - Throws: The disk's error; then none counts.
    mutating func append(_ ranges: SequenceRanges, base: UInt64) throws(StorageError) {
        let lists = ranges.encoded
        _ = try self.files.append(frames: lists.count, base: base, isRemoval: true) { salt, buffer in
            for list in lists {
                let highest = ranges.highest ?? 0
                FrameHeader.encode(.acknowledge, sequence: highest, value: list, salt: salt, to: &buffer)
            }
        }
        self.written += 1
    }

    /// True if the files have grown so much that they are written anew.
    func needsRewrite(segmentSize: UInt64) -> Bool {
        self.bytes > max(Self.leastBytes, segmentSize / 8, 2 * self.rewrittenBytes)
    }

    /// Writes the sequences that still matter to a new file.
    ///
    /// - Parameters:
    ///   - ranges: The sequences.
    ///   - base: The next sequence of the journal.
    ///   - file: The file, if it was made outside the lock; nil to make it here.
    /// - Returns: The slots of the old files, to be removed once the new one is flushed.
    /// - Throws: The disk's error.
    mutating func rewrite(
        _ ranges: SequenceRanges,
        base: UInt64,
        in file: LogFile?
    ) throws(StorageError) -> [Int] {
        let old = self.files.used
        self.files.seal()
        if let file { self.files.begin(file) }
        try self.append(ranges, base: base)
        return old
    }

    /// Removes the old files after a new one was flushed.
    ///
    /// - Returns: Their names.
    mutating func finishRewrite(_ old: [Int]) -> [String] {
        let names = old.compactMap { self.files.slots[$0]?.name }
        for slot in old { self.files.remove(slot) }
        self.rewrittenBytes = self.bytes
        return names
    }

    /// The work of a flush now.
    var flushPlan: FlushPlan { self.files.flushPlan }

    /// Applies the result of a flush.
    mutating func finish(_ outcome: FlushPlan.Outcome) {
        self.files.finish(outcome)
    }

    /// The number of the next file.
    var nextNumber: UInt64 { self.files.nextNumber }

    /// Changes the list of files.
    mutating func withFiles<Result>(_ body: (inout LogFileSet) -> Result) -> Result {
        body(&self.files)
    }

    /// Adapts to a new folder that contains none of the files.
    mutating func leaveFolder() {
        self.files.leaveFolder()
    }

    /// Releases all files.
    mutating func clear() {
        self.files.removeAll()
    }
}
