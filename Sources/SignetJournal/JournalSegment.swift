//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// One file of a journal: where its frames lie, and which of them are live.
///
/// Copies are cheap. A reader takes one under the journal's lock and reads with it outside: the frames before its end never
/// change.
struct JournalSegment: Sendable {
    /// The header of the file.
    let header: FileHeader

    /// The checksum of the file's salt.
    let seed: CRC32C

    /// The open file; nil for one that is opened when it is needed, so that a long journal does not use up descriptors.
    var file: OpenFile?

    /// The bytes in memory, for the newest files.
    var mapping: SegmentMapping?

    /// Where the next frame goes: all before it was written whole.
    var end: UInt64

    /// What the file has for frames: when they are up to it, it is full.
    var capacity: UInt64

    /// Up to where zeros were written ahead of the frames, in a mapped file; in any other, where its name is looked for next.
    private var filled: UInt64

    /// Where the frames lie.
    private(set) var index = FrameIndex()

    /// The frames that are acknowledged, damaged, or were never finished.
    private(set) var dead = FrameBits()

    /// How many frames are not dead.
    private(set) var live = 0

    /// The bytes of those, or more: a frame that went and whose length is not known without reading the file is taken for
    /// the shortest one until they are counted again.
    private(set) var liveBytes: UInt64 = 0

    /// The longest frame.
    private var longest: UInt64 = 0

    /// The shortest frame.
    private var shortest: UInt64 = .max

    /// How many frames were taken for the shortest one since the bytes were last counted.
    private(set) var estimated = 0

    /// Where the frame begins that follows the one whose length was looked up last.
    private var measured: (next: Int, offset: UInt64) = (0, 0)

    /// The end at the last successful flush; zero when none succeeded yet.
    var flushedEnd: UInt64 = 0

    /// Whether a flush of the folder covered the name.
    var isNameFlushed = true

    /// Frames were appended to it by this process.
    var isAppended = false

    /// It is only kept open for the flush to come.
    var isHeld = false

    /// A flush failed: the kernel may have dropped bytes, and a second flush would not say so.
    var isSuspect = false

    /// Bytes of a failed write may lie behind the end.
    private(set) var hasLeftovers = false

    /// Its name in the folder.
    var name: String { FileName(number: self.header.number, suffix: self.header.kind.suffix).text }

