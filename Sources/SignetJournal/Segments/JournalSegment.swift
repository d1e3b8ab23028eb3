// SPDX-License-Identifier: Apache-2.0

/// One file of a journal, with the places of its frames and their state.
///
/// Copies are cheap. A reader takes one under the journal's lock and reads with it outside, because the frames before
/// its end never change.
struct JournalSegment: Sendable {
    /// The maximum length of a file, in bytes, except for one with a single frame: offsets have four bytes.
    static let longest: UInt64 = 1 << 30

    /// The distance between checks that the file still has a name, in bytes; in a file that was not filled before it was begun, also
    /// that by which zeros are written ahead of the frames.
    ///
    /// It is large enough that fewer than one event in 200 waits for those, and small enough that the wait is 30 us.
    private static let stepBytes: UInt64 = 128 << 10

    /// The distance between trials of the disk in a file that was filled before, in bytes: one event in 2,000 waits for a write.
    private static let trialBytes: UInt64 = 1 << 20

    /// The number of frames in a file that is not mapped between checks that the file still has a name.
    private static let checkedFrames = 256

    /// The checksum of the file's salt.
    let seed: CRC32C

    private(set) var state: FileState

    /// The open file; nil for one that opens on demand, so that a long journal does not use up descriptors.
    private(set) var file: OpenFile?

    /// The mapped bytes, for the newest files.
    private(set) var mapping: FileMapping?

    private(set) var frames: SegmentFrames

    /// The offset at which the file is full.
    private(set) var capacity: UInt64

    /// The offset up to which zeros were written, in a mapped file.
    private var filled: UInt64

    /// The offset of the next check that the file still has a name.
    private var checked: UInt64

    /// The time at which the rest of a full file is cut off.
    enum Cutting: Sendable {
        /// At once: the append that seals the file waits for it.
        case atSeal
        /// In the next upkeep.
        case inUpkeep
    }

    private struct Marks: OptionSet, Sendable {
        let rawValue: UInt8

        /// This process appends frames to it, or did.
        static let appended = Marks(rawValue: 1)
        /// It is open only for the next flush.
        static let held = Marks(rawValue: 2)
        /// Bytes that are no frames may lie after the end of the full file.
        static let uncut = Marks(rawValue: 4)
    }

    private var marks: Marks

    /// Makes a file that a start found, or a compaction wrote.
    init(_ header: FileHeader, frames: SegmentFrames, end: UInt64, isFlushed: Bool) {
        self.seed = CRC32C(salt: header.salt)
        self.state = FileState(header, end: end)
        if isFlushed {
            self.state.noteFlush(to: end)
            self.state.noteNameFlush()
        }
        self.frames = frames
        self.capacity = end
        self.filled = end
        self.checked = end
        self.marks = []
    }

    /// Makes the file for the next frames.
    ///
    /// - Parameters:
    ///   - log: The file, with its header.
    ///   - capacity: The offset at which it is full.
    ///   - mapping: The mapped bytes; nil if frames are written.
    ///   - filled: The offset up to which zeros were written.
    init(begun log: LogFile, capacity: UInt64, mapping: FileMapping?, filled: UInt64) {
        self.seed = CRC32C(salt: log.header.salt)
        self.state = log.state
        self.file = log.file
        self.mapping = mapping
        self.frames = SegmentFrames()
        self.capacity = capacity
        self.filled = filled
        self.checked = log.end
        self.marks = .appended
    }

    var header: FileHeader { self.state.header }

    var number: UInt64 { self.state.header.number }

    /// The offset of the next frame; all frames before it are complete.
    var end: UInt64 { self.state.end }

    /// The number of live frames.
    var live: Int { self.frames.live }

    /// The bytes of the live frames.
    var liveBytes: UInt64 { self.frames.liveBytes }

    /// The highest sequence that the file covers; later files begin above it.
    var top: UInt64 {
        let spanned = self.header.span > 0 ? self.header.base + UInt64(self.header.span) - 1 : 0
        // A file without a frame covers the sequences before it.
        return max(self.frames.index.last, self.header.sequenceBefore, spanned)
    }

    /// The highest sequence of a frame, or the one before the file if it has none; searches use it.
    var lastOrBefore: UInt64 {
        self.frames.index.count > 0 ? self.frames.index.last : self.header.sequenceBefore
    }

