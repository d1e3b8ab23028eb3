// SPDX-License-Identifier: Apache-2.0

/// The files of a journal in ascending order of their sequences, and the counts over all of them.
struct SegmentList: Sendable {
    /// The number of newest files kept open, and of most recently read files kept open.
    private static let openFiles = 16

    /// The number of further files that an append keeps open because their bytes are not flushed.
    ///
    /// Beyond it the append gives up the oldest; it must not flush, because others wait for its lock.
    private static let heldLimit = 256

    private let cutting: JournalSegment.Cutting

    private(set) var all: [JournalSegment]

    private(set) var liveCount: Int
    private(set) var liveBytes: UInt64

    /// The bytes of all files that take no more frames.
    private(set) var sealedBytes: UInt64

    private struct Marks: OptionSet, Sendable {
        let rawValue: UInt8

        /// The newest file takes frames.
        static let writing = Marks(rawValue: 1)
        /// Files may have to be removed or compacted.
        static let upkeep = Marks(rawValue: 2)
    }

    private var marks: Marks = []

    /// The numbers of older files kept open since they were read, the least recently read first.
    private var readFiles: [UInt64] = []

    init(_ segments: [JournalSegment], cutting: JournalSegment.Cutting) {
        self.cutting = cutting
        self.all = segments
        self.liveCount = segments.reduce(0) { $0 + $1.live }
        self.liveBytes = segments.reduce(0) { $0 + $1.liveBytes }
        self.sealedBytes = segments.reduce(0) { $0 + $1.end }
    }

    /// True if the newest file takes frames.
    @inline(__always)
    private var isWriting: Bool { self.marks.contains(.writing) }

    /// True if files may have to be removed or compacted.
    var needsUpkeep: Bool { self.marks.contains(.upkeep) }

    /// The files that take no more frames.
    var sealed: ArraySlice<JournalSegment> {
        self.isWriting ? self.all.dropLast() : self.all[...]
    }

    /// The newest file while it takes frames.
    var newest: JournalSegment? {
        self.isWriting ? self.all.last : nil
    }

    /// The bytes of all files, including reserved ones.
    var diskBytes: UInt64 {
        self.all.reduce(self.sealedBytes) { $0 + $1.uncutBytes }
            + (self.newest.map { $0.mapping == nil ? $0.end : $0.capacity } ?? 0)
    }

    /// The full files that are to be cut behind their last frame.
    var uncut: [JournalSegment] { self.all.filter(\.isUncut) }

    var hasUncut: Bool { self.all.contains(where: \.isUncut) }

    /// The offset of the next frame in the newest file.
    @inline(__always)
    var newestEnd: UInt64 { self.isWriting ? self.all[self.all.count - 1].end : 0 }

    /// The files without a live frame, except the newest, which after a restart shows the sequences assigned so far.
    var deadSegments: [JournalSegment] {
        self.all.dropLast().filter { $0.live == 0 }
    }

    var hasDeadSegments: Bool {
        self.all.dropLast().contains { $0.live == 0 }
    }

    /// The sequences of dead frames that are still in files.
    var deadRanges: SequenceRanges {
        var ranges = SequenceRanges()
        for segment in self.all {
            for range in segment.frames.deadRanges { ranges.insert(range) }
        }
        return ranges
    }

    // MARK: - Finding

    func contains(_ sequence: UInt64) -> Bool {
        self.find(sequence) != nil
    }

    /// Returns the segment and ordinal of a live frame; nil if there is none.
    private func find(_ sequence: UInt64) -> (segment: Int, ordinal: Int)? {
        let segment = self.index(notBelow: sequence)
        guard segment < self.all.count, let ordinal = self.all[segment].frames.find(sequence) else { return nil }
        return (segment, ordinal)
    }

    /// Returns the first file that reaches a sequence and has a live frame.
    func firstLive(notBelow sequence: UInt64) -> JournalSegment? {
        self.all[self.index(notBelow: sequence)...].first { $0.live > 0 }
    }

    /// Returns the file with a number.
    func segment(_ number: UInt64) -> JournalSegment? {
        self.index(of: number).map { self.all[$0] }
    }

