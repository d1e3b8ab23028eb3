//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension Journal {
    /// Finds the live frames of a journal in its files.
    struct Loader {
        let quarantine: Quarantine
        private(set) var files: LogFileSet
        private(set) var acknowledgements: LogFileSet
        private(set) var segments: [JournalSegment] = []
        private(set) var acknowledged = SequenceRanges()
        private(set) var lastSequence: UInt64 = 0
        private let folder: Folder
        private var replay: Replay
        private var contents: FolderContents

        /// Looks at names and headers; changes nothing.
        init(folder: Folder) throws(StorageError) {
            self.folder = folder
            self.quarantine = Quarantine(folder: folder)
            self.replay = Replay(quarantine: self.quarantine)
            self.contents = try FolderContents(folder, kinds: [.journal, .acknowledgements])
            let number = self.contents.nextNumber
            self.files = LogFileSet(kind: .journal, folder: folder, nextNumber: number)
            self.acknowledgements = LogFileSet(kind: .acknowledgements, folder: folder, nextNumber: number)
        }

        /// Reads all acknowledgements, then all frames.
        mutating func load() throws(StorageError) -> RecoveryReport {
            let renamed = try self.contents.tidy(self.folder)
            let acknowledgements = self.contents.files.filter { $0.header.kind == .acknowledgements }
            for (index, file) in acknowledgements.enumerated() {
                try self.readAcknowledgements(file, isLast: index == acknowledgements.count - 1)
            }
            self.lastSequence = max(self.lastSequence, self.acknowledged.highest ?? 0)
            let frames = self.contents.files.filter { $0.header.kind == .journal }
            for (index, file) in frames.enumerated() {
                try self.readFrames(file, isLast: index == frames.count - 1)
            }
            return self.replay.report(records: self.segments.reduce(0) { $0 + $1.live }, renamed: renamed)
        }

        private mutating func readAcknowledgements(_ file: LogFile, isLast: Bool) throws(StorageError) {
            var acknowledged = self.acknowledged
            let outcome = try self.replay.read(file, isLast: isLast) { header, _, bytes in
                if header.kind == .acknowledge { acknowledged.insert(encoded: header.value(in: bytes)) }
            }
            self.acknowledged = acknowledged
            // The header tells up to where sequences had been given, even if every frame is gone.
            self.lastSequence = max(self.lastSequence, file.header.sequenceBefore)
            let slot = self.acknowledgements.insert(outcome.file)
            if isLast, outcome.isAppendable { self.acknowledgements.activate(slot) }
        }

        private mutating func readFrames(_ file: LogFile, isLast: Bool) throws(StorageError) {
            let slot = self.files.insert(file)
            let before = max(self.segments.last?.last ?? 0, file.header.sequenceBefore)
            var segment = JournalSegment(slot: slot, last: before)
            let acknowledged = self.acknowledged
            let outcome = try self.replay.read(file, isLast: isLast) { header, offset, _ in
                guard header.kind == .entry, header.sequence > segment.last else { return }
                if acknowledged.contains(header.sequence) {
                    segment.pass(header.sequence)
                } else {
                    segment.append(JournalSegment.Place(header, at: offset))
                }
            }
            self.lastSequence = max(self.lastSequence, segment.last)
            // Frames of a torn end had sequences too, which others may have written down: pass over as many as fit.
            self.lastSequence += outcome.tornBytes / UInt64(FrameHeader.size)
            self.segments.append(segment)
            self.files.slots[slot] = outcome.file
            if isLast, outcome.isAppendable { self.files.activate(slot) }
        }
    }
}
