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
        private var acknowledged = SequenceRanges()
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
            var pairs: [(first: UInt64, last: UInt64)] = []
            for (index, file) in acknowledgements.enumerated() {
                try self.readAcknowledgements(file, isLast: index == acknowledgements.count - 1, &pairs)
            }
            self.acknowledged = SequenceRanges(pairs: pairs)
            self.lastSequence = max(self.lastSequence, self.acknowledged.highest ?? 0)
            let frames = try self.removeReplaced(self.contents.files.filter { $0.header.kind == .journal })
            for (index, file) in frames.enumerated() {
                try self.readFrames(file, isLast: index == frames.count - 1)
            }
            return self.replay.report(records: self.segments.reduce(0) { $0 + $1.live }, renamed: renamed)
        }

        /// Removes files whose live frames a crash has left both in them and in the one that took their place.
        private func removeReplaced(_ files: [LogFile]) throws(StorageError) -> [LogFile] {
            let replaced = files.map { $0.header.number - UInt64($0.header.replaced)..<$0.header.number }
            var kept: [LogFile] = []
            for file in files {
                if replaced.contains(where: { $0.contains(file.header.number) }) {
                    try self.folder.remove(file.name)
                } else {
                    kept.append(file)
                }
            }
            if kept.count < files.count { try self.folder.sync() }
            return kept
        }

        private mutating func readAcknowledgements(
            _ file: LogFile,
            isLast: Bool,
            _ pairs: inout [(first: UInt64, last: UInt64)]
        ) throws(StorageError) {
            let outcome = try self.replay.read(file, isLast: isLast) { header, _, bytes in
                if header.kind == .acknowledge { pairs += SequenceRanges.pairs(in: header.value(in: bytes)) }
            }
            // The header tells up to where sequences had been given, even if every frame is gone.
            self.lastSequence = max(self.lastSequence, file.header.sequenceBefore)
            let slot = self.acknowledgements.insert(outcome.file)
            if isLast, outcome.isAppendable { self.acknowledgements.activate(slot) }
        }

        private mutating func readFrames(_ file: LogFile, isLast: Bool) throws(StorageError) {
            let slot = self.files.insert(file)
            let before = max(self.segments.last?.last ?? 0, file.header.sequenceBefore)
            var segment = JournalSegment(slot: slot, after: before)
            let acknowledged = self.acknowledged
            let outcome = try self.replay.read(file, isLast: isLast) { header, offset, _ in
                guard header.kind == .entry, header.sequence > segment.last else { return }
                segment.append(header.sequence, at: offset, length: header.length)
                if acknowledged.contains(header.sequence) { segment.acknowledge(segment.count - 1) }
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
