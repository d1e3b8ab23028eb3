// SPDX-License-Identifier: Apache-2.0

/// The state of a numbered file: how far its frames are complete, and how far they survive a power loss.
struct FileState: Sendable {
    let header: FileHeader

    /// The offset of the next frame; all frames before it are complete.
    private(set) var end: UInt64

    /// The end at the last successful flush; zero before the first.
    ///
    /// Nil after a failed one: the kernel may have dropped bytes, and a second flush would not report it.
    private var flushedEnd: UInt64? = 0

    private struct Marks: OptionSet, Sendable {
        let rawValue: UInt8

        /// A flush of the folder covered the name.
        ///
        /// A file that a start finds may have a name that the process before did not live to flush.
        static let nameFlushed = Marks(rawValue: 1)
        /// Bytes of a failed append may lie after the end.
        static let leftovers = Marks(rawValue: 2)
    }

    private var marks: Marks = []

    init(_ header: FileHeader, end: UInt64) {
        self.header = header
        self.end = end
    }

    /// The name of the file once it is complete.
    var name: String { FileName(number: self.header.number, suffix: self.header.kind.suffix).text }

    /// True once a flush of the folder covered the name.
    var isNameFlushed: Bool { self.marks.contains(.nameFlushed) }

    /// True if bytes of a failed append may lie after the end.
    var hasLeftovers: Bool { self.marks.contains(.leftovers) }

    /// True after a failed flush.
    var isSuspect: Bool { self.flushedEnd == nil }

    var isFlushed: Bool { self.flushedEnd.map { $0 >= self.end } ?? false }

    /// Counts bytes after the end that are complete frames.
    @inline(__always)
    mutating func extend(to end: UInt64) {
        self.end = end
    }

    /// Ends the file before bytes that are no frames; `isCut` is false if those bytes are still there.
    mutating func shorten(to end: UInt64, isCut: Bool = true) {
        self.end = end
        if isCut { self.marks.remove(.leftovers) } else { self.marks.insert(.leftovers) }
    }

    /// Appends complete frames in one write.
    ///
    /// If it throws, none of the bytes count: the rest of a partial write is cut off now, or before the next append.
    ///
    /// - Returns: The offset of the first byte.
    /// - Throws: The disk's error.
    mutating func append(_ bytes: UnsafeRawBufferPointer, to file: OpenFile) throws(StorageError) -> UInt64 {
        try self.cutLeftovers(of: file)
        do throws(StorageError) {
            try file.write(bytes, at: self.end)
        } catch {
            self.marks.insert(.leftovers)
            do throws(StorageError) {
                try self.cutLeftovers(of: file)
            } catch {
                // The next append tries again, and moves to a new file if that fails too. The first error says more.
            }
            throw error
        }
        defer { self.end += UInt64(bytes.count) }
        return self.end
    }

    /// Cuts off the rest of a failed append after the end.
    mutating func cutLeftovers(of file: OpenFile) throws(StorageError) {
        guard self.hasLeftovers else { return }
        try file.truncate(to: self.end)
        self.marks.remove(.leftovers)
    }

    /// Marks bytes that a flush covered outside a plan.
    mutating func noteFlush(to end: UInt64) {
        self.flushedEnd = self.flushedEnd.map { max($0, end) }
    }

    /// Marks a name that a flush of the folder covered outside a plan.
    mutating func noteNameFlush() {
        self.marks.insert(.nameFlushed)
    }

    /// Excludes the file from flushes, which would prove nothing; it is written again instead.
    mutating func suspect() {
        self.flushedEnd = nil
    }

    /// Adapts to a new folder that does not contain the file.
    mutating func leaveFolder() {
        self.flushedEnd = nil
    }

    /// Applies the result of a flush.
    ///
    /// - Returns: True if the bytes or the name could not be flushed.
    mutating func finish(_ outcome: FlushPlan.Outcome) -> Bool {
        if let end = outcome.flushed[self.header.number] { self.noteFlush(to: end) }
        if outcome.namesFlushed.contains(self.header.number) { self.marks.insert(.nameFlushed) }
        guard outcome.failed.contains(self.header.number) else { return false }
        self.flushedEnd = nil
        return true
    }

