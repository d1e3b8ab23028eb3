// SPDX-License-Identifier: Apache-2.0

/// Walks through the frames of a file, past damage, to its end.
struct FrameScanner: ~Copyable {
    /// The content at a place in the file.
    enum Finding: Equatable {
        /// A sound frame.
        case frame(FrameHeader, at: UInt64)
        /// A frame with a sound header and key, whose value is damaged.
        case damagedValue(FrameHeader, at: UInt64)
        /// Bytes that are no frame, followed by one.
        case gap(Range<UInt64>)
        /// Bytes up to the end that are no whole frame.
        case tail(Range<UInt64>)
        /// The end, right after a frame.
        case end
    }

    private var window: FileWindow
    private var position: UInt64
    private let salt: UInt32

    /// Starts at an offset.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - start: The offset of a frame.
    ///   - end: The end of the file, or of this walk.
    ///   - salt: The file's salt.
    init(_ file: OpenFile, from start: UInt64 = UInt64(FileHeader.size), to end: UInt64, salt: UInt32) {
        self.window = FileWindow(file, end: end)
        self.position = start
        self.salt = salt
    }

    /// Returns the next finding; after `tail` and `end` always `end`.
    mutating func next() throws(StorageError) -> Finding {
        let here = self.position
        guard here < self.window.end else { return .end }
        guard let (header, checksum) = try self.soundHeader(at: here) else { return try self.resume(after: here) }
        guard let frame = try self.window.bytes(at: here, count: header.length) else {
            self.position = self.window.end
            return .tail(here..<self.window.end)
        }
        self.position = here + UInt64(header.length)
        return header.checksValue(frame, after: checksum) ? .frame(header, at: here) : .damagedValue(header, at: here)
    }

    /// Runs a body with the bytes of a frame found just before.
    ///
    /// - Parameters:
    ///   - header: The frame's header.
    ///   - offset: The frame's offset.
    ///   - body: Gets the whole frame; the bytes are invalid after it returns.
    /// - Returns: The result of the body.
    /// - Throws: An error when the disk cannot be read.
    mutating func withFrame<Result>(
        _ header: FrameHeader,
        at offset: UInt64,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(StorageError) -> Result? {
        try self.window.bytes(at: offset, count: header.length).map(body)
    }

    /// Runs a body with the key of a frame whose header is sound.
    mutating func withKey<Result>(
        _ header: FrameHeader,
        at offset: UInt64,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(StorageError) -> Result? {
        try self.window.bytes(at: offset + UInt64(FrameHeader.size), count: header.keyLength).map(body)
    }

    private mutating func soundHeader(at offset: UInt64) throws(StorageError) -> (FrameHeader, CRC32C)? {
        guard let fixed = try self.window.bytes(at: offset, count: FrameHeader.size), let header = FrameHeader(fixed),
            let whole = try self.window.bytes(at: offset, count: FrameHeader.size + header.keyLength),
            let checksum = header.checkedKey(whole, salt: self.salt)
        else { return nil }
        return (header, checksum)
    }

    /// Searches for the next sound header with room for its frame, byte by byte.
    ///
    /// A header without room is part of the tail: cut off alone, it would leave the gap before it as the next torn end.
    private mutating func resume(after broken: UInt64) throws(StorageError) -> Finding {
        var candidate = broken + 1
        while let bytes = try self.window.bytes(from: candidate) {
            guard let index = bytes.firstIndex(of: FrameHeader.mark) else {
                candidate += UInt64(bytes.count)
                continue
            }
            candidate += UInt64(index)
            if let (header, _) = try self.soundHeader(at: candidate),
                UInt64(header.length) <= self.window.end - candidate
            {
                self.position = candidate
                return .gap(broken..<candidate)
            }
            candidate += 1
        }
        self.position = self.window.end
        return .tail(broken..<self.window.end)
    }
}
