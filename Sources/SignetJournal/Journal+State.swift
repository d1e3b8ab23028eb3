// SPDX-License-Identifier: Apache-2.0

extension Journal {
    /// The state that the journal's lock protects.
    struct State: Sendable {
        /// The position that a flush covers: recorded at its start, valid once it succeeds.
        struct Synced: Sendable, Equatable {
            /// The sequence of the newest frame.
            var sequence: UInt64
            var acknowledgements: Int
        }

        /// The number of newest files kept open, and of most recently read files kept open.
        static let openFiles = 16

        /// Twice the number of further files that stay open after an acknowledgement because their bytes are not
        /// flushed.
        static let heldFiles = 64
        /// The number of further files that an append keeps open because their bytes are not flushed.
        ///
        /// Beyond it the append gives up the oldest; it must not flush, because others wait for its lock.
        static let heldLimit = 256

        /// The number of unneeded files left to the upkeep before an append that drops frames removes them.
        static let deadFiles = 2

        let options: Options
        var isClosed = false
        /// The files in ascending order of their sequences; the last one takes frames while `isWriting`.
        var segments: [JournalSegment]
        var isWriting = false
        /// True after the folder was removed; the next append opens it again by its path.
        var isFolderGone = false
        /// False once space cannot be reserved or files cannot be mapped.
        var canMap: Bool
        var acknowledgements: LogFileSet
        /// The size of those files after their last rewrite, in bytes.
        var rewrittenBytes: UInt64 = 0
        var nextSequence: UInt64
        var liveCount: Int
        var liveBytes: UInt64
        var sealedBytes: UInt64
        var damagedFrames = 0
        var droppedFrames = 0
        /// Names of unneeded files that are to be removed.
        var released: [String] = []
        /// True if files may have to be removed or compacted.
        var needsUpkeep = false
        /// True if the live bytes of some file may have to be counted.
        var hasStaleCount = false
        /// The number of acknowledgements written.
        var written = 0
        /// The value of `written` before which no compaction is tried, because the last one failed.
        var compactAfter = 0
        var synced = Synced(sequence: 0, acknowledgements: 0)
        var syncCount = 0
        var retired: SegmentMapping?
        /// The numbers of older files kept open since they were read, the least recently read first.
        var readFiles: [UInt64] = []
        let limitBytes: UInt64
        private var hasDropped = false
        private var nextNumber: UInt64
        var spare: SpareFile

        init(_ loader: Loader, _ options: Options, _ folder: Folder) {
            self.options = options
            self.limitBytes = options.limitBytes ?? .max >> 1
            self.canMap = options.storage == .automatic && folder.canBeMapped
            self.segments = loader.segments
            self.acknowledgements = loader.acknowledgements
            self.rewrittenBytes = 0
            self.liveCount = loader.segments.reduce(0) { $0 + $1.live }
            self.liveBytes = loader.segments.reduce(0) { $0 + $1.liveBytes }
            self.sealedBytes = loader.segments.reduce(0) { $0 + $1.end }
            self.nextSequence = loader.lastSequence + 1
            self.nextNumber = loader.nextNumber
            self.released = loader.released
            self.spare = SpareFile(folder: folder, name: "journal.spare")
            self.spare.hold()
            self.needsUpkeep = !self.released.isEmpty || self.hasDeadSegments || self.compactionSources != nil
        }

        /// The sequence of the newest frame ever appended; 0 before the first.
        var lastSequence: UInt64 {
            self.nextSequence - 1
        }

        /// The bytes of all files, including reserved ones.
        var diskBytes: UInt64 {
            let active = self.isWriting ? self.segments.last : nil
            let reserved = active.map { $0.mapping == nil ? $0.end : $0.capacity } ?? 0
            return self.sealedBytes + reserved + self.acknowledgements.bytes
        }

        func checkOpen(_ folder: Folder) throws(StorageError) {
            if self.isClosed { throw .closed(folder.path) }
        }

        /// Releases all files and frames.
        mutating func clear(_ folder: Folder) {
            self.isClosed = true
            self.seal()
            self.segments = []
            self.liveCount = 0
            self.liveBytes = 0
            self.sealedBytes = 0
            self.acknowledgements = LogFileSet(
                kind: .acknowledgements,
                folder: folder,
                nextNumber: self.acknowledgements.nextNumber
            )
        }

        /// Takes the number of a new file; none is used twice.
        mutating func takeNumber() -> UInt64 {
            defer { self.nextNumber += 1 }
            return self.nextNumber
        }

        /// Tries to hold the spare space again.
        mutating func holdSpare() {
            self.spare.hold()
        }

        @inline(__always)
        mutating func takeDropped() -> Bool {
            guard self.hasDropped else { return false }
            self.hasDropped = false
            return true
        }

        /// Returns the segment and ordinal of a live frame; nil if there is none.
        func find(_ sequence: UInt64) -> (segment: Int, ordinal: Int)? {
            let segment = self.segmentIndex(notBelow: sequence)
            guard segment < self.segments.count, let ordinal = self.segments[segment].index.ordinal(of: sequence),
                !self.segments[segment].dead.contains(ordinal)
            else { return nil }
            return (segment, ordinal)
        }

