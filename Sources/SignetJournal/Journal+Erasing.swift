//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

extension Journal {
    /// What an erasure has taken out of the files.
    package struct Erasure: Sendable, Equatable {
        /// Frames that were waiting.
        package var live: Int
        /// Frames in all, also those that were acknowledged and still lay in a file.
        package var frames: Int
        /// Files with copies of damaged bytes.
        package var copies: Int

        /// Makes one of numbers; of nothing by default.
        package init(live: Int = 0, frames: Int = 0, copies: Int = 0) {
            self.live = live
            self.frames = frames
            self.copies = copies
        }
    }

    /// Lets frames go and takes their bytes out of all files, before it returns.
    ///
    /// Every file that holds such a frame, in whatever state, or bytes of which nobody can tell what they were, is written
    /// anew without them, by the rules of a compaction: the copy is flushed and has its name before the old file goes. All
    /// copies of damaged bytes go too, because it cannot be told whose they are. Appends and reads go on meanwhile; what is
    /// appended after the call is not looked at.
    ///
    /// A crash at any moment leaves each file as it was or without such frames; the same call finishes it.
    ///
    /// - Parameters:
    ///   - isWanted: Whether a frame goes, by its sequence and stamp. It is called while nobody else can compact or flush, so
    ///     it must not call the journal; neither must the others.
    ///   - changing: What is to be in the place of the payload of a frame that stays, as many bytes; nil for the same.
    ///   - letGo: Is told how many live frames have gone, once, also where the call throws afterwards.
    /// - Returns: What went.
    /// - Throws: What the disk says, `diskFull` above all: a copy needs the space of the live frames of one file. Then some
    ///   frames may have gone, and the same call goes on with the others.
    package func erase(
        where isWanted: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer) -> Bool,
        changing: (_ payload: UnsafeRawBufferPointer) -> [UInt8]? = { _ in nil },
        letGo: (_ live: Int) -> Void = { _ in }
    ) throws(StorageError) -> Erasure {
        try self.upkeep.withLock { _ throws(StorageError) in
            try self.replaceSuspects()
            let segments = try self.state.withLock { state throws(StorageError) in
                try state.checkOpen(self.folder)
                // What was written so far lies in files that take no more.
                state.seal()
                return state.segments
            }
            var erasure = Erasure()
            var affected: [UInt64] = []
            var wanted: [UInt64] = []
            for segment in segments {
                let (found, stays) = try self.search(segment, isWanted, changing)
                if !found.isEmpty || !stays { affected.append(segment.header.number) }
                wanted += found
            }
            erasure.frames = wanted.count
            erasure.live = try self.state.withLock { state throws(StorageError) in try state.letGo(wanted) }
            letGo(erasure.live)
            try self.rewrite(affected, changing)
            erasure.copies = try self.state.withLock { _ throws(StorageError) in
                // Under the lock, so that no file that is being made is taken for one that a crash left unfinished.
                try self.quarantine.erase([.journal, .acknowledgements])
            }
            return erasure
        }
    }

    /// Looks at all bytes of a file.
    ///
    /// - Returns: The wanted frames, and whether the file can stay for all the others: there is nothing in it but frames, and
    ///   none is to be changed.
    private func search(
        _ segment: JournalSegment,
        _ isWanted: (UInt64, UnsafeRawBufferPointer) -> Bool,
        _ changing: (UnsafeRawBufferPointer) -> [UInt8]?
    ) throws(StorageError) -> (found: [UInt64], stays: Bool) {
        let file = try segment.open(in: self.folder)
        let size = try file.status().size
        guard size > UInt64(FileHeader.size) else { return ([], true) }
        let count = Int(clamping: size - UInt64(FileHeader.size))
        let bytes = try file.bytes(at: UInt64(FileHeader.size), count: count)
        var found: [UInt64] = []
        var covered = 0
        var isChanged = false
        bytes.withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress else { return }
            var walk = FrameWalk(bytes, seed: segment.seed, after: 0, upTo: JournalFrame.sequenceLimit)
            while true {
                switch walk.next() {
                case .frame(let frame, let place):
                    let start = first + place
                    if isWanted(frame.sequence, frame.stamp(start)) { found.append(frame.sequence) }
                    guard frame.isSound(start, seed: segment.seed) else { continue }
                    covered += frame.length
                    if !isChanged { isChanged = changing(frame.payload(start)) != nil }
                case .unfinished, .hole:
                    continue
                case .tail, .end:
                    return
                }
            }
        }
        return (found, covered == count && !isChanged)
    }

    /// Writes the live frames of files to new ones, and removes the files, also those with nothing live.
    private func rewrite(
        _ numbers: [UInt64],
        _ changing: (UnsafeRawBufferPointer) -> [UInt8]?
    ) throws(StorageError) {
        var dead: Set<UInt64> = []
        for number in numbers {
            let segment = self.state.withLock { state in state.segmentIndex(of: number).map { state.segments[$0] } }
            guard let segment else { continue }
            if segment.live == 0 {
                dead.insert(number)
            } else {
                try self.compact([segment], changing)
            }
        }
        if !dead.isEmpty {
            // The newest file may be among them, which tells which sequences were given: the new acknowledgements do.
            try self.rewriteAcknowledgements()
            try self.quarantine.sync()
            self.state.withLock { $0.releaseSegments(dead) }
        }
        try self.removeReleased()
    }
}

extension Journal.State {
    /// Acknowledges frames.
    ///
    /// - Returns: How many of them were live.
    fileprivate mutating func letGo(_ sequences: [UInt64]) throws(StorageError) -> Int {
        var ranges = SequenceRanges()
        var count = 0
        for sequence in sequences where self.find(sequence) != nil {
            ranges.insert(sequence...sequence)
            count += 1
        }
        guard count > 0 else { return 0 }
        try self.appendAcknowledgements(ranges)
        for sequence in sequences {
            self.drop(sequence)
        }
        return count
    }
}