    /// The highest sequence that the file stands for: later files begin above it.
    var top: UInt64 {
        let spanned = self.header.span > 0 ? self.header.base + UInt64(self.header.span) - 1 : 0
        // A file without a frame stands for those before it.
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

    /// Whether a descriptor has to stay open: only the one that was open at the time of a write surely tells of the failure
    /// to write it to the medium, and only it leads to a file without a name.
    var needsDescriptor: Bool { self.isSuspect || self.isAppended && self.flushedEnd < self.end }

    /// Takes a frame in that is in the file.
    @inline(__always)
    mutating func add(_ frame: JournalFrame, at offset: UInt64) {
        self.index.append(frame.sequence, at: offset)
        self.live += 1
        self.liveBytes += UInt64(frame.length)
        self.longest = max(self.longest, UInt64(frame.length))
        self.shortest = min(self.shortest, UInt64(frame.length))
    }

    /// Takes a frame in that is in the file, but not live.
    mutating func addDead(_ frame: JournalFrame, at offset: UInt64) {
        self.dead.insert(self.index.count)
        self.index.append(frame.sequence, at: offset)
    }

    /// Lets a live frame go.
    ///
    /// - Parameters:
    ///   - ordinal: Which.
    ///   - length: Its bytes, where the caller knows them.
    /// - Returns: By how much `liveBytes` is less.
    mutating func drop(_ ordinal: Int, length: UInt64? = nil) -> UInt64 {
        var bytes = self.liveBytes
        if self.live > 1 {
            if let length = length ?? self.length(of: ordinal) {
                bytes = length
            } else {
                bytes = self.shortest
                self.estimated += 1
            }
            // Whatever somebody wrote over the file, the others have at least the bytes of the shortest.
            bytes = min(bytes, self.liveBytes - UInt64(self.live - 1) * self.shortest)
        }
        self.dead.insert(ordinal)
        self.live -= 1
        self.liveBytes -= bytes
        return bytes
    }

    /// The bytes of a frame, if no file has to be read to know them.
    private mutating func length(of ordinal: Int) -> UInt64? {
        if self.shortest == self.longest { return self.longest }
        guard let mapping = self.mapping else { return nil }
        // What is mapped was appended here, without a gap: from the first frame of the block, or the one measured last, each
        // header leads to the next.
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

    /// Takes off what is known without reading: no live frame lies before the block of the first one.
    ///
    /// Where frames go in their order, that is all there is to know.
    ///
    /// - Returns: By how much `liveBytes` is less.
    mutating func tighten() -> UInt64 {
        let first = self.dead.nextMissing(from: 0, limit: self.index.count)
        guard first < self.index.count else { return 0 }
        if self.live == self.index.count - first { self.estimated = 0 }
        let most = self.end - self.index.offset(ofBlock: first / FrameIndex.stride)
        guard most < self.liveBytes else { return 0 }
        defer { self.liveBytes = most }
        return self.liveBytes - most
    }

    /// Whether so many frames of unknown lengths went that the bytes of the others have to be counted.
    ///
    /// A count reads the file: it waits for a quarter of the frames, or for fewer that may have had as many bytes.
    var isCountStale: Bool {
        self.estimated > 0
            && (3 * self.estimated > self.live
                || 15 * self.estimated > self.live && 4 * UInt64(self.estimated) * self.longest > self.end)
    }

    /// The bytes of the live frames, or fewer: those whose lengths are not known may have been the longest.
    var leastLiveBytes: UInt64 {
        guard self.estimated > 0 else { return self.liveBytes }
        let unknown = UInt64(self.estimated) * (self.longest - self.shortest)
        return max(UInt64(self.live) * self.shortest, self.liveBytes - min(self.liveBytes, unknown))
    }

    /// Takes the exact bytes of the frames that were live at some moment.
    ///
    /// - Parameters:
    ///   - bytes: Their bytes.
    ///   - before: The file at that moment; what was added or let go since is added and taken off.
    mutating func recount(_ bytes: UInt64, of before: JournalSegment) {
        let counted = bytes + self.liveBytes
        self.liveBytes = counted > before.liveBytes ? counted - before.liveBytes : 0
        self.estimated -= min(self.estimated, before.estimated)
    }

    /// Whether a frame of some bytes fits.
    func hasRoom(_ length: Int) -> Bool {
        self.end + UInt64(length) <= self.capacity
    }

    /// The open file; opened now if it is not.
    func open(in folder: Folder) throws(StorageError) -> OpenFile {
        if let file = self.file { return file }
        return try folder.openFile(self.name)
    }

    /// What is known of the file, for setting a part of it aside.
    func log(_ file: OpenFile) -> LogFile {
        LogFile(file: file, header: self.header, end: self.end)
    }
}

extension JournalSegment {
    /// How far zeros are written ahead of the frames, in bytes: so much that fewer than one event in 200 waits for it, so
    /// little that it waits for 30 us.
    private static let fillBytes: UInt64 = 128 << 10

    /// So many frames are written to a file that is not mapped until it is looked whether the file still has a name.
    private static let checkedFrames = 256

    private static let zeros = [UInt8](repeating: 0, count: Int(Self.fillBytes))

    /// Appends a frame to the mapped bytes.
    ///
    /// Before the first touch of a page its zeros are written with `pwrite(2)`: then the page is there and its block
    /// allocated, and the touch is cheap; without, each one costs microseconds in the file system.
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
            // Up to a multiple of the step, so that pages are written whole.
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
    /// When it throws, there is no such frame: what a part of the write left behind is cut off now, or before the next.
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

    /// Cuts what a failed write left behind the end.
    mutating func cutLeftovers() throws(StorageError) {
        guard self.hasLeftovers else { return }
        try self.file?.truncate(to: self.end)
        self.hasLeftovers = false
    }

    /// Ends the file behind its last frame: no more go to it.
    mutating func seal() {
        if self.mapping != nil || self.hasLeftovers {
            do throws(StorageError) {
                try self.file?.truncate(to: self.end)
            } catch {
                // Zeros or a part of a frame stay behind the end; they cost space, and a start passes over them.
            }
        }
        self.capacity = self.end
        self.index.trim()
    }
}
