// SPDX-License-Identifier: Apache-2.0

/// One file of a journal, with the places of its frames and their state.
///
/// Copies are cheap. A reader takes one under the journal's lock and reads with it outside, because the frames before
/// its end never change.
struct JournalSegment: Sendable {
    let header: FileHeader

    /// The checksum of the file's salt.
    let seed: CRC32C

    /// The open file; nil for one that opens on demand, so that a long journal does not use up descriptors.
    var file: OpenFile?

    /// The mapped bytes, for the newest files.
    var mapping: SegmentMapping?

    /// The offset of the next frame; all frames before it are complete.
    var end: UInt64

    /// The offset at which the file is full.
    var capacity: UInt64

    /// The offset up to which zeros were written, in a mapped file; otherwise the offset of the next check of its name.
    private var filled: UInt64

    /// The places of the frames.
    private(set) var index = FrameIndex()

    /// The frames that are acknowledged, damaged or unfinished.
    private(set) var dead = FrameBits()

    /// The number of frames that are not dead.
    private(set) var live = 0

    /// The bytes of the live frames, or more.
    ///
    /// A dead frame whose length is unknown without reading the file counts as the shortest one until the bytes are
    /// counted again.
    private(set) var liveBytes: UInt64 = 0

    private var longest: UInt64 = 0

    private var shortest: UInt64 = .max

    /// The number of frames counted as the shortest one since the last count.
    private(set) var estimated = 0

    /// The ordinal and offset of the frame after the one measured last.
    private var measured: (next: Int, offset: UInt64) = (0, 0)

    /// The end at the last successful flush; zero before the first.
    var flushedEnd: UInt64 = 0

    /// True once a flush of the folder covered the name.
    var isNameFlushed = true

    /// True if this process appended frames to it.
    var isAppended = false

    /// True if it is open only for the next flush.
    var isHeld = false

    /// True after a failed flush: the kernel may have dropped bytes, and a second flush would not report it.
    var isSuspect = false

    /// True if bytes of a failed write may lie after the end.
    private(set) var hasLeftovers = false

    var name: String { FileName(number: self.header.number, suffix: self.header.kind.suffix).text }

    /// The highest sequence that the file covers; later files begin above it.
    var top: UInt64 {
        let spanned = self.header.span > 0 ? self.header.base + UInt64(self.header.span) - 1 : 0
        // A file without a frame covers the sequences before it.
        return max(self.index.last, self.header.sequenceBefore, spanned)
    }

    init(_ header: FileHeader, file: OpenFile?, end: UInt64, capacity: UInt64, mapping: SegmentMapping? = nil) {
        self.header = header
        var seed = CRC32C()
        withUnsafeBytes(of: header.salt.littleEndian) { seed.update($0) }
        self.seed = seed
        self.file = file
        self.mapping = mapping
        self.end = end
        self.capacity = capacity
        self.filled = end
    }

    /// True if the descriptor has to stay open.
    ///
    /// Only the descriptor of a write reliably reports its failure to reach the medium, and only it leads to a file
    /// without a name.
    var needsDescriptor: Bool { self.isSuspect || self.isAppended && self.flushedEnd < self.end }

    /// Adds a frame that is in the file.
    @inline(__always)
    mutating func add(_ frame: JournalFrame, at offset: UInt64) {
        self.index.append(frame.sequence, at: offset)
        self.live += 1
        self.liveBytes += UInt64(frame.length)
        self.longest = max(self.longest, UInt64(frame.length))
        self.shortest = min(self.shortest, UInt64(frame.length))
    }

    /// Adds a frame that is in the file, but dead.
    mutating func addDead(_ frame: JournalFrame, at offset: UInt64) {
        self.dead.insert(self.index.count)
        self.index.append(frame.sequence, at: offset)
    }

