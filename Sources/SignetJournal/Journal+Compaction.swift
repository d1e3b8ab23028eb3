//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

extension Journal {
    /// Writes the live frames of neighbouring files together, as long as the files hold more than twice what is live.
    ///
    /// The new file takes the name of the last of them: a start that finds it removes the others. Nothing is removed before
    /// its frames are durable.
    func compact() throws(StorageError) {
        while let run = self.state.withLock({ $0.compactionRun(self.options.segmentBytes) }) {
            try self.compact(run)
        }
    }

    private func compact(_ run: Range<Int>) throws(StorageError) {
        let (sources, isActive) = try self.state.withLock { state throws(StorageError) in
            try state.checkOpen(self.folder)
            return (
                state.segments[run].compactMap { segment in
                    state.files.slots[segment.slot].map { (segment: segment, file: $0) }
                },
                state.segments[run].contains { $0.slot == state.files.active }
            )
        }
        guard let first = sources.first, let last = sources.last, !isActive else { return }
        let header = FileHeader(
            kind: .journal,
            salt: .random(in: 1 ... .max),
            number: last.file.header.number,
            base: first.file.header.base,
            replaced: UInt32(clamping: last.file.header.number - first.file.header.number)
                + first.file.header.replaced
        )
        var writer = SnapshotWriter(try LogFile.create(in: self.folder, header))
        var merged = JournalSegment(slot: 0, after: first.segment.range.lowerBound - 1)
        for source in sources {
            try self.copy(source.segment, of: source.file, to: &writer, &merged)
        }
        var file = try writer.finish()
        try self.quarantine.sync()
        // An acknowledgement that is not durable would come back as a frame; one whose frame is gone must not matter.
        try self.flushAcknowledgements()
        try file.finish(in: self.folder)
        try self.folder.sync()
        self.state.withLock { state in
            guard !state.isClosed else { return }
            merged.slot = state.files.insert(file)
            state.replace(run, with: merged, names: sources.dropLast().map(\.file.name))
        }
        try self.removeReleased()
    }

    private func copy(
        _ segment: JournalSegment,
        of file: LogFile,
        to writer: inout SnapshotWriter,
        _ merged: inout JournalSegment
    ) throws(StorageError) {
        var sequences: [UInt64] = []
        for ordinal in 0..<segment.count where segment.isLive(ordinal) {
            sequences.append(segment.sequence(of: ordinal))
        }
        var failure: StorageError?
        try self.read(sequences) { sequence, stamp, payload in
            guard failure == nil else { return }
            let place = writer.end
            do throws(StorageError) {
                try writer.append(.entry, sequence: sequence, key: stamp, value: payload)
                merged.append(sequence, at: place, length: Int(writer.end - place))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}

extension Journal.State {
    /// Whether files hold more than twice what is live in them, and a file's worth more.
    func needsCompaction(_ segmentBytes: Int) -> Bool {
        self.files.bytes > 2 * self.liveBytes + 2 * UInt64(max(1, segmentBytes))
            && self.compactionRun(segmentBytes) != nil
    }

    /// Neighbouring sealed files of which one is worth making.
    func compactionRun(_ segmentBytes: Int) -> Range<Int>? {
        let limit = UInt64(max(1, segmentBytes))
        guard self.files.bytes > 2 * self.liveBytes + 2 * limit else { return nil }
        var best: (run: Range<Int>, gain: UInt64)?
        var start = 0
        while start < self.segments.count {
            var end = start
            var live: UInt64 = 0
            var bytes: UInt64 = 0
            while end < self.segments.count, self.segments[end].slot != self.files.active {
                let segment = self.segments[end]
                let isSparse = segment.live * 2 < segment.count
                guard isSparse || segment.bytes < limit / 4, live + segment.liveBytes <= limit else { break }
                live += segment.liveBytes
                bytes += segment.bytes
                end += 1
            }
            if end > start, bytes > 2 * live, bytes - live > best?.gain ?? 0 { best = (start..<end, bytes - live) }
            start = max(end, start + 1)
        }
        return best?.run
    }

    /// Puts one segment in the place of several, of which some frames may have been acknowledged meanwhile.
    ///
    /// The segments are still where they were: only who holds `upkeep` removes any.
    mutating func replace(_ run: Range<Int>, with merged: JournalSegment, names: [String]) {
        var merged = merged
        for ordinal in 0..<merged.count where self.find(merged.sequence(of: ordinal)) == nil {
            merged.acknowledge(ordinal)
        }
        for segment in self.segments[run] { self.files.remove(segment.slot) }
        self.segments.replaceSubrange(run, with: CollectionOfOne(merged))
        self.liveCount = self.segments.reduce(0) { $0 + $1.live }
        self.countBytes()
        self.released += names
    }
}
