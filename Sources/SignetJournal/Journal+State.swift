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
        var liveCount: Int
        /// The bytes of the live frames; as if all frames of a file were of one length.
        private(set) var liveBytes: UInt64 = 0
        var damagedFrames = 0
        var droppedFrames = 0
        var syncCount = 0
        private(set) var appendedCount = 0
        /// How many appends and acknowledgements there were, and how many of them a flush covered.
        var changes: UInt64 = 1
        var syncedChanges: UInt64 = 0
        /// Names of files that nothing needs any more, and that are to be removed.
        var released: [String] = []
        /// The bytes of the acknowledgements when they were last written anew.
        var acknowledgementBytes: UInt64 = 0
        private(set) var nextSequence: UInt64
        /// Whether the active file is known to take the next frame.
        private var isReady = false
        /// The sealed file that is still mapped.
        private var lastSealed: Int?
        private let options: Options
        var spare: SpareFile
        /// The bytes of one write; kept to save an allocation.
        var buffer: [UInt8] = []

        init(_ loader: Loader, _ options: Options, folder: Folder) {
            self.files = loader.files
            self.acknowledgements = loader.acknowledgements
            self.segments = loader.segments
            self.liveCount = loader.segments.reduce(0) { $0 + $1.live }
            self.nextSequence = loader.lastSequence + 1
            self.options = options
            self.spare = SpareFile(folder: folder, name: "journal.spare")
            self.spare.hold()
            self.countBytes()
        }

        /// The number of the newest frame ever appended; 0 before the first.
        var lastSequence: UInt64 {
            self.nextSequence - 1
        }

        /// Whether a flush of a file has failed, and the file could not be replaced yet.
        var hasSuspects: Bool {
            self.files.slots.contains { $0?.isSuspect == true }
                || self.acknowledgements.slots.contains { $0?.isSuspect == true }
        }

        /// Counts the bytes of live frames anew.
        mutating func countBytes() {
            self.liveBytes = self.segments.reduce(0) { $0 + $1.liveBytes }
        }

        func checkOpen(_ folder: Folder) throws(StorageError) {
            if self.isClosed { throw .closed(folder.path) }
        }

        /// Lets everything go.
        mutating func clear(_ folder: Folder) {
            self.isClosed = true
            self.files.seal()
            self.segments = []
            self.liveCount = 0
            self.liveBytes = 0
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

        // MARK: - Appending

        /// Appends a frame.
        ///
        /// - Returns: Its sequence, and whether older ones were dropped for it.
        mutating func append(
            _ stamp: UnsafeRawBufferPointer,
            _ payload: UnsafeRawBufferPointer,
            _ rest: UnsafeRawBufferPointer
        ) throws(StorageError) -> (sequence: UInt64, hasDropped: Bool) {
            try self.checkOpen(self.files.folder)
            let sequence = self.nextSequence
            let length = FrameHeader.size + stamp.count + payload.count + rest.count
            let hasDropped = try self.makeRoom(length)
            let wasReady = self.isReady
            let slot = try self.writableSlot()
            // After an error it is looked at again.
            self.isReady = false
            guard
                let offset = try self.files.slots[slot]?.append(
                    .entry,
                    sequence: sequence,
                    key: stamp,
                    value: payload,
                    rest
                )
            else { throw .closed(self.files.folder.path) }
            self.isReady = offset + UInt64(length) < UInt64(max(0, self.options.segmentBytes))
            if !wasReady, self.segments.last?.slot != slot {
                self.segments.append(JournalSegment(slot: slot, after: sequence - 1))
            }
            self.segments[self.segments.count - 1].append(sequence, at: offset, length: length)
            self.liveCount += 1
            self.liveBytes += UInt64(length)
            self.appendedCount += 1
            self.changes += 1
            self.nextSequence += 1
            return (sequence, hasDropped)
        }

        /// The slot that takes the next frame; the file before, if it is full, is sealed.
        private mutating func writableSlot() throws(StorageError) -> Int {
            if self.isReady, let active = self.files.active { return active }
            let limit = UInt64(max(0, self.options.segmentBytes))
            let before = self.files.active
            let slot = try self.files.writable(limit: limit, base: self.nextSequence).slot
            guard slot != before else { return slot }
            if self.options.storage == .automatic { self.files.slots[slot]?.map(upTo: limit + 256 << 10) }
            if let lastSealed { self.files.slots[lastSealed]?.forget() }
            if let before { self.files.slots[before]?.seal() }
            self.lastSealed = before
            return slot
        }

        /// Sees to the limit.
        ///
        /// - Returns: Whether frames were dropped.
        private mutating func makeRoom(_ length: Int) throws(StorageError) -> Bool {
            guard let limit = self.options.limitBytes else { return false }
            let taken = self.liveBytes + UInt64(length)
            guard taken > limit else { return false }
            guard self.options.whenFull == .dropOldest, UInt64(length) <= limit else {
                throw .limitReached(self.files.folder.path, limit: limit)
            }
            // Some at once, so that not every append has to.
            let wanted = max(taken - limit, min(UInt64(max(0, self.options.segmentBytes)) / 16, limit / 4))
            var sequences: [UInt64] = []
            var freed: UInt64 = 0
            for segment in self.segments where freed < wanted {
                let each = max(1, segment.bytes / UInt64(max(1, segment.count)))
                for ordinal in 0..<segment.count where freed < wanted && segment.isLive(ordinal) {
                    sequences.append(segment.sequence(of: ordinal))
                    freed += each
                }
            }
            self.droppedFrames += try self.acknowledge(sequences)
            return true
        }
    }
}