    /// True if less than half of its frames' bytes are live.
    var isSparse: Bool {
        2 * self.liveBytes < self.end - UInt64(FileHeader.size)
    }

    /// True if it is open only for the next flush.
    var isHeld: Bool { self.marks.contains(.held) }

    /// True if bytes that are no frames may lie after the end of a full file.
    var isUncut: Bool { self.marks.contains(.uncut) }

    /// True if the descriptor has to stay open.
    ///
    /// Only the descriptor of a write reliably reports its failure to reach the medium, and only it leads to a file
    /// without a name.
    var needsDescriptor: Bool { self.state.isSuspect || self.marks.contains(.appended) && !self.state.isFlushed }

    /// Marks a live frame as dead.
    ///
    /// - Returns: The decrease of the live bytes.
    mutating func drop(_ ordinal: Int) -> UInt64 {
        self.frames.drop(ordinal)
    }

    // MARK: - Appending

    /// True if a frame of this length fits.
    @inline(__always)
    func hasRoom(_ length: Int) -> Bool {
        self.end + UInt64(length) <= self.capacity
    }

    /// Lets a full file take one more frame; a mapped one cannot.
    mutating func grow(_ length: Int) {
        self.capacity = self.end + UInt64(length)
    }

    /// Appends a frame, for which there is room.
    ///
    /// If it throws, the frame was not appended.
    @inline(__always)
    mutating func write(
        _ frame: JournalFrame,
        _ stamp: UnsafeRawBufferPointer,
        _ payload: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer
    ) throws(StorageError) {
        guard let mapping = self.mapping else { return try self.writeOut(frame, stamp, payload, rest) }
        let end = self.end + UInt64(frame.length)
        if end > self.checked { try self.check(upTo: end) }
        frame.write(to: mapping.address + Int(self.end), seed: self.seed, stamp: stamp, payload: payload, rest)
        self.frames.add(frame, at: self.end)
        self.state.extend(to: end)
    }

    /// Checks that a mapped file still has a name, and makes its pages exist up to the next check, or tries now and then that it
    /// takes writes.
    private mutating func check(upTo end: UInt64) throws(StorageError) {
        guard let file = self.file else { throw StorageError.closed(self.state.name) }
        guard try file.status().links > 0 else { throw StorageError.removed(file.path) }
        // It goes up to a multiple of the step, so that pages are written whole.
        let next = min(self.capacity, ((end - 1) / Self.stepBytes + 1) * Self.stepBytes)
        if next > self.filled {
            try file.fill(self.filled..<next)
            self.filled = next
        } else if next / Self.trialBytes > self.checked / Self.trialBytes {
            // A store to memory tells nothing of a disk that takes no more writes; some zeros where the frame comes do.
            try file.fill(self.end..<min(self.end + 8, next))
        }
        self.checked = next
    }

