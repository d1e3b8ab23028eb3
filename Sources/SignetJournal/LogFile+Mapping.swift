//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension LogFile {
    /// How many zeros are written ahead of the frames at once.
    ///
    /// The zeros make the kernel take the space, and the pages, of the file in one step: a full disk is an error here, and
    /// not a signal when the memory is touched; and touching a page costs a tenth of what it costs where the file has a
    /// hole or space reserved by fallocate(2). More at once would make single appends slow.
    private static let fillSize = 64 << 10

    private static let zeros = [UInt8](repeating: 0, count: fillSize)

    /// Lets frames be copied into memory instead of written, as far as a number of bytes.
    ///
    /// Where the file cannot be mapped, they are written as before.
    mutating func map(upTo count: UInt64) {
        do throws(StorageError) {
            self.mapping = try FileMapping(self.file, count: Int(clamping: count))
            self.filledEnd = self.end
        } catch {
            self.mapping = nil
        }
    }

    /// Appends a frame whose value has two parts.
    ///
    /// - Returns: Its place.
    /// - Throws: What the disk says; then there is no such frame.
    mutating func append(
        _ kind: FrameHeader.Kind,
        sequence: UInt64,
        key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer,
        _ rest: UnsafeRawBufferPointer
    ) throws(StorageError) -> UInt64 {
        let length = FrameHeader.size + key.count + value.count + rest.count
        guard let mapping = self.mapping, UInt64(length) <= UInt64(mapping.count) - self.end else {
            try self.unmap()
            let frame = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
                guard let room = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
                FrameHeader.write(
                    kind,
                    sequence: sequence,
                    key: key,
                    value: value,
                    rest,
                    salt: self.header.salt,
                    to: room
                )
                count = length
            }
            return try self.append(frame, frames: 1)
        }
        let offset = self.end
        if offset + UInt64(length) > self.filledEnd { try self.fill(upTo: offset + UInt64(length), of: mapping) }
        FrameHeader.write(
            kind,
            sequence: sequence,
            key: key,
            value: value,
            rest,
            salt: self.header.salt,
            to: mapping.address(at: offset)
        )
        self.end = offset + UInt64(length)
        self.frames += 1
        return offset
    }

    private mutating func fill(upTo needed: UInt64, of mapping: FileMapping) throws(StorageError) {
        while self.filledEnd < needed {
            let count = Int(min(UInt64(Self.fillSize), UInt64(mapping.count) - self.filledEnd))
            var failure: StorageError?
            Self.zeros.withUnsafeBytes { zeros in
                do throws(StorageError) {
                    try self.file.write(UnsafeRawBufferPointer(rebasing: zeros[..<count]), at: self.filledEnd)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            self.filledEnd += UInt64(count)
        }
    }

    /// From now on frames are written: the zeros ahead of them go.
    mutating func unmap() throws(StorageError) {
        guard self.mapping != nil else { return }
        // A part of the zeros may be there even where writing them failed.
        self.hasLeftovers = true
        self.mapping = nil
        try self.cutLeftovers()
    }

    /// No more frames go here: the zeros ahead of them go, and what is mapped stays for readers.
    mutating func seal() {
        guard let mapping = self.mapping else { return }
        do throws(StorageError) {
            try self.unmap()
        } catch {
            // The zeros stay behind the frames, where a start passes over them.
        }
        self.pages = mapping
    }

    /// Readers read from now on.
    mutating func forget() {
        self.pages = nil
    }
}
