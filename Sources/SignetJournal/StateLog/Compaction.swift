// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// One compaction of a state log, step by step, so that tests can look at the folder between the steps.
package struct Compaction {
    /// The number of records that move at once under the log's lock.
    private static let batchSize = 4096

    private let log: StoreCore<StateLogState>
    /// The files that the snapshot replaces, by slot.
    private let sources: [LogFile?]
    /// The number of the snapshot: above those of its sources, below those of all later files.
    private let number: UInt64
    private let sequence: UInt64
    private var live: [KeyIndex.Entry]
    /// Keys whose newest record is damaged and has no sound record before it.
    private var lost: [KeyIndex.Entry] = []
    private var snapshot: LogFile?

    /// Seals the existing files; later changes go to a new one.
    init(_ log: StoreCore<StateLogState>) throws(StorageError) {
        self.log = log
        let (view, (number, sequence)) = try log.withOpenState { state in
            let taken = state.seal()
            return (state.view, taken)
        }
        self.live = view.index.entries()
        self.sources = view.files
        self.number = number
        self.sequence = sequence
    }

    /// Takes all steps.
    mutating func run() throws(StorageError) {
        try self.write()
        try self.publish()
        try self.adopt()
        try self.removeSources()
    }

    /// Writes the live records to a file that does not count yet, and flushes it.
    package mutating func write() throws(StorageError) {
        let header = FileHeader(
            kind: .snapshot,
            salt: .random(in: 1 ... .max),
            number: self.number,
            base: self.sequence + 1
        )
        let file = try LogFile.create(in: self.log.folder, header)
        do throws(StorageError) {
            var writer = SnapshotWriter(file)
            try self.copyRecords(to: &writer)
            self.snapshot = try writer.finish(sequence: self.sequence)
        } catch {
            self.log.folder.discard(file.name)
            throw error
        }
    }

    private mutating func copyRecords(to writer: inout SnapshotWriter) throws(StorageError) {
        var damaged: [KeyHash: KeyIndex.Entry] = [:]
        var kept = 0
        var next = 0
        while next < self.live.count {
            let slot = self.live[next].slot
            guard let source = self.sources[slot] else { throw .closed(self.log.folder.path) }
            var window = FileWindow(source.file, end: source.end)
            while next < self.live.count, self.live[next].slot == slot {
                if next.isMultiple(of: Self.batchSize) { try self.log.withOpenState { _ in } }
                var entry = self.live[next]
                next += 1
                let bytes = try window.bytes(at: entry.offset, count: entry.length)
                if let bytes, let header = FrameHeader.sound(bytes, salt: source.header.salt) {
                    entry.move(slot: 0, offset: writer.end)
                    try writer.append(header, bytes)
                    // Moved entries take the places of those already read, which saves a second list.
                    self.live[kept] = entry
                    kept += 1
                } else {
                    self.log.setAside(entry, of: source)
                    damaged[entry.hash] = entry
                }
            }
        }
        self.live.removeLast(self.live.count - kept)
        if !damaged.isEmpty { try self.recover(damaged, to: &writer) }
    }

    /// Finds the newest sound record of keys whose newest record is damaged.
    private mutating func recover(
        _ damaged: [KeyHash: KeyIndex.Entry],
        to writer: inout SnapshotWriter
    ) throws(StorageError) {
        var older: [KeyHash: (source: LogFile, header: FrameHeader, offset: UInt64)] = [:]
        let ordered = self.sources.compactMap { $0 }.sorted { $0.header.number < $1.header.number }
        for source in ordered {
            var scanner = FrameScanner(source.file, to: source.end, salt: source.header.salt)
            scan: while true {
                switch try scanner.next() {
                case .frame(let header, let offset):
                    let hash = try scanner.withKey(header, at: offset) { KeyHash($0) }
                    guard let hash, damaged[hash] != nil else { continue }
                    older[hash] = header.kind.isPut ? (source, header, offset) : nil
                case .damagedValue, .gap:
                    continue
                case .tail, .end:
                    break scan
                }
            }
        }
        for (hash, entry) in damaged {
            guard let (source, header, offset) = older[hash] else {
                self.lost.append(entry)
                continue
            }
            let bytes = try source.file.bytes(at: offset, count: header.length)
            let place = writer.end
            try bytes.withUnsafeBufferPointer { bytes throws(StorageError) in
                try writer.append(header, UnsafeRawBufferPointer(bytes))
            }
            self.live.append(KeyIndex.Entry(hash: hash, header, slot: 0, offset: place))
        }
    }

    /// Gives the snapshot its name; from here on a start uses it instead of its sources.
    package mutating func publish() throws(StorageError) {
        try self.snapshot?.finish(in: self.log.folder)
        try self.log.folder.sync()
        self.snapshot?.noteNameFlush()
        // Copies of damaged bytes must not be less durable than the removal of what they were copied from.
        try self.log.store.quarantine.sync()
    }

    /// Lets the running log read from the snapshot.
    package mutating func adopt() throws(StorageError) {
        guard let snapshot = self.snapshot else { return }
        let slot = try self.log.withOpenState { $0.insert(snapshot) }
        var rest = self.live[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.batchSize)
            rest = rest.dropFirst(Self.batchSize)
            self.log.state.withLock { $0.move(part, from: self.sources, to: slot) }
        }
        self.log.state.withLock { $0.drop(self.lost, self.sources) }
    }

    /// Removes the files that the snapshot replaces, oldest first.
    package func removeSources() throws(StorageError) {
        // A copy that takes the name of a source would stay.
        try self.log.store.naming.withLock { _ throws(StorageError) in
            // The folder decides, not the files in use: an earlier compaction may have failed after its snapshot got
            // its name.
            for text in try self.log.folder.names() {
                guard let name = FileName(text), name.number < self.number,
                    name.suffix == FileHeader.Kind.log.suffix || name.suffix == FileHeader.Kind.snapshot.suffix
                else { continue }
                try self.log.folder.remove(text)
            }
            try self.log.folder.sync()
        }
        self.log.holdSpare()
    }
}

/// Writes frames to a new file in large pieces.
struct SnapshotWriter {
    private var file: LogFile
    private var buffer: [UInt8] = []
    private var waiting = 0

    init(_ file: LogFile) {
        self.file = file
    }

    /// The offset of the next frame.
    var end: UInt64 { self.file.end + UInt64(self.buffer.count) }

    /// Appends a frame of another file, with checksums of this one.
    ///
    /// - Parameters:
    ///   - header: The frame's header.
    ///   - bytes: All bytes of the frame.
    /// - Throws: The disk's error.
    mutating func append(_ header: FrameHeader, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        FrameHeader.encode(
            header.kind,
            sequence: header.sequence,
            key: header.key(in: bytes),
            value: header.value(in: bytes),
            salt: self.file.header.salt,
            to: &self.buffer
        )
        self.waiting += 1
        if self.buffer.count >= FileWindow.pieceSize { try self.flush() }
    }

    private mutating func flush() throws(StorageError) {
        _ = try self.file.append(self.buffer, frames: self.waiting)
        self.buffer.removeAll(keepingCapacity: true)
        self.waiting = 0
    }

    /// Appends the end mark, and flushes the file to the medium.
    mutating func finish(sequence: UInt64) throws(StorageError) -> LogFile {
        FrameHeader.encode(.end, sequence: sequence, salt: self.file.header.salt, to: &self.buffer)
        self.waiting += 1
        try self.flush()
        try self.file.flush()
        return self.file
    }
}