    /// Appends a frame with one write.
    private mutating func writeOut(
        _ frame: JournalFrame,
        _ stamp: UnsafeRawBufferPointer,
        _ payload: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer
    ) throws(StorageError) {
        guard let file = self.file else { throw StorageError.closed(self.state.name) }
        if self.frames.index.count.isMultiple(of: Self.checkedFrames) || self.end >= self.checked {
            guard try file.status().links > 0 else { throw StorageError.removed(file.path) }
            self.checked = self.end + Self.stepBytes
        }
        let offset = self.end
        var failure: StorageError?
        withUnsafeTemporaryAllocation(byteCount: frame.length, alignment: 8) { buffer in
            guard let start = buffer.baseAddress else { return }
            frame.write(to: start, seed: self.seed, stamp: stamp, payload: payload, rest)
            do throws(StorageError) {
                _ = try self.state.append(UnsafeRawBufferPointer(buffer), to: file)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        self.frames.add(frame, at: offset)
    }

    /// Cuts off the rest of a failed write after the end.
    mutating func cutLeftovers() throws(StorageError) {
        if let file = self.file { try self.state.cutLeftovers(of: file) }
    }

    /// Ends the file after its last frame; no more frames go to it.
    mutating func seal(_ cutting: Cutting) {
        if self.mapping != nil || self.state.hasLeftovers {
            let isCut = cutting == .atSeal && Self.cut(self.file, to: self.end)
            if isCut { self.marks.remove(.uncut) } else { self.marks.insert(.uncut) }
        }
        if !self.isUncut || self.mapping == nil { self.capacity = self.end }
        self.frames.trim()
    }

    /// Notes that a start found reserved space after the last frame, which the upkeep cuts off.
    mutating func noteReserved(upTo size: UInt64) {
        guard size > self.end else { return }
        self.capacity = size
        self.marks.insert(.uncut)
    }

    /// The reserved bytes after the end.
    var uncutBytes: UInt64 { self.isUncut ? self.capacity - self.end : 0 }

    /// Cuts off what lies after the end of a full file.
    ///
    /// - Returns: False if it is still there.
    func cut(in folder: Folder) -> Bool {
        do throws(StorageError) {
            return Self.cut(try self.open(in: folder), to: self.end)
        } catch {
            return false
        }
    }

    /// Notes that nothing lies after the end.
    mutating func noteCut() {
        self.marks.remove(.uncut)
        self.capacity = self.end
    }

    private static func cut(_ file: OpenFile?, to end: UInt64) -> Bool {
        do throws(StorageError) {
            try file?.truncate(to: end)
            return true
        } catch {
            // Zeros or a partial frame stay after the end; they cost space, a start skips them, and the next upkeep
            // tries again.
            return false
        }
    }

    // MARK: - The open file

    /// Returns the open file, and opens it if necessary.
    func open(in folder: Folder) throws(StorageError) -> OpenFile {
        if let file = self.file { return file }
        return try folder.openFile(self.state.name)
    }

    /// Keeps the file open from now on.
    mutating func keepOpen(_ file: OpenFile) {
        self.file = file
    }

    /// Closes the file, unless only its descriptor leads to all bytes; then the next flush may close it.
    mutating func closeOrHold() {
        if self.needsDescriptor {
            self.marks.insert(.held)
        } else {
            self.file = nil
        }
    }

    /// Closes a file that was open only for a flush, if that flush is done.
    mutating func releaseHeld() {
        guard self.isHeld, !self.needsDescriptor else { return }
        self.marks.remove(.held)
        self.file = nil
    }

    /// Ends the mapping.
    ///
    /// - Returns: The mapping, which ends when the caller lets it go.
    mutating func unmap() -> FileMapping? {
        defer { self.mapping = nil }
        return self.mapping
    }

    // MARK: - Flushing

    /// Applies the result of a flush of this file alone.
    mutating func finish(_ end: UInt64, isFlushed: Bool) {
        if isFlushed { self.state.noteFlush(to: end) } else { self.state.suspect() }
    }

    /// Applies the result of a flush.
    ///
    /// - Returns: True if the bytes or the name could not be flushed.
    mutating func finish(_ outcome: FlushPlan.Outcome) -> Bool {
        self.state.finish(outcome)
    }

    /// Lets the bytes be written again, because no flush of this file proves anything.
    mutating func suspect() {
        self.state.suspect()
    }

    /// Gives up the descriptor; the bytes are written again.
    mutating func suspectAndClose() {
        self.state.suspect()
        self.file = nil
    }

    /// Adapts to a new folder that does not contain the file.
    mutating func leaveFolder(isHeld: Bool) {
        self.state.leaveFolder()
        if isHeld { self.marks.insert(.held) } else { self.marks.remove(.held) }
    }

    /// Writes all bytes to a new file, flushes it, and gives it the name of this one; the folder is not flushed.
    ///
    /// - Throws: The error of the copy.
    func copy(in folder: Folder) throws(StorageError) -> OpenFile {
        try self.state.copy(try self.open(in: folder), in: folder) { copy throws(StorageError) in
            var other = self
            other.file = copy
            other.mapping = nil
            var reader = try SegmentReader(other, in: folder)
            var sound = 0
            _ = try reader.visit(0..<self.frames.index.count, limit: .max) { frame, start, _ in
                if frame.isSound(start, seed: other.seed) { sound += 1 }
            }
            return sound == self.live
        }
    }

    /// Reads from a flushed copy, to which the name now leads.
    mutating func adoptCopy(_ copy: OpenFile) {
        self.noteCut()
        self.file = copy
        self.mapping = nil
        self.state.noteCopy()
    }

    /// Marks that the copy's name survives a power loss too.
    mutating func finishCopy(upTo end: UInt64) {
        self.state.finishCopy(upTo: end)
    }

    /// Returns the file as the quarantine takes it.
    func log(_ file: OpenFile) -> LogFile {
        LogFile(file: file, header: self.header, end: self.end)
    }
}
