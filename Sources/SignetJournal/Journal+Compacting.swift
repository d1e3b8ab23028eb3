// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension Journal {
    /// The number of acknowledgements between a failed compaction and the next attempt.
    private static let pause = 64

    /// Writes the live frames of sparse files to new ones, until the files take at most about twice their live bytes.
    ///
    /// The caller holds the upkeep lock. Each copied byte frees at least one dead byte, so the cost is constant per
    /// appended byte.
    func compact() {
        do throws(StorageError) {
            try self.recount()
            while let sources = self.state.withLock({ $0.compactionSources }) {
                try self.compact(sources)
                do throws(StorageError) {
                    try self.removeReleased()
                } catch {
                    // The names stay recorded, and the next acknowledgement reports the disk's error.
                    self.state.withLock { $0.needsUpkeep = true }
                }
            }
        } catch {
            // The frames and acknowledgements are unchanged. A disk without space for a copy gets some when whole files
            // are removed.
            self.state.withLock { $0.compactAfter = $0.written + Self.pause }
        }
    }

    /// Counts the live bytes of files that lost too many frames of unknown lengths, if the count can make a difference.
    private func recount() throws(StorageError) {
        let stale = self.state.withLock { state in
            defer { state.hasStaleCount = false }
            return state.needsCount ? state.segments.filter(\.isCountStale) : []
        }
        for segment in stale {
            var reader = try SegmentReader(segment, in: self.folder)
            var bytes: UInt64 = 0
            _ = try reader.visit(0..<segment.index.count, limit: .max) { frame, _, _ in
                bytes += UInt64(frame.length)
            }
            guard reader.losses.isEmpty else {
                // The next count leaves out the lost frames.
                self.take(reader.losses, of: segment)
                continue
            }
            self.state.withLock { state in
                guard let index = state.segmentIndex(of: segment.header.number) else { return }
                state.liveBytes -= state.segments[index].liveBytes
                state.segments[index].recount(bytes, of: segment)
                state.liveBytes += state.segments[index].liveBytes
            }
        }
    }

    /// Writes the live frames of consecutive files to one new file, which replaces them.
    ///
    /// The caller holds the upkeep lock.
    ///
    /// - Parameters:
    ///   - sources: The files.
    ///   - changing: Returns a replacement for a payload, of the same length; nil to keep it.
    /// - Throws: The disk's error.
    func compact(
        _ sources: [JournalSegment],
        _ changing: (UnsafeRawBufferPointer) -> [UInt8]? = { _ in nil }
    ) throws(StorageError) {
        guard let first = sources.first, let last = sources.last else { return }
        // Acknowledgements of frames that the new file leaves out become durable before the old files go. Frames
        // acknowledged from here on are in the new file too.
        try self.flushAcknowledgements()
        let header = FileHeader(
            kind: .journal,
            salt: .random(in: 1 ... .max),
            number: self.state.withLock { $0.takeNumber() },
            base: first.header.base,
            span: UInt32(clamping: max(last.top + 1, first.header.base) - first.header.base)
        )
        var writer = SegmentWriter(try LogFile.create(in: self.folder, header))
        do throws(StorageError) {
            for source in sources {
                var reader = try SegmentReader(source, in: self.folder)
                try writer.append(&reader, changing)
                // Without a copy of the damaged bytes, the file has to stay.
                for loss in reader.losses { try self.setAside(loss.range, of: source) }
                self.take(reader.losses, of: source)
            }
            try writer.finish(in: self.folder)
            try self.quarantine.sync()
            try self.folder.sync()
        } catch {
            self.folder.discard(writer.log.name)
            throw error
        }
        let segment = writer.segment
        self.state.withLock { $0.replace(sources, by: segment) }
    }
}

extension Journal.State {
    /// The number of small files above which they are merged.
    private static let smallFiles = 32

    /// The bytes of frames in sealed files, dead or live.
    private var sealedFrameBytes: UInt64 {
        self.sealedBytes - UInt64(self.sealedCount * FileHeader.size)
    }

    /// True if sealed files have so many dead frames that compaction is due.
    var isSparse: Bool {
        guard self.written >= self.compactAfter else { return false }
        let active = self.isWriting ? self.segments[self.segments.count - 1].liveBytes : 0
        return self.isSparse(live: self.liveBytes - active)
    }

    private func isSparse(live bytes: UInt64) -> Bool {
        self.sealedFrameBytes > 2 * bytes + self.options.segmentSize / 4
    }

    /// True if live bytes have to be counted.
    ///
    /// Files may be sparse without seeming so, or may seem to leave little room below the limit.
    ///
    /// A count reads a file. Files whose frames are acknowledged in order are removed before a count pays off.
    var needsCount: Bool {
        guard self.hasStaleCount, self.written >= self.compactAfter else { return false }
        let sealed = self.segments[..<self.sealedCount]
        return self.liveBytes > self.limitBytes / 2 || self.isSparse(live: sealed.reduce(0) { $0 + $1.leastLiveBytes })
    }

    /// The files whose live frames go to a new one next; nil when nothing has to be done.
    ///
    /// They are consecutive, and their live bytes make a new file of at most half a segment, because old and new files
    /// exist together for a while.
    var compactionSources: [JournalSegment]? {
        let sealed = self.segments[..<self.sealedCount]
        guard self.written >= self.compactAfter else { return nil }
        // A file without a frame has nothing to copy; it is removed once there is a newer one.
        if self.isSparse, let first = sealed.firstIndex(where: { $0.index.count > 0 && $0.isSparse }) {
            return self.run(from: first, where: \.isSparse)
        }
        let small = self.options.segmentSize / 4
        guard sealed.count(where: { $0.end < small }) > Self.smallFiles else { return nil }
        for index in sealed.indices.dropLast() where sealed[index].end < small && sealed[index + 1].end < small {
            let run = self.run(from: index) { $0.end < small }
            if run.count > 1 { return run }
        }
        return nil
    }

    private func run(from first: Int, where isWanted: (JournalSegment) -> Bool) -> [JournalSegment] {
        var run: [JournalSegment] = []
        var bytes: UInt64 = 0
        for segment in self.segments[first..<self.sealedCount] {
            bytes += segment.liveBytes
            guard run.isEmpty || bytes <= self.options.segmentSize / 2, segment.index.count > 0, isWanted(segment),
                segment.top < self.segments[first].header.base + UInt64(UInt32.max)
            else { break }
            run.append(segment)
        }
        return run
    }

    /// Replaces files with the one that has their live frames.
    mutating func replace(_ sources: [JournalSegment], by new: JournalSegment) {
        guard let first = sources.first, let position = self.segmentIndex(of: first.header.number) else { return }
        let end = position + sources.count
        var new = new
        // Some frames may have been acknowledged during the copy.
        for ordinal in 0..<new.index.count where self.find(new.index.sequence(of: ordinal)) == nil {
            _ = new.drop(ordinal)
        }
        for segment in self.segments[position..<end] {
            self.liveBytes -= segment.liveBytes
            self.sealedBytes -= segment.end
            self.released.append(segment.name)
        }
        if new.index.count > 0 {
            self.liveBytes += new.liveBytes
            self.sealedBytes += new.end
            self.segments.replaceSubrange(position..<end, with: CollectionOfOne(new))
            if new.live == 0 { self.needsUpkeep = true }
        } else {
            self.released.append(new.name)
            self.segments.removeSubrange(position..<end)
        }
    }
}

extension JournalSegment {
    /// True if less than half of its frames' bytes are live.
    var isSparse: Bool {
        2 * self.liveBytes < self.end - UInt64(FileHeader.size)
    }
}
