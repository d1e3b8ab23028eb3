// SPDX-License-Identifier: Apache-2.0

/// A file of frames, with its end and the state of its flushes.
struct LogFile: Sendable {
    var file: OpenFile

    let header: FileHeader

    /// The offset of the next frame; all frames before it are complete.
    var end: UInt64

    /// The number of sound frames.
    var frames = 0

    /// The end at the last successful flush; zero before the first.
    var flushedEnd: UInt64 = 0

    /// True if bytes of a failed append may lie after the end.
    var hasLeftovers = false

    /// True after a failed flush: the kernel may have dropped bytes, and a second flush would not report it.
    var isSuspect = false

    var name: String { self.file.name }

    /// Creates a file with its header, under a name that marks it as incomplete.
    static func create(in folder: Folder, _ header: FileHeader) throws(StorageError) -> LogFile {
        let name = FileName(number: header.number, suffix: "\(header.kind.suffix).\(FileName.unfinished)").text
        let file = try folder.createFile(name)
        do throws(StorageError) {
            try file.write(header.encoded, at: 0)
        } catch {
            folder.discard(name)
            throw error
        }
        return LogFile(file: file, header: header, end: UInt64(FileHeader.size))
    }

    /// Gives a created file its final name; the folder is not flushed.
    mutating func finish(in folder: Folder) throws(StorageError) {
        let name = FileName(number: self.header.number, suffix: self.header.kind.suffix).text
        do throws(StorageError) {
            try folder.rename(self.name, to: name)
        } catch {
            folder.discard(self.name)
            throw error
        }
        self.file = self.file.renamed(name, path: folder.path(of: name))
    }

    /// Appends frames in one write.
    ///
    /// If it throws, none of the bytes count: the rest of a partial write is cut off now, or before the next append.
    mutating func append(_ bytes: [UInt8], frames: Int) throws(StorageError) -> UInt64 {
        try self.cutLeftovers()
        do throws(StorageError) {
            try self.file.write(bytes, at: self.end)
        } catch {
            self.hasLeftovers = true
            do throws(StorageError) {
                try self.cutLeftovers()
            } catch {
                // The next append tries again, and moves to a new file if that fails too. The first error says more.
            }
            throw error
        }
        let offset = self.end
        self.end += UInt64(bytes.count)
        self.frames += frames
        return offset
    }

    /// Cuts off the rest of a failed append after the end.
    mutating func cutLeftovers() throws(StorageError) {
        guard self.hasLeftovers else { return }
        try self.file.truncate(to: self.end)
        self.hasLeftovers = false
    }

    /// Reads one frame and checks it.
    ///
    /// - Parameters:
    ///   - offset: The frame's offset.
    ///   - keyLength: The length of its key.
    ///   - valueLength: The length of its value.
    ///   - body: Gets the header, the key and the value; the bytes are invalid after it returns.
    /// - Returns: The result of the body, or nil if the bytes have changed.
    /// - Throws: An error when the disk cannot be read.
    func readFrame<Result>(
        at offset: UInt64,
        keyLength: Int,
        valueLength: Int,
        _ body: (FrameHeader, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
    ) throws(StorageError) -> Result? {
        let bytes = try self.file.bytes(at: offset, count: FrameHeader.size + keyLength + valueLength)
        return bytes.withUnsafeBytes { bytes in
            guard let header = FrameHeader.sound(bytes, salt: self.header.salt), header.keyLength == keyLength else {
                return nil
            }
            return body(header, header.key(in: bytes), header.value(in: bytes))
        }
    }
}
