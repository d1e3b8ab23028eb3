// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Writes the live frames of sparse files to new ones; the caller holds the upkeep's lock.
struct JournalCompaction: Sendable {
    private let core: StoreCore<JournalState>
    private let flush: JournalFlush
    private let removal: JournalRemoval
    private let reader: JournalReader

    init(_ core: StoreCore<JournalState>, _ flush: JournalFlush, _ removal: JournalRemoval, _ reader: JournalReader) {
        self.core = core
        self.flush = flush
        self.removal = removal
        self.reader = reader
    }

    /// Compacts until the files take at most about twice their live bytes.
    ///
    /// Each copied byte frees at least one dead byte, so the cost is constant per appended byte.
    func run() {
        do throws(StorageError) {
            while let sources = self.core.state.withLock({ $0.compactionSources }) {
                try self.compact(sources)
                do throws(StorageError) {
                    try self.removal.removeReleased()
                } catch {
                    // The names stay recorded, and the next acknowledgement reports the disk's error.
                    self.core.state.withLock { state in state.withSegments { $0.requestUpkeep() } }
                }
            }
        } catch {
            // The frames and acknowledgements are unchanged. A disk without space for a copy gets some when whole files
            // are removed.
            self.core.state.withLock { $0.postponeCompaction() }
        }
    }

    /// Writes the live frames of consecutive files to one new file, which replaces them.
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
        try self.flush.flushAcknowledgements()
        let header = FileHeader(
            kind: .journal,
            salt: .random(in: 1 ... .max),
            number: self.core.state.withLock { $0.takeNumber() },
            base: first.header.base,
            span: UInt32(clamping: max(last.top + 1, first.header.base) - first.header.base)
        )
        var writer = SegmentWriter(try LogFile.create(in: self.core.folder, header))
        let segment: JournalSegment
        do throws(StorageError) {
            for source in sources {
                var reader = try SegmentReader(source, in: self.core.folder)
                try writer.append(&reader, changing)
                // Without a copy of the damaged bytes, the file has to stay.
                for loss in reader.losses { try self.reader.setAside(loss.range, of: source) }
                self.reader.take(reader.losses, of: source)
            }
            segment = try writer.finish(in: self.core.folder)
            try self.core.store.quarantine.sync()
            try self.core.folder.sync()
        } catch {
            self.core.folder.discard(writer.log.name)
            throw error
        }
        self.core.state.withLock { $0.replace(sources, by: segment) }
    }
}
