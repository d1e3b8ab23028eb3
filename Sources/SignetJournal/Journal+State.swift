//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Journal {
    /// What the journal's lock protects.
    struct State: Sendable {
        var isClosed = false
        /// The files with frames.
        var files: LogFileSet
        /// The files with acknowledgements.
        var acknowledgements: LogFileSet
        /// In ascending order of their sequences.
        var segments: [JournalSegment]
        /// Sequences that were acknowledged, or whose frame turned out damaged.
        var acknowledged: SequenceRanges
        var liveCount: Int
        var damagedFrames = 0
        /// Names of files that nothing needs any more, and that are to be removed.
        var released: [String] = []
        private var nextSequence: UInt64
        private var spare: SpareFile
        /// The bytes of one write; kept to save an allocation.
        private var buffer: [UInt8] = []

        init(_ loader: Loader, folder: Folder) {
            self.files = loader.files
            self.acknowledgements = loader.acknowledgements
            self.segments = loader.segments
            self.acknowledged = loader.acknowledged
            self.liveCount = loader.segments.reduce(0) { $0 + $1.live }
            self.nextSequence = loader.lastSequence + 1
            self.spare = SpareFile(folder: folder, name: "journal.spare")
            self.spare.hold()
        }

        /// The number of the newest frame ever appended; 0 before the first.
        var lastSequence: UInt64 {
            self.nextSequence - 1
        }

        func checkOpen(_ folder: Folder) throws(StorageError) {
            if self.isClosed { throw .closed(folder.path) }
        }

        /// Lets everything go.
        mutating func clear(_ folder: Folder) {
            self.isClosed = true
            self.segments = []
            self.liveCount = 0
            self.files = LogFileSet(kind: .journal, folder: folder, nextNumber: self.files.nextNumber)
            self.acknowledgements = LogFileSet(
                kind: .acknowledgements,
                folder: folder,
                nextNumber: self.acknowledgements.nextNumber
            )
        }

        /// Tries to hold space back again.
        mutating func holdSpare() {
            self.spare.hold()
        }

        mutating func append(
            _ stamp: [UInt8],
            _ payload: [UInt8],
            limit: UInt64,
            _ folder: Folder
        ) throws(StorageError) -> UInt64 {
            try self.checkOpen(folder)
            let (slot, salt) = try self.files.writable(limit: limit, base: self.nextSequence)
            defer { self.emptyBuffer() }
            self.encode(.entry, self.nextSequence, stamp, payload, salt)
            let offset = try self.files.append(self.buffer, frames: 1, to: slot)
            if self.segments.last?.slot != slot { self.addSegment(slot) }
            let header = FrameHeader(
                kind: .entry,
                keyLength: stamp.count,
                valueLength: payload.count,
                sequence: self.nextSequence
            )
            self.segments[self.segments.count - 1].append(JournalSegment.Place(header, at: offset))
            self.liveCount += 1
            self.nextSequence += 1
            return header.sequence
        }

        /// Whether there are files to remove: sealed ones without a live frame, and what is left of earlier removals.
        var hasRemovableFiles: Bool {
            !self.released.isEmpty || self.segments.contains { $0.live == 0 && $0.slot != self.files.active }
        }

        /// Lets sealed files without a live frame go.
        mutating func releaseSegments() {
            let active = self.files.active
            for segment in self.segments where segment.live == 0 && segment.slot != active {
                if let name = self.files.slots[segment.slot]?.name { self.released.append(name) }
                self.files.remove(segment.slot)
            }
            self.segments.removeAll { $0.live == 0 && $0.slot != active }
            self.mergeAcknowledged()
        }

        private mutating func addSegment(_ slot: Int) {
            self.segments.append(JournalSegment(slot: slot, last: self.nextSequence - 1))
        }

        /// The segment that has a frame of a sequence, and the frame, unless it was acknowledged.
        func find(_ sequence: UInt64) -> (segment: Int, place: JournalSegment.Place)? {
            guard !self.acknowledged.contains(sequence) else { return nil }
            let index = self.segmentIndex(notBelow: sequence)
            guard index < self.segments.count, let place = self.segments[index].place(of: sequence) else { return nil }
            return (index, place)
        }

        /// The index of the first segment that goes up to a sequence or further.
        func segmentIndex(notBelow sequence: UInt64) -> Int {
            var low = 0
            var high = self.segments.count
            while low < high {
                let middle = (low + high) / 2
                if self.segments[middle].last < sequence {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }

        /// Counts a frame as no longer live, in memory.
        mutating func drop(_ sequence: UInt64) {
            guard let found = self.find(sequence) else { return }
            self.segments[found.segment].live -= 1
            self.liveCount -= 1
            self.acknowledged.insert(sequence...sequence)
        }

        /// Makes one range of all sequences before the first file: no frame of them is left.
        private mutating func mergeAcknowledged() {
            let first = self.segments.first.flatMap { self.files.slots[$0.slot]?.header.base } ?? self.nextSequence
            if first > 1 { self.acknowledged.insert(1...first - 1) }
        }

        /// Writes acknowledgements down, on a full disk too.
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
            defer { self.emptyBuffer() }
            let lists = ranges.encoded
            for list in lists {
                self.encode(.acknowledge, ranges.highest ?? 0, [], list, salt)
            }
            _ = try self.acknowledgements.append(self.buffer, frames: lists.count, to: slot)
        }

        private mutating func encode(
            _ kind: FrameHeader.Kind,
            _ sequence: UInt64,
            _ key: [UInt8],
            _ value: [UInt8],
            _ salt: UInt32
        ) {
            key.withUnsafeBytes { key in
                value.withUnsafeBytes { value in
                    FrameHeader.encode(kind, sequence: sequence, key: key, value: value, salt: salt, to: &self.buffer)
                }
            }
        }

        private mutating func emptyBuffer() {
            if self.buffer.capacity > 1 << 20 {
                self.buffer = []
            } else {
                self.buffer.removeAll(keepingCapacity: true)
            }
        }
    }
}
