// SPDX-License-Identifier: Apache-2.0

/// An open file of records or acknowledgements.
struct LogFile: Sendable {
    private(set) var file: OpenFile

    private(set) var state: FileState

    /// The number of sound frames.
    private(set) var frames = 0

    init(file: OpenFile, header: FileHeader, end: UInt64, frames: Int = 0) {
        self.file = file
        self.state = FileState(header, end: end)
        self.frames = frames
    }

    var header: FileHeader { self.state.header }

    var end: UInt64 { self.state.end }

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
        let name = self.state.name
        do throws(StorageError) {
            try folder.rename(self.name, to: name)
        } catch {
            folder.discard(self.name)
            throw error
        }
        self.file = self.file.renamed(name, path: folder.path(of: name))
    }

    /// Appends frames in one write; if it throws, none of the bytes count.
    mutating func append(_ bytes: [UInt8], frames: Int) throws(StorageError) -> UInt64 {
        let offset = try bytes.withUnsafeBufferPointer { buffer throws(StorageError) in
            try self.state.append(UnsafeRawBufferPointer(buffer), to: self.file)
        }
        self.frames += frames
        return offset
    }

    mutating func cutLeftovers() throws(StorageError) {
        try self.state.cutLeftovers(of: self.file)
    }

    /// Counts a sound frame that a start found.
    mutating func countFrame() {
        self.frames += 1
    }

    /// Ends the file before bytes that are no frames.
    mutating func shorten(to end: UInt64, isCut: Bool) {
        self.state.shorten(to: end, isCut: isCut)
    }

    /// Flushes the bytes of a file that no other call uses yet.
    mutating func flush() throws(StorageError) {
        try self.file.sync()
        self.state.noteFlush(to: self.end)
    }

    /// Marks a name that a flush of the folder covered outside a plan.
    mutating func noteNameFlush() {
        self.state.noteNameFlush()
    }

    mutating func leaveFolder() {
        self.state.leaveFolder()
    }

    /// Applies the result of a flush.
    mutating func finish(_ outcome: FlushPlan.Outcome) {
        _ = self.state.finish(outcome)
    }

    /// Writes all frames to a new file, flushes it, and gives it the name of this one; the folder is not flushed.
    ///
    /// - Throws: The error of the copy.
    func copy(in folder: Folder) throws(StorageError) -> OpenFile {
        let (state, frames) = (self.state, self.frames)
        return try state.copy(self.file, in: folder) { copy throws(StorageError) in
            try Self.countFrames(of: copy, state) == frames
        }
    }

    /// Continues in a flushed copy, to which the name now leads.
    mutating func adoptCopy(_ copy: OpenFile) {
        self.file = copy
        self.state.noteCopy()
    }

    /// Marks that the copy's name survives a power loss too.
    mutating func finishCopy(upTo end: UInt64) {
        self.state.finishCopy(upTo: end)
    }

    private static func countFrames(of file: OpenFile, _ state: FileState) throws(StorageError) -> Int {
        var scanner = FrameScanner(file, to: state.end, salt: state.header.salt)
        var count = 0
        while true {
            switch try scanner.next() {
            case .frame: count += 1
            case .damagedValue, .gap: continue
            case .tail, .end: return count
            }
        }
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
