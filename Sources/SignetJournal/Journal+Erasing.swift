// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension Journal {
    /// The counts of an erasure.
    package struct Erasure: Sendable, Equatable {
        /// The number of live frames erased.
        package var live: Int
        /// The number of all frames erased, including acknowledged ones that still lay in a file.
        package var frames: Int
        /// The number of removed files with copies of damaged bytes.
        package var copies: Int

        /// Makes an erasure from counts, zero by default.
        package init(live: Int = 0, frames: Int = 0, copies: Int = 0) {
            self.live = live
            self.frames = frames
            self.copies = copies
        }
    }

    /// Acknowledges frames and removes their bytes from all files before it returns.
    ///
    /// Every file that holds such a frame in any state, or bytes of unknown origin, is rewritten without them. The
    /// rewrite follows the rules of a compaction: the copy is flushed and named before the old file goes. All copies of
    /// damaged bytes are removed too, because their owner is unknown. Appends and reads continue meanwhile; frames
    /// appended after the call are not considered.
    ///
    /// A crash at any moment leaves each file either unchanged or without such frames; the same call finishes the work.
    ///
    /// - Parameters:
    ///   - isWanted: Returns true for a frame to erase, by its sequence and stamp. It runs while no other call can
    ///     compact or flush, so it must not call the journal; nor may the other closures.
    ///   - changing: Returns a replacement for the payload of a frame that stays, of the same length; nil to keep it.
    ///   - letGo: Called once with the number of live frames erased, even if the call throws afterwards.
    /// - Returns: The counts of the erasure.
    /// - Throws: The disk's error, mostly `diskFull`: a copy needs the space of the live frames of one file. Some
    ///   frames may then be erased already, and the same call continues with the others.
    package func erase(
        where isWanted: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer) -> Bool,
        changing: (_ payload: UnsafeRawBufferPointer) -> [UInt8]? = { _ in nil },
        letGo: (_ live: Int) -> Void = { _ in }
    ) throws(StorageError) -> Erasure {
        try self.upkeep.withLock { _ throws(StorageError) in
            try self.replaceSuspects()
            let segments = try self.state.withLock { state throws(StorageError) in
                try state.checkOpen(self.folder)
                // All frames so far lie in sealed files.
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
                // The lock keeps a file in the making from being taken for one that a crash left unfinished.
                try self.quarantine.erase([.journal, .acknowledgements])
            }
            return erasure
        }
    }

    /// Searches all bytes of a file.
    ///
    /// - Returns: The wanted frames, and true if the file can stay when none is found: it contains only frames, and no
    ///   payload changes.
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

    /// Writes the live frames of files to new ones, and removes the files, including those without live frames.
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
            // The newest file, which shows the sequences assigned so far, may be among them; the new acknowledgements
            // show them too.
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
    /// - Returns: The number of frames that were live.
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
