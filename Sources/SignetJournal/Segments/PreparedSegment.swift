// SPDX-License-Identifier: Apache-2.0

/// A journal file that is made, reserved, mapped and filled with zeros before it is needed, so that no append does that.
///
/// It has its final name, and a header without a base, so a start that finds no frame in it
/// takes it for one that was never begun.
struct PreparedSegment: Sendable {
    private let log: LogFile
    private let mapping: FileMapping
    let capacity: UInt64

    /// Makes the file.
    ///
    /// - Returns: Nil if space cannot be reserved, or the file not mapped.
    /// - Throws: The disk's error; then there is no file.
    init?(number: UInt64, capacity: UInt64, in folder: Folder) throws(StorageError) {
        // The base is the sequence of the first frame, which is known only when the file is begun.
        let header = FileHeader(kind: .journal, salt: .random(in: 1 ... .max), number: number, base: 0)
        var log = try LogFile.create(in: folder, header)
        do throws(StorageError) {
            guard try log.file.reserve(capacity), let mapping = try log.file.map(capacity) else {
                folder.discard(log.name)
                return nil
            }
            if capacity > log.end {
                try log.file.fill(log.end..<capacity)
                mapping.touch(Int(log.end)..<Int(capacity))
            }
            self.mapping = mapping
        } catch {
            folder.discard(log.name)
            throw error
        }
        try log.finish(in: folder)
        self.log = log
        self.capacity = capacity
    }

    var name: String { self.log.name }

    var number: UInt64 { self.log.header.number }

    /// True if the file still has a name.
    var isNamed: Bool {
        get throws(StorageError) { try self.log.file.status().links > 0 }
    }

    /// Begins the file, by one write to its first page.
    ///
    /// - Parameter base: The next sequence of the journal.
    /// - Returns: The file, which takes frames now.
    /// - Throws: The disk's error; then the file must be removed.
    func begin(base: UInt64) throws(StorageError) -> JournalSegment {
        var header = self.log.header
        header.base = base
        try self.log.file.write(header.encoded, at: 0)
        let begun = LogFile(file: self.log.file, header: header, end: self.log.end)
        return JournalSegment(begun: begun, capacity: self.capacity, mapping: self.mapping, filled: self.capacity)
    }
}

/// Decides when the file after the newest one is made, and holds it until it is begun.
struct NextSegment: Sendable {
    private enum Stage: Sendable {
        /// Appends make all files themselves.
        case off
        /// The newest file has enough room left.
        case idle
        /// The next file should be made now.
        case wanted
        /// The next file is made.
        case made(PreparedSegment)
    }

    private var stage: Stage
    /// The length of the newest file from which on the next one is wanted.
    private var threshold: UInt64 = .max
    /// True if appends left work since it was last taken.
    private var hasWork = false

    init(isOn: Bool) {
        self.stage = isOn ? .idle : .off
    }

    /// True if the next file should be made now.
    var isWanted: Bool {
        if case .wanted = self.stage { true } else { false }
    }

    /// The reserved bytes.
    var bytes: UInt64 {
        if case .made(let prepared) = self.stage { prepared.capacity } else { 0 }
    }

    /// Notes that a file takes frames now; the one before it is to be cut.
    mutating func noteBegun(capacity: UInt64, isMapped: Bool) {
        if case .off = self.stage { return }
        self.threshold = isMapped ? capacity / 2 : .max
        if self.isWanted { self.stage = .idle }
        self.hasWork = true
    }

    /// Notes the length of the newest file.
    @inline(__always)
    mutating func noteEnd(_ end: UInt64) {
        if end > self.threshold { self.passThreshold() }
    }

    private mutating func passThreshold() {
        self.threshold = .max
        guard case .idle = self.stage else { return }
        self.stage = .wanted
        self.hasWork = true
    }

    /// Notes that an append left files which are not needed any more.
    mutating func noteUnneededFiles() {
        self.hasWork = true
    }

    /// Returns true once after appends left work.
    @inline(__always)
    mutating func takeWork() -> Bool {
        guard self.hasWork else { return false }
        self.hasWork = false
        return true
    }

    /// Holds a file until it is needed.
    mutating func keep(_ prepared: PreparedSegment) {
        self.stage = .made(prepared)
    }

    /// Returns the file, which is held no longer.
    mutating func take() -> PreparedSegment? {
        guard case .made(let prepared) = self.stage else { return nil }
        self.stage = .idle
        return prepared
    }
}