    /// Marks a live frame as dead.
    ///
    /// - Parameters:
    ///   - ordinal: The frame's ordinal.
    ///   - length: The frame's length, if the caller knows it.
    /// - Returns: The decrease of `liveBytes`.
    mutating func drop(_ ordinal: Int, length: UInt64? = nil) -> UInt64 {
        var bytes = self.liveBytes
        if self.live > 1 {
            if let length = length ?? self.length(of: ordinal) {
                bytes = length
            } else {
                bytes = self.shortest
                self.estimated += 1
            }
            // Even if the file was overwritten, the other frames have at least the bytes of the shortest.
            bytes = min(bytes, self.liveBytes - UInt64(self.live - 1) * self.shortest)
        }
        self.dead.insert(ordinal)
        self.live -= 1
        self.liveBytes -= bytes
        return bytes
    }

    /// Returns the length of a frame, if it is known without reading a file.
    private mutating func length(of ordinal: Int) -> UInt64? {
        if self.shortest == self.longest { return self.longest }
        guard let mapping = self.mapping else { return nil }
        // Mapped frames were appended here, without a gap: from the first frame of the block, or from the one measured
        // last, each header leads to the next.
        var next = ordinal - ordinal % FrameIndex.stride
        var offset: UInt64
        if self.measured.next > next, self.measured.next <= ordinal {
            (next, offset) = self.measured
        } else {
            offset = self.index.offset(ofBlock: ordinal / FrameIndex.stride)
        }
        var length: UInt64 = 0
        while next <= ordinal {
            guard offset + UInt64(JournalFrame.size) <= self.end else { return nil }
            length = UInt64(JournalFrame.length(mapping.address + Int(offset)))
            offset += length
            next += 1
        }
        self.measured = (next, offset)
        return length
    }

    /// Lowers `liveBytes` without reading: no live frame lies before the block of the first one.
    ///
    /// If frames are acknowledged in order, no count is needed.
    ///
    /// - Returns: The decrease of `liveBytes`.
    mutating func tighten() -> UInt64 {
        let first = self.dead.nextMissing(from: 0, limit: self.index.count)
        guard first < self.index.count else { return 0 }
        if self.live == self.index.count - first { self.estimated = 0 }
        let most = self.end - self.index.offset(ofBlock: first / FrameIndex.stride)
        guard most < self.liveBytes else { return 0 }
        defer { self.liveBytes = most }
        return self.liveBytes - most
    }

    /// True if so many dead frames have unknown lengths that the live bytes have to be counted.
    ///
    /// A count reads the file, so it waits for a quarter of the frames, or for fewer that may have had as many bytes.
    var isCountStale: Bool {
        self.estimated > 0
            && (3 * self.estimated > self.live
                || 15 * self.estimated > self.live && 4 * UInt64(self.estimated) * self.longest > self.end)
    }

    /// The bytes of the live frames, or fewer: dead frames of unknown length count as the longest.
    var leastLiveBytes: UInt64 {
        guard self.estimated > 0 else { return self.liveBytes }
        let unknown = UInt64(self.estimated) * (self.longest - self.shortest)
        return max(UInt64(self.live) * self.shortest, self.liveBytes - min(self.liveBytes, unknown))
    }

    /// Applies an exact count of the bytes that were live at some moment.
    ///
    /// - Parameters:
    ///   - bytes: The counted bytes.
    ///   - before: The file at that moment; later changes are applied on top.
    mutating func recount(_ bytes: UInt64, of before: JournalSegment) {
        let counted = bytes + self.liveBytes
        self.liveBytes = counted > before.liveBytes ? counted - before.liveBytes : 0
        self.estimated -= min(self.estimated, before.estimated)
    }

    /// True if a frame of this length fits.
    func hasRoom(_ length: Int) -> Bool {
        self.end + UInt64(length) <= self.capacity
    }

    /// Returns the open file, and opens it if necessary.
    func open(in folder: Folder) throws(StorageError) -> OpenFile {
        if let file = self.file { return file }
        return try folder.openFile(self.name)
    }

    /// Returns the file as the quarantine takes it.
    func log(_ file: OpenFile) -> LogFile {
        LogFile(file: file, header: self.header, end: self.end)
    }
}