    /// Returns the index of the first file that reaches a sequence.
    private func index(notBelow sequence: UInt64) -> Int {
        var low = 0
        var high = self.all.count
        while low < high {
            let middle = (low + high) / 2
            if self.all[middle].lastOrBefore < sequence {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    private func index(of number: UInt64) -> Int? {
        self.all.firstIndex { $0.number == number }
    }

    // MARK: - Appending

    /// True if a frame of this length fits into the newest file.
    @inline(__always)
    func hasRoom(_ length: Int) -> Bool {
        self.isWriting && self.all[self.all.count - 1].hasRoom(length)
    }

    /// Writes a frame to the newest file, which must have room for it.
    @inline(__always)
    mutating func write(
        _ frame: JournalFrame,
        _ stamp: UnsafeRawBufferPointer,
        _ payload: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer
    ) throws(StorageError) {
        try self.all[self.all.count - 1].write(frame, stamp, payload, rest)
        self.liveCount += 1
        self.liveBytes += UInt64(frame.length)
    }

    /// Cuts off the rest of a failed write, or closes the newest file to further frames if that fails.
    mutating func cutLeftovers() {
        guard self.isWriting else { return }
        do throws(StorageError) {
            try self.all[self.all.count - 1].cutLeftovers()
        } catch {
            // The rest of a failed write cannot be cut off, so the file stays as it is, and a new one follows.
            self.seal()
        }
    }

    /// Lets the newest file, if it is full, take one more frame.
    mutating func grow(_ length: Int) {
        guard self.isWriting else { return }
        self.all[self.all.count - 1].grow(length)
    }

    /// Makes a new file the one that takes frames.
    ///
    /// - Returns: The mapping of an older file that ends with this.
    mutating func begin(_ segment: JournalSegment) -> FileMapping? {
        self.seal()
        self.all.append(segment)
        self.marks.insert(.writing)
        return self.retire()
    }

    /// Closes the newest file to further frames.
    mutating func seal() {
        guard self.isWriting else { return }
        self.marks.remove(.writing)
        let last = self.all.count - 1
        self.all[last].seal(self.cutting)
        self.sealedBytes += self.all[last].end
        if self.all[last].live == 0 { self.marks.insert(.upkeep) }
    }

    /// Stops appending to a file without a name; its frames are read from it until they are written to another one.
    mutating func leaveNewest() {
        guard self.isWriting else { return }
        self.seal()
        self.all[self.all.count - 1].suspect()
        self.marks.insert(.upkeep)
    }

    // MARK: - Removing

    /// Returns the oldest live frames with at least so many bytes in total.
    func oldest(atLeast wanted: UInt64) -> [UInt64] {
        var oldest: [UInt64] = []
        var bytes: UInt64 = 0
        for segment in self.all {
            let count = segment.frames.index.count
            var ordinal = segment.frames.dead.nextMissing(from: 0, limit: count)
            while ordinal < count {
                guard bytes < wanted else { return oldest }
                oldest.append(segment.frames.index.sequence(of: ordinal))
                bytes += segment.frames.length(of: ordinal)
                ordinal = segment.frames.dead.nextMissing(from: ordinal + 1, limit: count)
            }
        }
        return oldest
    }

    /// Counts a live frame as dead.
    mutating func drop(_ sequence: UInt64) {
        guard let (segment, ordinal) = self.find(sequence) else { return }
        self.liveBytes -= self.all[segment].drop(ordinal)
        self.liveCount -= 1
        if self.all[segment].live == 0, segment < self.sealed.endIndex { self.marks.insert(.upkeep) }
    }

    /// Removes files.
    ///
    /// - Returns: Their names.
    mutating func release(_ numbers: Set<UInt64>) -> [String] {
        let released = self.all.filter { numbers.contains($0.number) }
        for segment in released { self.sealedBytes -= segment.end }
        self.all.removeAll { numbers.contains($0.number) }
        return released.map(\.state.name)
    }

    /// Removes all files.
    mutating func clear() {
        self.seal()
        self = SegmentList([], cutting: self.cutting)
    }

    /// Replaces files with the one that has their live frames.
    ///
    /// - Returns: The names of files that are not needed any more.
    mutating func replace(_ sources: [JournalSegment], by new: JournalSegment) -> [String] {
        guard let first = sources.first, let position = self.index(of: first.number) else { return [] }
        let end = position + sources.count
        var new = new
        // Some frames may have been acknowledged during the copy.
        for ordinal in 0..<new.frames.index.count where !self.contains(new.frames.index.sequence(of: ordinal)) {
            _ = new.drop(ordinal)
        }
        var released: [String] = []
        for segment in self.all[position..<end] {
            self.liveBytes -= segment.liveBytes
            self.sealedBytes -= segment.end
            released.append(segment.state.name)
        }
        if new.frames.index.count > 0 {
            self.liveBytes += new.liveBytes
            self.sealedBytes += new.end
            self.all.replaceSubrange(position..<end, with: CollectionOfOne(new))
            if new.live == 0 { self.marks.insert(.upkeep) }
        } else {
            released.append(new.state.name)
            self.all.removeSubrange(position..<end)
        }
        return released
    }

    // MARK: - Upkeep

    mutating func requestUpkeep() {
        self.marks.insert(.upkeep)
    }

    /// Notes that upkeep begins; frames dropped from here on request it again.
    mutating func beginUpkeep() {
        self.marks.remove(.upkeep)
    }

    // MARK: - Open files

    /// True if files are open only for a flush.
    var hasHeld: Bool { self.all.contains(where: \.isHeld) }

    /// Releases resources that only the newest files keep: mappings after two files, descriptors after some more.
    private mutating func retire() -> FileMapping? {
        let count = self.all.count
        let retired = count > 2 ? self.all[count - 3].unmap() : nil
        guard count > Self.openFiles else { return retired }
        let index = count - 1 - Self.openFiles
        self.all[index].closeOrHold()
        guard self.all[index].isHeld else { return retired }
        // The upkeep flushes and closes it; until then the held descriptors count against those of the process.
        self.marks.insert(.upkeep)
        guard self.all.count(where: { $0.isHeld && $0.file != nil }) > Self.heldLimit,
            let oldest = self.all.firstIndex(where: { $0.isHeld && !$0.state.isSuspect })
        else { return retired }
        // Only the descriptor reliably reports if its bytes reached the medium; without it, the upkeep writes them
        // again. A flush here would block all callers that log.
        self.all[oldest].suspectAndClose()
        return retired
    }

    /// Keeps a file open after reading, because the next batch is likely to need it too.
    mutating func keep(_ file: OpenFile, of segment: JournalSegment) {
        // Meanwhile the file may have been removed, replaced or opened.
        guard let index = self.index(of: segment.number), self.all[index].file == nil,
            self.all[index].header == segment.header
        else { return }
        self.all[index].keepOpen(file)
        self.readFiles.append(segment.number)
        guard self.readFiles.count > Self.openFiles, let oldest = self.index(of: self.readFiles.removeFirst()),
            oldest + Self.openFiles < self.all.count
        else { return }
        self.all[oldest].closeOrHold()
    }

    /// The oldest files that are open only for a flush.
    ///
    /// - Parameter kept: The number of newest files to leave out.
    /// - Returns: The files, oldest first.
    func held(beyond kept: Int) -> [JournalSegment] {
        let held = self.all.filter { $0.isHeld && !$0.state.isSuspect }
        return Array(held.prefix(max(0, held.count - kept)))
    }

    // MARK: - Flushing

    /// The work of a flush now.
    var flushPlan: FlushPlan {
        var plan = FlushPlan()
        for segment in self.all { plan.add(segment.state, segment.file) }
        return plan
    }

    /// Applies the result of a flush.
    mutating func finish(_ outcome: FlushPlan.Outcome) {
        for index in self.all.indices where self.all[index].finish(outcome) && index == self.all.count - 1 {
            // No more frames go to a file that will be replaced.
            self.seal()
        }
        for index in self.all.indices where self.all[index].isHeld { self.all[index].releaseHeld() }
    }

    /// Changes a file, if it was not replaced meanwhile, and closes those that were open only for that.
    mutating func update(_ number: UInt64, _ change: (inout JournalSegment) -> Void) {
        if let index = self.index(of: number) { change(&self.all[index]) }
        for index in self.all.indices where self.all[index].isHeld { self.all[index].releaseHeld() }
    }

    /// The files that are written again, because no flush of them proves anything.
    var suspects: [JournalSegment] { self.all.filter(\.state.isSuspect) }

    var hasSuspects: Bool { self.all.contains(where: \.state.isSuspect) }

    /// Adapts to a new folder that contains none of the files; those that are open are written to it.
    ///
    /// - Returns: The number of live frames of files that were not open; they are lost.
    mutating func leaveFolder() -> Int {
        self.seal()
        var lost = 0
        for segment in self.all where segment.file == nil {
            lost += segment.live
            self.liveBytes -= segment.liveBytes
            self.sealedBytes -= segment.end
        }
        self.liveCount -= lost
        self.all.removeAll { $0.file == nil }
        for index in self.all.indices {
            self.all[index].leaveFolder(isHeld: index + Self.openFiles < self.all.count)
        }
        self.readFiles = []
        self.marks.insert(.upkeep)
        return lost
    }
}