    /// Writes all bytes to a new file, flushes it, and gives it the name of this one; the folder is not flushed.
    ///
    /// After a failed flush the bytes are still in memory, but the kernel may count them as written. Only a flush of
    /// bytes written again to a new file proves anything. The offsets in the copy are the same.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - folder: Its folder.
    ///   - isWhole: True if the copy has all frames.
    /// - Returns: The copy.
    /// - Throws: An error when a write or flush of the copy fails, or when the old file no longer gives all its frames.
    func copy(
        _ file: OpenFile,
        in folder: Folder,
        isWhole: (OpenFile) throws(StorageError) -> Bool
    ) throws(StorageError) -> OpenFile {
        let unfinished = "\(self.name).\(FileName.unfinished)"
        try folder.remove(unfinished)
        let copy = try folder.createFile(unfinished)
        do throws(StorageError) {
            var offset: UInt64 = 0
            while offset < self.end {
                let count = Int(clamping: min(UInt64(FileWindow.pieceSize), self.end - offset))
                let bytes = try file.bytes(at: offset, count: count)
                guard bytes.count == count else { throw StorageError.damaged(file.path, at: offset) }
                try copy.write(bytes, at: offset)
                offset += UInt64(count)
            }
            try copy.sync()
            guard try isWhole(copy) else { throw StorageError.incompleteCopy(of: file.path) }
            try folder.rename(unfinished, to: self.name)
        } catch {
            folder.discard(unfinished)
            throw error
        }
        return copy.renamed(self.name, path: folder.path(of: self.name))
    }

    /// Marks that the name leads to a flushed copy, which ends where this file ends.
    mutating func noteCopy() {
        self.marks.remove(.leftovers)
    }

    /// Marks that the copy's name survives a power loss too.
    mutating func finishCopy(upTo end: UInt64) {
        self.flushedEnd = end
        self.marks.insert(.nameFlushed)
    }
}

/// The files that a flush covers, planned under a store's lock and flushed outside it.
struct FlushPlan: Sendable {
    struct Outcome: Sendable {
        /// The flushed end of each file by number.
        fileprivate(set) var flushed: [UInt64: UInt64] = [:]
        /// The numbers of the files whose new names are flushed.
        fileprivate(set) var namesFlushed: Set<UInt64> = []
        /// The numbers of the files that were not flushed, or whose new names were not.
        fileprivate(set) var failed: Set<UInt64> = []
    }

    private var files: [(state: FileState, file: OpenFile?)] = []
    private var newNames: Set<UInt64> = []

    /// True if there is nothing to flush.
    var isEmpty: Bool { self.files.isEmpty && self.newNames.isEmpty }

    /// Adds a file, if it has anything to flush.
    ///
    /// - Parameters:
    ///   - state: The file's state.
    ///   - file: The open file; nil if it opens on demand.
    mutating func add(_ state: FileState, _ file: OpenFile?) {
        if !state.isFlushed { self.files.append((state, file)) }
        if !state.isNameFlushed { self.newNames.insert(state.header.number) }
    }

    /// Flushes file by file, then new names; takes milliseconds, or seconds on a busy disk.
    func perform(in folder: Folder) -> Outcome {
        var outcome = Outcome()
        for (state, file) in self.files {
            if Self.flush(state, file, in: folder) {
                outcome.flushed[state.header.number] = state.end
            } else {
                outcome.failed.insert(state.header.number)
            }
        }
        guard !self.newNames.isEmpty else { return outcome }
        do throws(StorageError) {
            try folder.sync()
            outcome.namesFlushed = self.newNames
        } catch {
            // Only making the names again lets a flush of the folder prove anything.
            outcome.failed.formUnion(self.newNames)
        }
        return outcome
    }

    /// Flushes the bytes of one file.
    ///
    /// - Returns: False if they may not survive a power loss.
    static func flush(_ state: FileState, _ file: OpenFile?, in folder: Folder) -> Bool {
        // A suspect file is not flushed again, because success would prove nothing. A file without a name would not be
        // found after a restart.
        guard !state.isSuspect else { return false }
        do throws(StorageError) {
            let file = if let file { file } else { try folder.openFile(state.name) }
            guard try file.status().links > 0 else { return false }
            try file.sync()
            return true
        } catch {
            return false
        }
    }
}
