//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

extension Journal {
    /// A run of frames of one file that somebody wants to see.
    private struct Piece: Sendable {
        var file: LogFile
        /// A place at or before the first of them.
        var start: UInt64
        /// The first and the last of them.
        var range: ClosedRange<UInt64>
        /// Those that are live, if not all in the range are.
        var live: [UInt64]?
    }

    /// How much of a file is read at once when frames are visited, and when single ones are read.
    private static let visitSize = 256 << 10
    private static let readSize = 16 << 10

    /// Looks at the frames that are not acknowledged, oldest first.
    ///
    /// - Parameters:
    ///   - sequence: Only frames above it; 0 for all.
    ///   - limit: At most that many.
    ///   - body: Gets sequence, stamp and the length of the payload; the bytes are gone after it.
    /// - Returns: The sequence of the last one that was looked at; nil when there was none.
    /// - Throws: When the disk cannot be read, and `closed`.
    package func visit(
        after sequence: UInt64,
        limit: Int,
        _ body: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer, _ payloadCount: Int) -> Void
    ) throws(StorageError) -> UInt64? {
        let pieces = try self.pieces(after: sequence, limit: limit)
        for piece in pieces {
            var walker = FrameWalker(piece.file, at: piece.start, pieceSize: Self.visitSize)
            var next = piece.range.lowerBound
            var live = piece.live?[...]
            while next <= piece.range.upperBound {
                guard let header = try walker.header() else {
                    try self.leaveOut(&walker, &next, piece)
                    continue
                }
                defer { walker.pass(header) }
                // Frames before the first one, and copies of one that damage has left.
                guard header.sequence >= next else { continue }
                next = header.sequence + 1
                guard header.sequence <= piece.range.upperBound else { break }
                if live != nil {
                    live = live?.drop { $0 < header.sequence }
                    guard live?.first == header.sequence else { continue }
                }
                if let stamp = try walker.stamp(header) { body(header.sequence, stamp, header.valueLength) }
            }
        }
        return pieces.last?.range.upperBound
    }

    /// Reads frames; those that were acknowledged or are damaged are passed over.
    ///
    /// A frame whose bytes are damaged is set aside, counted in `damagedFrames` and left out for good: it must not keep
    /// those behind it waiting.
    ///
    /// - Parameters:
    ///   - sequences: Which, ascending.
    ///   - body: Gets sequence, stamp and payload; the bytes are gone after it.
    /// - Throws: When the disk cannot be read, and `closed`.
    package func read(
        _ sequences: [UInt64],
        _ body: (_ sequence: UInt64, _ stamp: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) {
        var rest = sequences[...]
        while !rest.isEmpty {
            guard let (file, places) = try self.places(of: &rest) else { continue }
            var walker = FrameWalker(file, at: places[0].place, pieceSize: Self.readSize)
            var next: UInt64 = 0
            for (sequence, place) in places {
                if walker.position < place { walker.move(to: place) }
                next = sequence
                walk: while next <= sequence {
                    guard let header = try walker.header() else {
                        try self.leaveOut(&walker, &next, Piece(file: file, start: place, range: sequence...sequence))
                        continue
                    }
                    defer { walker.pass(header) }
                    guard header.sequence == sequence else {
                        if header.sequence > sequence { break walk }
                        continue
                    }
                    next = sequence + 1
                    if let frame = try walker.frame(header) {
                        body(sequence, header.key(in: frame), header.value(in: frame))
                    } else {
                        self.setAside(walker.position..<walker.position + UInt64(header.length), of: file, [sequence])
                    }
                }
            }
        }
    }

    /// Frames that are not acknowledged, in order, whole.
    ///
    /// - Parameters:
    ///   - sequence: Only frames above it; 0 for all.
    ///   - limit: At most that many.
    /// - Returns: The frames; fewer than `limit` only if there are no more.
    /// - Throws: When the disk cannot be read, and `closed`.
    package func frames(after sequence: UInt64, limit: Int) throws(StorageError) -> [Frame] {
        var frames: [Frame] = []
        var last = sequence
        while frames.count < limit {
            var sequences: [UInt64] = []
            let end = try self.visit(after: last, limit: limit - frames.count) { sequence, _, _ in
                sequences.append(sequence)
            }
            guard let end else { break }
            try self.read(sequences) { sequence, stamp, payload in
                frames.append(Frame(sequence: sequence, stamp: Array(stamp), payload: Array(payload)))
            }
            last = end
        }
        return frames
    }

    /// One frame.
    ///
    /// - Returns: Nil if there is no such frame, if it was acknowledged, or if its bytes are damaged.
    /// - Throws: When the disk cannot be read, and `closed`.
    package func frame(_ sequence: UInt64) throws(StorageError) -> Frame? {
        var frame: Frame?
        try self.read([sequence]) { sequence, stamp, payload in
            frame = Frame(sequence: sequence, stamp: Array(stamp), payload: Array(payload))
        }
        return frame
    }

    // MARK: - Private

    private func pieces(after sequence: UInt64, limit: Int) throws(StorageError) -> [Piece] {
        try self.state.withLock { state throws(StorageError) in
            try state.checkOpen(self.folder)
            var pieces: [Piece] = []
            var count = 0
            guard sequence < FrameHeader.sequenceLimit, limit > 0 else { return pieces }
            for segment in state.segments[state.segmentIndex(notBelow: sequence + 1)...] where segment.live > 0 {
                guard count < limit, let file = state.files.slots[segment.slot] else { break }
                guard let run = segment.liveRun(notBelow: sequence + 1, limit: limit - count) else { continue }
                count += run.count
                pieces.append(
                    Piece(
                        file: file,
                        start: segment.place(of: run.first),
                        range: segment.sequence(of: run.first)...segment.sequence(of: run.last),
                        live: run.sequences
                    )
                )
            }
            return pieces
        }
    }

    /// The places of the first of some sequences that lie in one file; takes them off.
    private func places(
        of sequences: inout ArraySlice<UInt64>
    ) throws(StorageError) -> (file: LogFile, places: [(sequence: UInt64, place: UInt64)])? {
        let (found, count) = try self.state.withLock {
            state throws(StorageError) -> ((LogFile, [(sequence: UInt64, place: UInt64)])?, Int) in
            try state.checkOpen(self.folder)
            let index = sequences.first.map { state.segmentIndex(notBelow: $0) } ?? 0
            guard index < state.segments.count, let file = state.files.slots[state.segments[index].slot] else {
                return (nil, sequences.count)
            }
            let segment = state.segments[index]
            let mine = sequences.prefix { $0 <= segment.last }
            let places = mine.compactMap { sequence in
                segment.liveOrdinal(of: sequence).map { (sequence: sequence, place: segment.place(of: $0)) }
            }
            return (places.isEmpty ? nil : (file, places), mine.count)
        }
        sequences = sequences.dropFirst(count)
        return found.map { (file: $0.0, places: $0.1) }
    }

    /// Passes bytes that are no frame any more, and counts the frames that were there.
    private func leaveOut(
        _ walker: inout FrameWalker,
        _ next: inout UInt64,
        _ piece: Piece
    ) throws(StorageError) {
        let range = try walker.resume()
        let found = try walker.header()?.sequence ?? .max
        let end = self.state.withLock { state -> UInt64 in
            let index = state.segmentIndex(notBelow: next)
            return index < state.segments.count ? state.segments[index].last + 1 : next
        }
        let lost = next..<max(next, min(found, end))
        self.setAside(range, of: piece.file, Array(lost))
        next = max(lost.upperBound, found == .max ? piece.range.upperBound + 1 : next)
    }

    /// Keeps a copy of damaged bytes, and lets the frames go that were there.
    private func setAside(_ range: Range<UInt64>, of file: LogFile, _ sequences: [UInt64]) {
        let outcome = self.quarantine.keep(range.lowerBound..<min(file.end, range.upperBound), of: file, .damaged)
        self.state.withLock { state in
            switch outcome {
            case .kept, .failed: state.damagedFrames += sequences.count { state.find($0) != nil }
            case .keptAlready, .keptBefore: break
            }
            for sequence in sequences { state.drop(sequence) }
        }
    }
}
