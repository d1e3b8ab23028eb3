// SPDX-License-Identifier: Apache-2.0

/// A journal file that is made, reserved and mapped before it is needed.
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
        return JournalSegment(begun: begun, capacity: self.capacity, mapping: self.mapping)
    }
}

/// Decides when the file after the newest one is made, and holds it until it is begun.
struct NextSegment: Sendable {
    /// False if appends make all files themselves.
    private let isOn: Bool
    /// The length of the newest file from which on the next one is wanted.
    private var threshold: UInt64 = .max
    private var prepared: PreparedSegment?
    /// True if the next file should be made now.
    private(set) var isWanted = false
    /// True if appends left work since it was last taken.
    private var hasWork = false

    init(isOn: Bool) {
        self.isOn = isOn
    }

    /// The reserved bytes.
    var bytes: UInt64 { self.prepared?.capacity ?? 0 }

    /// Notes that a file takes frames now; the one before it is to be cut.
    mutating func noteBegun(capacity: UInt64, isMapped: Bool) {
        guard self.isOn else { return }
        self.threshold = isMapped ? capacity / 2 : .max
        self.isWanted = false
        self.hasWork = true
    }

    /// Notes the length of the newest file.
    @inline(__always)
    mutating func noteEnd(_ end: UInt64) {
        if end > self.threshold { self.passThreshold() }
    }

    private mutating func passThreshold() {
        self.threshold = .max
        guard self.prepared == nil else { return }
        self.isWanted = true
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
        self.prepared = prepared
        self.isWanted = false
    }

    /// Returns the file, which is held no longer.
    mutating func take() -> PreparedSegment? {
        defer { self.prepared = nil }
        return self.prepared
    }
}