        /// Returns the index of the first segment that reaches a sequence.
        func segmentIndex(notBelow sequence: UInt64) -> Int {
            var low = 0
            var high = self.segments.count
            while low < high {
                let middle = (low + high) / 2
                if self.segments[middle].lastOrBefore < sequence {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }

        /// Returns the index of the segment with a file number.
        func segmentIndex(of number: UInt64) -> Int? {
            self.segments.firstIndex { $0.header.number == number }
        }

        /// Counts a frame as dead, in memory.
        mutating func drop(_ sequence: UInt64, length: UInt64? = nil) {
            guard let (segment, ordinal) = self.find(sequence) else { return }
            self.liveBytes -= self.segments[segment].drop(ordinal, length: length)
            self.liveCount -= 1
            guard self.segments[segment].live > 0 else {
                if !self.isWriting || segment < self.segments.count - 1 { self.needsUpkeep = true }
                return
            }
            if self.segments[segment].isCountStale { self.liveBytes -= self.segments[segment].tighten() }
            if self.segments[segment].isCountStale { self.hasStaleCount = true }
        }

        /// Drops the oldest frames until a new one fits below the limit.
        mutating func makeRoomBelowLimit(_ length: UInt64, _ folder: Folder) throws(StorageError) {
            guard self.options.whenFull == .dropOldest, length <= self.limitBytes else {
                throw .limitReached(folder.path, limit: self.limitBytes)
            }
            // It drops more than needed, so that not every append has to do this.
            let excess = self.liveBytes + length - self.limitBytes
            let wanted = min(self.liveBytes, max(excess, self.options.segmentSize / 16))
            let oldest = self.oldest(atLeast: wanted, folder)
            guard let first = oldest.first, let last = oldest.last else { return }
            var ranges = SequenceRanges()
            ranges.insert(first.sequence...last.sequence)
            try self.appendAcknowledgements(ranges)
            for frame in oldest {
                self.drop(frame.sequence, length: frame.length)
            }
            self.droppedFrames += oldest.count
            self.hasDropped = self.released.count + self.deadSegments.count > Self.deadFiles
        }

        /// Returns the oldest live frames with at least so many bytes in total.
        ///
        /// It reads their lengths, so that no frame is dropped without need when lengths differ.
        private func oldest(atLeast wanted: UInt64, _ folder: Folder) -> [(sequence: UInt64, length: UInt64)] {
            var frames: [(sequence: UInt64, length: UInt64)] = []
            var bytes: UInt64 = 0
            for segment in self.segments where segment.live > 0 {
                guard bytes < wanted else { break }
                do throws(StorageError) {
                    var reader = try SegmentReader(segment, in: folder)
                    var ordinal = 0
                    while ordinal < segment.index.count, bytes < wanted {
                        let end = min(segment.index.count, ordinal + 64 * FrameIndex.stride)
                        _ = try reader.visit(ordinal..<end, limit: .max) { frame, _, _ in
                            guard bytes < wanted else { return }
                            frames.append((frame.sequence, UInt64(frame.length)))
                            bytes += UInt64(frame.length)
                        }
                        ordinal = end
                    }
                } catch {
                    // An unreadable file must not block new frames, so all its frames are dropped.
                    frames.removeAll { $0.sequence >= segment.index.first }
                    for ordinal in 0..<segment.index.count where !segment.dead.contains(ordinal) {
                        frames.append((segment.index.sequence(of: ordinal), segment.liveBytes / UInt64(segment.live)))
                    }
                    bytes = frames.reduce(0) { $0 + $1.length }
                }
            }
            return frames
        }

        /// Writes acknowledgements, even on a full disk.
        mutating func appendAcknowledgements(_ ranges: SequenceRanges) throws(StorageError) {
            do throws(StorageError) {
                try self.writeAcknowledgements(ranges)
            } catch {
                guard error.code == .diskFull, self.spare.release() else { throw error }
                try self.writeAcknowledgements(ranges)
            }
        }

        private mutating func writeAcknowledgements(_ ranges: SequenceRanges) throws(StorageError) {
            let (slot, salt) = try self.acknowledgements.writable(limit: .max, base: self.nextSequence)
            var buffer: [UInt8] = []
            let lists = ranges.encoded
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            for list in lists {
                list.withUnsafeBytes { list in
                    FrameHeader.encode(
                        .acknowledge,
                        sequence: ranges.highest ?? 0,
                        key: nothing,
                        value: list,
                        salt: salt,
                        to: &buffer
                    )
                }
            }
            _ = try self.acknowledgements.append(buffer, frames: lists.count, to: slot)
            self.written += 1
        }
    }
}

extension JournalSegment {
    /// The highest sequence of a frame, or the one before the file if it has none; searches use it.
    var lastOrBefore: UInt64 {
        self.index.count > 0 ? self.index.last : self.header.sequenceBefore
    }
}
