//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Goes from frame to frame of a file, from a place where one is known to be.
struct FrameWalker: ~Copyable {
    private let file: LogFile
    /// Where the file is mapped, its bytes are those that this process has put there.
    private let pages: FileMapping?
    private var window: FileWindow?
    private let pieceSize: Int
    private(set) var position: UInt64

    /// Begins at a frame.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - position: The place of a frame.
    ///   - pieceSize: How much to read at once where the file is not mapped.
    init(_ file: LogFile, at position: UInt64, pieceSize: Int) {
        self.file = file
        self.pages = file.mapping ?? file.pages
        self.position = position
        self.pieceSize = pieceSize
    }

    /// Goes to another frame.
    mutating func move(to position: UInt64) {
        self.position = position
    }

    /// The header of the frame here, if there is one.
    mutating func header() throws(StorageError) -> FrameHeader? {
        guard let fixed = try self.bytes(at: self.position, FrameHeader.size), let header = FrameHeader(fixed),
            UInt64(header.length) <= self.file.end - self.position
        else { return nil }
        if self.pages != nil { return header }
        guard let bytes = try self.bytes(at: self.position, FrameHeader.size + header.keyLength),
            header.checkedKey(bytes, salt: self.file.header.salt) != nil
        else { return nil }
        return header
    }

    /// The stamp of the frame here.
    mutating func stamp(_ header: FrameHeader) throws(StorageError) -> UnsafeRawBufferPointer? {
        try self.bytes(at: self.position + UInt64(FrameHeader.size), header.keyLength)
    }

    /// All bytes of the frame here, if they are those that were written.
    mutating func frame(_ header: FrameHeader) throws(StorageError) -> UnsafeRawBufferPointer? {
        guard let bytes = try self.bytes(at: self.position, header.length),
            FrameHeader.sound(bytes, salt: self.file.header.salt) != nil
        else { return nil }
        return bytes
    }

    /// Goes behind the frame here.
    mutating func pass(_ header: FrameHeader) {
        self.position += UInt64(header.length)
    }

    /// Goes to the next sound frame behind bytes that are none.
    ///
    /// - Returns: The bytes that were passed.
    mutating func resume() throws(StorageError) -> Range<UInt64> {
        let start = self.position
        var scanner = FrameScanner(self.file.file, from: start, to: self.file.end, salt: self.file.header.salt)
        switch try scanner.next() {
        case .gap(let range), .tail(_, let range):
            self.position = range.upperBound
        case .damagedValue(let header, let offset), .frame(let header, let offset):
            self.position = offset + UInt64(header.length)
        case .end:
            self.position = self.file.end
        }
        return start..<self.position
    }

    private mutating func bytes(at offset: UInt64, _ count: Int) throws(StorageError) -> UnsafeRawBufferPointer? {
        if let pages = self.pages {
            guard UInt64(count) <= self.file.end - min(offset, self.file.end) else { return nil }
            return pages.bytes(offset..<offset + UInt64(count))
        }
        if self.window == nil {
            self.window = FileWindow(self.file.file, end: self.file.end, pieceSize: self.pieceSize)
        }
        return try self.window?.bytes(at: offset, count: count)
    }
}
