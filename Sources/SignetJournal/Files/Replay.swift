// SPDX-License-Identifier: Apache-2.0

/// Reads files frame by frame after a start, and records the bytes that cannot be used.
struct Replay {
    struct Outcome {
        /// The file, with its end and number of frames.
        var file: LogFile
        /// The number of places whose bytes are damaged or missing, the end among them.
        var damagedPlaces = 0
        /// The kind of the last frame; a complete snapshot ends with a mark.
        var lastFrame: FrameHeader.Kind?
        /// False if the bytes of a torn end stay, so that no frame can follow.
        var isAppendable = true
    }

    let quarantine: Quarantine
    private(set) var tornBytes = 0
    private(set) var damagedRecords = 0

    init(quarantine: Quarantine) {
        self.quarantine = quarantine
    }

    /// Returns the findings, with the names of aside files added.
    func report(records: Int, renamed: [String]) -> RecoveryReport {
        var report = RecoveryReport()
        report.records = records
        report.tornBytes = self.tornBytes
        // The content of a file without a sound header is unknown; it counts once, and is never read again.
        report.damagedRecords = self.damagedRecords + renamed.count
        report.setAsideFiles = (renamed + self.quarantine.names).sorted()
        return report
    }

    /// Reads one file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - isLast: True if it was the file for appends when the previous process ended.
    ///   - apply: Gets the header, the offset and the bytes of each sound frame in order; the bytes are invalid after
    ///     it returns.
    /// - Returns: The file as it is now.
    /// - Throws: An error when the disk cannot be read, or a torn end cannot be cut off.
    mutating func read(
        _ file: LogFile,
        isLast: Bool,
        apply: (FrameHeader, UInt64, UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) -> Outcome {
        var outcome = Outcome(file: file)
        var scanner = FrameScanner(file.file, to: file.end, salt: file.header.salt)
        while true {
            switch try scanner.next() {
            case .frame(let header, let offset):
                outcome.file.countFrame()
                outcome.lastFrame = header.kind
                _ = try scanner.withFrame(header, at: offset) { apply(header, offset, $0) }
            case .damagedValue(let header, let offset):
                outcome.damagedPlaces += 1
                self.count(offset..<offset + UInt64(header.length), of: file)
            case .gap(let range):
                outcome.damagedPlaces += 1
                self.count(range, of: file)
            case .tail(let range):
                outcome.damagedPlaces += 1
                if isLast {
                    try self.cut(range, &outcome)
                } else {
                    self.count(range, of: file)
                }
                return outcome
            case .end:
                return outcome
            }
        }
    }

    /// Counts a snapshot without its end mark, even if all its bytes are sound.
    mutating func countMissingEnd(of file: LogFile) {
        self.count(file.end..<file.end, of: file)
    }

    private mutating func count(_ range: Range<UInt64>, of file: LogFile) {
        if case .keptBefore = self.quarantine.keep(range, of: file, .damaged) { return }
        self.damagedRecords += 1
    }

    /// Cuts off a torn end after copying it.
    private mutating func cut(_ range: Range<UInt64>, _ outcome: inout Outcome) throws(StorageError) {
        self.tornBytes += Int(clamping: range.upperBound - range.lowerBound)
        if case .failed = self.quarantine.keep(range, of: outcome.file, .torn) {
            // Without a copy the end stays in place, and appends go to a new file.
            outcome.isAppendable = false
            return
        }
        try outcome.file.file.truncate(to: range.lowerBound)
        try outcome.file.file.sync()
        outcome.file.shorten(to: range.lowerBound, isCut: true)
    }
}

/// The findings of a start, with the bytes that it could not use.
///
/// Bytes copied to aside files at an earlier start are not reported again.
package struct RecoveryReport: Sendable, Equatable {
    /// The number of live records or frames.
    package var records = 0

    /// The bytes of appends that a crash cut short; they are now in a file `....torn`.
    ///
    /// No call had returned for them, unless power was lost before a `sync`.
    package var tornBytes = 0

    /// The number of places with damaged bytes and of files without a sound header.
    ///
    /// Copies of damaged bytes are in files `....damaged`. A file without a sound header is now named `....aside`, and
    /// its content is lost.
    package var damagedRecords = 0

    /// The number of a journal's frames that a crash left unfinished before complete ones.
    ///
    /// No call had returned for them, unless power was lost before a `sync`.
    ///
    /// They stay in place, so the next start counts them again until their file is removed.
    package var neverReturned = 0

    /// The sequences of a journal's frames that were lost with the header of their file, as with its first page.
    package var lost: [ClosedRange<UInt64>] = []

    /// The number of those frames.
    package var lostFrames: Int { self.lost.reduce(0) { $0 + $1.count } }

    /// The names of files that were written or renamed to keep unusable bytes, in byte order.
    package var setAsideFiles: [String] = []

    /// Makes a report of a clean start.
    package init() {}
}
