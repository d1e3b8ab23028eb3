// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// Removes the bytes of frames from all files of a journal; the caller holds the upkeep's lock.
struct JournalEraser: Sendable {
    private let core: StoreCore<JournalState>
    private let preparation: JournalPreparation
    private let removal: JournalRemoval
    private let compaction: JournalCompaction

    init(
        _ core: StoreCore<JournalState>,
        _ preparation: JournalPreparation,
        _ removal: JournalRemoval,
        _ compaction: JournalCompaction
    ) {
        self.core = core
        self.preparation = preparation
        self.removal = removal
        self.compaction = compaction
    }

    /// Acknowledges the wanted frames, and writes each file anew that holds one of them in whatever state.
    func run(
        where isWanted: (UInt64, UnsafeRawBufferPointer) -> Bool,
        changing: (UnsafeRawBufferPointer) -> [UInt8]?,
        letGo: (Int) -> Void
    ) throws(StorageError) -> Journal.Erasure {
        // All frames so far lie in sealed files.
        try self.core.withOpenState { state in state.withSegments { $0.seal() } }
        self.preparation.cutSealed()
        let segments = try self.core.withOpenState { $0.segments.sealed }
        var erasure = Journal.Erasure()
        var affected: [UInt64] = []
        var wanted: [UInt64] = []
        for segment in segments {
            try self.checkOpen()
            let (found, stays) = try self.search(segment, isWanted, changing)
            if !found.isEmpty || !stays { affected.append(segment.number) }
            wanted += found
        }
        erasure.frames = wanted.count
        let sequences = wanted
        erasure.live = try self.core.withOpenState { state throws(StorageError) in try state.acknowledge(sequences) }
        letGo(erasure.live)
        try self.rewrite(affected, changing)
        erasure.copies = try self.core.store.eraseCopies { self.core.state.withLock { $0.nextNumbers } }
        return erasure
    }

    /// Ends the erasure between two files when the journal is closed, which waits for it.
    private func checkOpen() throws(StorageError) {
        try self.core.withOpenState { _ in }
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
        let file = try segment.open(in: self.core.folder)
        let size = try file.status().size
        guard size > UInt64(FileHeader.size) else { return ([], true) }
        let count = Int(clamping: size - UInt64(FileHeader.size))
        let bytes = try file.bytes(at: UInt64(FileHeader.size), count: count)
        var found: [UInt64] = []
        var covered = 0
        var changed: [UInt8]?
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
                    if changed == nil { changed = changing(frame.payload(start)) }
                case .unfinished, .hole:
                    continue
                case .tail, .end:
                    return
                }
            }
        }
        return (found, covered == count && changed == nil)
    }

    /// Writes the live frames of files to new ones, and removes the files, including those without live frames.
    private func rewrite(
        _ numbers: [UInt64],
        _ changing: (UnsafeRawBufferPointer) -> [UInt8]?
    ) throws(StorageError) {
        var dead: Set<UInt64> = []
        for number in numbers {
            try self.checkOpen()
            guard let segment = self.core.state.withLock({ $0.segments.segment(number) }) else { continue }
            if segment.live == 0 {
                dead.insert(number)
            } else {
                try self.compaction.compact([segment], changing)
            }
        }
        if !dead.isEmpty { try self.removal.remove(dead) }
        try self.removal.removeReleased()
    }
}
