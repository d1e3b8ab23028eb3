// SPDX-License-Identifier: Apache-2.0

import SignetLock

extension Journal {
    /// Appends a frame with a payload in two pieces, one after the other.
    ///
    /// - Parameters:
    ///   - stamp: The stamp, at most 255 bytes.
    ///   - payload: The first piece of the payload.
    ///   - rest: The second piece; both together are less than 16 MiB.
    /// - Returns: The frame's sequence, above all earlier ones.
    /// - Throws: `limitReached` at the byte limit, and the disk's error; then the frame was not appended.
    package func append(
        stamp: UnsafeRawBufferPointer,
        payload: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws(StorageError) -> UInt64 {
        guard stamp.count <= JournalFrame.stampLimit else {
            throw .tooLarge(self.folder.path, what: "stamp", bytes: stamp.count, limit: JournalFrame.stampLimit)
        }
        let count = payload.count + rest.count
        guard count <= JournalFrame.payloadLimit else {
            throw .tooLarge(self.folder.path, what: "payload", bytes: count, limit: JournalFrame.payloadLimit)
        }
        let outcome = try self.state.withLock { state throws(StorageError) -> Appended in
            try state.checkOpen(self.folder)
            var frame = JournalFrame(sequence: 0, stampLength: stamp.count, payloadLength: count)
            if !state.hasRoom(frame.length) { try self.makeRoom(&state, frame.length) }
            frame.sequence = state.nextSequence
            do throws(StorageError) {
                try state.write(frame, stamp, payload, rest)
            } catch {
                if error.code == .directoryUnusable { state.leaveRemovedFile(self.folder) }
                throw error
            }
            return Appended(sequence: frame.sequence, retired: state.takeRetired(), hasDropped: state.takeDropped())
        }
        if outcome.hasDropped { self.reclaimAside() }
        return outcome.sequence
    }

    /// Appends a frame.
    ///
    /// - Parameters:
    ///   - stamp: The stamp, at most 255 bytes.
    ///   - payload: The payload, less than 16 MiB.
    /// - Returns: The frame's sequence, above all earlier ones.
    /// - Throws: `limitReached` at the byte limit, and the disk's error; then the frame was not appended.
    package func append(stamp: [UInt8], payload: [UInt8]) throws(StorageError) -> UInt64 {
        let result = stamp.withUnsafeBytes { stamp in
            payload.withUnsafeBytes { payload -> Result<UInt64, StorageError> in
                do throws(StorageError) {
                    return .success(try self.append(stamp: stamp, payload: payload))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    /// Makes room for a frame; if the folder was removed, in the folder that now has its path.
    private func makeRoom(_ state: inout State, _ length: Int) throws(StorageError) {
        if state.isFolderGone { try self.reopen(&state) }
        do throws(StorageError) {
            try state.makeRoom(length, self.folder)
        } catch {
            if error.code == .directoryUnusable { state.isFolderGone = self.folder.isRemoved }
            throw error
        }
    }

    /// The result of an append, with work left to do outside the lock.
    private struct Appended {
        var sequence: UInt64
        /// A mapping that ends here; unmapping takes longer than a caller should wait for the lock.
        var retired: SegmentMapping?
        /// True if frames were dropped to make room.
        var hasDropped: Bool
    }

    /// Removes the files of dropped frames; the append has succeeded, so a failure here is ignored.
    func reclaimAside() {
        do throws(StorageError) {
            try self.reclaim()
        } catch {
            // The next acknowledgement tries again, and reports the disk's error.
        }
    }
}

extension Journal.State {
    /// True if a frame of this length can be written right now.
    @inline(__always)
    func hasRoom(_ length: Int) -> Bool {
        guard self.isWriting, self.liveBytes + UInt64(length) <= self.limitBytes else { return false }
        return self.segments[self.segments.count - 1].hasRoom(length)
    }

    /// Writes a frame to the newest file, which must have room for it.
    @inline(__always)
    mutating func write(
        _ frame: JournalFrame,
        _ stamp: UnsafeRawBufferPointer,
        _ payload: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer
    ) throws(StorageError) {
        let last = self.segments.count - 1
        if let mapping = self.segments[last].mapping {
            try self.segments[last].write(frame, to: mapping, stamp, payload, rest)
        } else {
            try self.segments[last].write(frame, stamp, payload, rest)
        }
        self.liveCount += 1
        self.liveBytes += UInt64(frame.length)
        self.nextSequence += 1
    }

    /// Makes room for a frame, below the limit and in a file.
    mutating func makeRoom(_ length: Int, _ folder: Folder) throws(StorageError) {
        if self.liveBytes + UInt64(length) > self.limitBytes { try self.makeRoomBelowLimit(UInt64(length), folder) }
        if self.isWriting {
            let last = self.segments.count - 1
            do throws(StorageError) {
                try self.segments[last].cutLeftovers()
            } catch {
                // The rest of a failed write cannot be cut off, so the file stays as it is, and a new one follows.
                self.seal()
            }
            if self.isWriting, self.segments[last].hasRoom(length) { return }
        }
        do throws(StorageError) {
            let segment = try self.makeSegment(length, folder)
            self.seal()
            self.segments.append(segment)
            self.isWriting = true
            self.retire()
        } catch {
            // A full file that is not mapped can grow further when no new one can be made.
            let last = self.segments.count - 1
            guard self.isWriting, let file = self.segments[last].file else { throw error }
            guard try file.status().links > 0 else {
                self.leaveRemovedFile(folder)
                throw StorageError.removed(file.path)
            }
            let capacity = self.segments[last].end + UInt64(length)
            guard self.segments[last].mapping == nil, capacity <= self.options.growthLimit else { throw error }
            self.segments[last].capacity = capacity
        }
    }

    private mutating func makeSegment(_ length: Int, _ folder: Folder) throws(StorageError) -> JournalSegment {
        let header = FileHeader(
            kind: .journal,
            salt: .random(in: 1 ... .max),
            number: self.takeNumber(),
            base: self.nextSequence
        )
        let capacity = max(self.options.segmentSize, UInt64(FileHeader.size + length))
        var log = try LogFile.create(in: folder, header)
        var mapping: SegmentMapping?
        if self.canMap {
            do throws(StorageError) {
                self.canMap = try log.file.reserve(capacity)
                if self.canMap {
                    mapping = try log.file.map(capacity)
                    if mapping == nil { try log.file.truncate(to: UInt64(FileHeader.size)) }
                }
            } catch {
                folder.discard(log.name)
                throw error
            }
        }
        try log.finish(in: folder)
        var segment = JournalSegment(
            header,
            file: log.file,
            end: UInt64(FileHeader.size),
            capacity: capacity,
            mapping: mapping
        )
        segment.isNameFlushed = false
        segment.isAppended = true
        return segment
    }

    /// Closes the newest file to further frames.
    mutating func seal() {
        guard self.isWriting else { return }
        self.isWriting = false
        let last = self.segments.count - 1
        self.segments[last].seal()
        self.sealedBytes += self.segments[last].end
        if self.segments[last].live == 0 { self.needsUpkeep = true }
    }

    /// Releases resources that only the newest files keep: mappings after two files, descriptors after some more.
    private mutating func retire() {
        let count = self.segments.count
        if count > 2 {
            self.retired = self.segments[count - 3].mapping
            self.segments[count - 3].mapping = nil
        }
        guard count > Self.openFiles else { return }
        let index = count - 1 - Self.openFiles
        guard self.segments[index].needsDescriptor else {
            self.segments[index].file = nil
            return
        }
        // The upkeep flushes and closes it; until then the held descriptors count against those of the process.
        self.segments[index].isHeld = true
        self.needsUpkeep = true
        guard self.segments.count(where: { $0.isHeld && $0.file != nil }) > Self.heldLimit,
            let oldest = self.segments.firstIndex(where: { $0.isHeld && !$0.isSuspect })
        else { return }
        // Only the descriptor reliably reports if its bytes reached the medium; without it, the upkeep writes them
        // again. A flush here would block all callers that log.
        self.segments[oldest].isSuspect = true
        self.segments[oldest].file = nil
    }

    /// The oldest files that are open only for a flush.
    ///
    /// - Parameter kept: The number of newest files to leave out.
    /// - Returns: The files, oldest first.
    func held(beyond kept: Int) -> [JournalSegment] {
        let held = self.segments.filter { $0.isHeld && !$0.isSuspect }
        return Array(held.prefix(max(0, held.count - kept)))
    }

    /// Closes files that were open only for a flush.
    mutating func releaseHeld() {
        for index in self.segments.indices where self.segments[index].isHeld && !self.segments[index].needsDescriptor {
            self.segments[index].isHeld = false
            self.segments[index].file = nil
        }
    }

    @inline(__always)
    mutating func takeRetired() -> SegmentMapping? {
        guard let retired = self.retired else { return nil }
        self.retired = nil
        return retired
    }
}
