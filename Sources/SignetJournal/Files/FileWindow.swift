// SPDX-License-Identifier: Apache-2.0

/// A file read in large pieces, one of them in memory.
///
/// It reads instead of mapping: on a failing disk, a mapped byte kills the process, and a read returns an error.
struct FileWindow: ~Copyable {
    /// The length of one read, in bytes.
    static let pieceSize = 1 << 20

    /// The offset at which reading stops, even if the file is longer.
    let end: UInt64

    private let file: OpenFile
    private var memory: UnsafeMutableRawBufferPointer
    private var start: UInt64 = 0
    private var filled = 0

    init(_ file: OpenFile, end: UInt64) {
        self.file = file
        self.end = end
        self.memory = .allocate(byteCount: Int(clamping: min(UInt64(Self.pieceSize), max(end, 1))), alignment: 8)
    }

    deinit {
        self.memory.deallocate()
    }

    /// Returns bytes of the file, valid until the next call.
    ///
    /// - Returns: Exactly the requested bytes; nil if the file ends before.
    mutating func bytes(at offset: UInt64, count: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
        guard offset <= self.end, UInt64(count) <= self.end - offset else { return nil }
        if offset < self.start || offset + UInt64(count) > self.start + UInt64(self.filled) {
            try self.fill(at: offset, atLeast: count)
            guard count <= self.filled else { return nil }
        }
        let first = Int(offset - self.start)
        return UnsafeRawBufferPointer(rebasing: self.memory[first..<first + count])
    }

    /// Returns the bytes in memory from an offset on, at least one; valid until the next call.
    ///
    /// - Returns: Nil if the file ends before.
    mutating func bytes(from offset: UInt64) throws(StorageError) -> UnsafeRawBufferPointer? {
        guard try self.bytes(at: offset, count: 1) != nil else { return nil }
        return UnsafeRawBufferPointer(rebasing: self.memory[Int(offset - self.start)..<self.filled])
    }

    private mutating func fill(at offset: UInt64, atLeast count: Int) throws(StorageError) {
        if count > self.memory.count {
            self.memory.deallocate()
            self.memory = .allocate(byteCount: count + Self.pieceSize, alignment: 8)
        }
        let wanted = Int(clamping: min(UInt64(self.memory.count), self.end - offset))
        self.start = offset
        self.filled = 0
        let piece = UnsafeMutableRawBufferPointer(rebasing: self.memory[..<wanted])
        self.filled = try self.file.read(into: piece, at: offset)
    }
}

/// Memory for one read after the other.
struct ReadBuffer: ~Copyable {
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit {
        self.memory.deallocate()
    }

    /// Reads a part of a file.
    ///
    /// - Returns: The bytes, valid until the next call; fewer than requested only at the end of the file.
    /// - Throws: An error when the disk cannot be read.
    mutating func read(
        _ file: OpenFile,
        at offset: UInt64,
        count: Int
    ) throws(StorageError) -> UnsafeRawBufferPointer {
        if self.memory.count < count {
            self.memory.deallocate()
            self.memory = .allocate(byteCount: max(count, 8 << 10), alignment: 8)
        }
        let piece = UnsafeMutableRawBufferPointer(rebasing: self.memory[..<count])
        let filled = try file.read(into: piece, at: offset)
        return UnsafeRawBufferPointer(rebasing: piece[..<filled])
    }
}