extension JournalSegment {
    /// The distance by which zeros are written ahead of the frames, in bytes.
    ///
    /// It is large enough that fewer than one event in 200 waits for it, and small enough that the wait is 30 us.
    private static let fillBytes: UInt64 = 128 << 10

    /// The number of frames in a file that is not mapped between checks that the file still has a name.
    private static let checkedFrames = 256

    private static let zeros = [UInt8](repeating: 0, count: Int(Self.fillBytes))

    /// Appends a frame to the mapped bytes.
    ///
    /// Before the first touch of a page, `pwrite(2)` writes its zeros, so that the page exists and its block is
    /// allocated. Without it, each first touch costs microseconds in the file system.
    @inline(__always)
    mutating func write(
        _ frame: JournalFrame,
        to mapping: SegmentMapping,
        _ stamp: UnsafeRawBufferPointer,
        _ payload: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer
    ) throws(StorageError) {
        let end = self.end + UInt64(frame.length)
        if end > self.filled { try self.fill(upTo: end) }
        frame.write(to: mapping.address + Int(self.end), seed: self.seed, stamp: stamp, payload: payload, rest)
        self.add(frame, at: self.end)
        self.end = end
    }

    private mutating func fill(upTo end: UInt64) throws(StorageError) {
        guard let file = self.file else { throw StorageError.closed(self.name) }
        guard try file.status().links > 0 else { throw StorageError.removed(file.path) }
        while self.filled < end {
            // It goes up to a multiple of the step, so that pages are written whole.
            let next = min(self.capacity, (self.filled / Self.fillBytes + 1) * Self.fillBytes)
            let count = Int(next - self.filled)
            var failure: StorageError?
            Self.zeros.withUnsafeBytes { zeros in
                do throws(StorageError) {
                    try file.write(UnsafeRawBufferPointer(rebasing: zeros[..<count]), at: self.filled)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            self.filled = next
        }
    }

    /// Appends a frame with one write.
    ///
    /// If it throws, the frame was not appended: the rest of a partial write is cut off now, or before the next
    /// append.
    mutating func write(
        _ frame: JournalFrame,
        _ stamp: UnsafeRawBufferPointer,
        _ payload: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer
    ) throws(StorageError) {
        try self.cutLeftovers()
        guard let file = self.file else { throw StorageError.closed(self.name) }
        if self.index.count.isMultiple(of: Self.checkedFrames) || self.end >= self.filled {
            guard try file.status().links > 0 else { throw StorageError.removed(file.path) }
            self.filled = self.end + Self.fillBytes
        }
        var failure: StorageError?
        withUnsafeTemporaryAllocation(byteCount: frame.length, alignment: 8) { buffer in
            guard let start = buffer.baseAddress else { return }
            frame.write(to: start, seed: self.seed, stamp: stamp, payload: payload, rest)
            do throws(StorageError) {
                try file.write(UnsafeRawBufferPointer(buffer), at: self.end)
            } catch {
                failure = error
            }
        }
        if let failure {
            self.hasLeftovers = true
            do throws(StorageError) {
                try self.cutLeftovers()
            } catch {
                // The next append tries again, and moves to a new file if that fails too. The first error says more.
            }
            throw failure
        }
        self.add(frame, at: self.end)
        self.end += UInt64(frame.length)
    }

    /// Cuts off the rest of a failed write after the end.
    mutating func cutLeftovers() throws(StorageError) {
        guard self.hasLeftovers else { return }
        try self.file?.truncate(to: self.end)
        self.hasLeftovers = false
    }

    /// Ends the file after its last frame; no more frames go to it.
    mutating func seal() {
        if self.mapping != nil || self.hasLeftovers {
            do throws(StorageError) {
                try self.file?.truncate(to: self.end)
            } catch {
                // Zeros or a partial frame stay after the end; they cost space, and a start skips them.
            }
        }
        self.capacity = self.end
        self.index.trim()
    }
}
