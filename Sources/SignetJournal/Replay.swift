// SPDX-License-Identifier: Apache-2.0

/// Reads files frame by frame after a start, and records the bytes that cannot be used.
struct Replay {
    struct Outcome {
        /// The file, with its end and number of frames.
        var file: LogFile
        /// True if no byte of it is damaged or missing.
        var isClean = true
        var isAppendable = true
        /// The length of a torn end, in bytes.
        var tornBytes: UInt64 = 0
        /// True if it ends with the mark of a complete snapshot.
        var isComplete = false
    }

    let quarantine: Quarantine
    private(set) var tornBytes = 0
    private(set) var damagedRecords = 0
    private var damagedKeys: Set<[UInt8]> = []

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
        report.damagedKeys = self.damagedKeys.sorted { $0.lexicographicallyPrecedes($1) }
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
        outcome.file.frames = 0
        var scanner = FrameScanner(file.file, to: file.end, salt: file.header.salt)
        while true {
            switch try scanner.next() {
            case .frame(let header, let offset):
                outcome.file.frames += 1
                outcome.isComplete = header.kind == .end
                let hasDamage = !self.damagedKeys.isEmpty
                let key = try scanner.withFrame(header, at: offset) { bytes -> [UInt8]? in
                    apply(header, offset, bytes)
                    return hasDamage ? Array(header.key(in: bytes)) : nil
                }
                // A newer record of the key is sound, so earlier damage does not matter.
                if let key = key ?? nil { self.damagedKeys.remove(key) }
            case .damagedValue(let header, let offset):
                outcome.isClean = false
                let key = try scanner.withKey(header, at: offset) { Array($0) }
                self.count(offset..<offset + UInt64(header.length), of: file, header.kind == .put ? key : nil)
            case .gap(let range):
                outcome.isClean = false
                self.count(range, of: file, nil)
            case .tail(let header, let range):
                outcome.isClean = false
                if isLast {
                    try self.cut(range, &outcome)
                } else {
                    var key: [UInt8]?
                    if let header, header.kind == .put {
                        key = try scanner.withKey(header, at: range.lowerBound) { Array($0) }
                    }
                    self.count(range, of: file, key)
                }
                return outcome
            case .end:
                return outcome
            }
        }
    }

    /// Counts a snapshot without its end mark, even if all its bytes are sound.
    mutating func countMissingEnd(of file: LogFile) {
        self.count(file.end..<file.end, of: file, nil)
    }

    private mutating func count(_ range: Range<UInt64>, of file: LogFile, _ key: [UInt8]?) {
        if case .keptBefore = self.quarantine.keep(range, of: file, .damaged) { return }
        self.damagedRecords += 1
        if let key { self.damagedKeys.insert(key) }
    }

    /// Cuts off a torn end after copying it.
    private mutating func cut(_ range: Range<UInt64>, _ outcome: inout Outcome) throws(StorageError) {
        outcome.tornBytes = range.upperBound - range.lowerBound
        self.tornBytes += Int(clamping: outcome.tornBytes)
        if case .failed = self.quarantine.keep(range, of: outcome.file, .torn) {
            // Without a copy the end stays in place, and appends go to a new file.
            outcome.isAppendable = false
            return
        }
        try outcome.file.file.truncate(to: range.lowerBound)
        try outcome.file.file.sync()
        outcome.file.end = range.lowerBound
    }
}
