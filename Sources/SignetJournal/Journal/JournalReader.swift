// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Reads the live frames of a journal, outside its lock.
struct JournalReader: Sendable {
    private let core: StoreCore<JournalState>

    init(_ core: StoreCore<JournalState>) {
        self.core = core
    }

    /// Visits live frames after a sequence, oldest first, without reading their payloads.
    func visit(
        after sequence: UInt64,
        limit: Int,
        _ body: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer, _ payloadCount: Int) -> Void
    ) throws(StorageError) -> UInt64? {
        var after = sequence
        var rest = limit
        var last: UInt64?
        while rest > 0, let reader = try self.reader(after: after) {
            var reader = reader
            let index = reader.segment.frames.index
            let first = index.ordinal(notBelow: after + 1)
            rest -= try reader.visit(first..<index.count, limit: rest) { frame, start, _ in
                last = frame.sequence
                body(frame.sequence, frame.stamp(start), frame.payloadLength)
            }
            self.take(reader.losses, of: reader.segment)
            after = max(after, reader.segment.lastOrBefore)
        }
        return last
    }

    /// Reads frames by their sequences, in ascending order; acknowledged and damaged ones are skipped.
    func read(
        _ sequences: [UInt64],
        _ body: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) {
        var position = 0
        while position < sequences.count {
            let wanted = sequences[position]
            guard wanted > 0, wanted <= JournalFrame.sequenceLimit else {
                position += 1
                continue
            }
            guard var reader = try self.reader(after: wanted - 1) else { break }
            let top = reader.segment.lastOrBefore
            while position < sequences.count, sequences[position] >= wanted, sequences[position] <= top {
                position = try reader.read(sequences, from: position, body)
            }
            self.take(reader.losses, of: reader.segment)
        }
    }

    /// Returns a reader of the first file with live frames that reaches above a sequence.
    private func reader(after sequence: UInt64) throws(StorageError) -> SegmentReader? {
        while true {
            let found = try self.core.withOpenState { state -> JournalSegment? in
                sequence < JournalFrame.sequenceLimit ? state.segments.firstLive(notBelow: sequence + 1) : nil
            }
            guard let found else { return nil }
            do throws(StorageError) {
                let reader = try SegmentReader(found, in: self.core.folder)
                if found.file == nil, let file = reader.file {
                    self.core.state.withLock { state in state.withSegments { $0.keep(file, of: found) } }
                }
                return reader
            } catch {
                // Between the lock and the opening, the file may have been removed, or replaced by a compacted one.
                let isThere = self.core.state.withLock { $0.segments.segment(found.number) != nil }
                if isThere { throw error }
            }
        }
    }

    /// Copies a reader's damaged ranges to aside files, and counts their frames as gone.
    func take(_ losses: [SegmentReader.Loss], of segment: JournalSegment) {
        for loss in losses {
            do throws(StorageError) {
                try self.setAside(loss.range, of: segment)
            } catch {
                // The bytes still stay in place until the file is removed.
            }
            self.core.state.withLock { $0.lose(loss.sequences) }
        }
    }

    /// Copies damaged bytes to an aside file, unless that was done before.
    ///
    /// - Throws: An error when there is no copy.
    func setAside(_ range: Range<UInt64>, of segment: JournalSegment) throws(StorageError) {
        let log = segment.log(try segment.open(in: self.core.folder))
        let end = max(range.lowerBound, min(segment.end, range.upperBound))
        if case .failed(let error) = self.core.store.quarantine.keep(range.lowerBound..<end, of: log, .damaged) {
            throw error
        }
    }
}
