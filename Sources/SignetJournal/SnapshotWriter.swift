// SPDX-License-Identifier: Apache-2.0

/// Writes frames to a new file in large pieces.
struct SnapshotWriter {
    private var file: LogFile
    private var buffer: [UInt8] = []
    private var waiting = 0

    init(_ file: LogFile) {
        self.file = file
    }

    /// The offset of the next frame.
    var end: UInt64 { self.file.end + UInt64(self.buffer.count) }

    /// Appends a frame of another file, with checksums of this one.
    ///
    /// - Parameters:
    ///   - header: The frame's header.
    ///   - bytes: All bytes of the frame.
    /// - Throws: The disk's error.
    mutating func append(_ header: FrameHeader, _ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        FrameHeader.encode(
            header.kind,
            sequence: header.sequence,
            key: header.key(in: bytes),
            value: header.value(in: bytes),
            salt: self.file.header.salt,
            to: &self.buffer
        )
        self.waiting += 1
        if self.buffer.count >= FileWindow.pieceSize { try self.flush() }
    }

    private mutating func flush() throws(StorageError) {
        _ = try self.file.append(self.buffer, frames: self.waiting)
        self.buffer.removeAll(keepingCapacity: true)
        self.waiting = 0
    }

    /// Appends the end mark, and flushes the file to the medium.
    mutating func finish(sequence: UInt64) throws(StorageError) -> LogFile {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        FrameHeader.encode(
            .end,
            sequence: sequence,
            key: nothing,
            value: nothing,
            salt: self.file.header.salt,
            to: &self.buffer
        )
        self.waiting += 1
        try self.flush()
        try self.file.file.sync()
        self.file.flushedEnd = self.file.end
        return self.file
    }
}
