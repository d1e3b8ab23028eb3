//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

extension LogFile {
    /// A copy of a file whose flush failed, flushed and in its place.
    ///
    /// After a failed flush the bytes are still in memory, but the kernel may count them as written. Only bytes written
    /// again to a new file can be flushed in a way that proves something. The offsets in the copy are the same.
    ///
    /// - Parameter folder: The folder; it is flushed too.
    /// - Returns: The copy, open, under the old file's name.
    /// - Throws: When a write or flush of the copy fails, or when the old file no longer gives all its frames. Then the
    ///   old file is in its place and still suspect.
    func replacement(in folder: Folder) throws(StorageError) -> LogFile {
        let unfinished = "\(self.name).\(FileName.unfinished)"
        try folder.remove(unfinished)
        let file = try folder.createFile(unfinished)
        var copy = self
        copy.file = file
        do throws(StorageError) {
            try self.copyBytes(to: file)
            try file.sync()
            guard try copy.countFrames() == self.frames else {
                throw StorageError(
                    code: .diskFailed,
                    path: self.file.path,
                    message: """
                        A flush of \(self.file.path) failed, and not all of its records can be read again. Those since \
                        the flush before may not survive a loss of power; check the disk.
                        """
                )
            }
            try folder.rename(unfinished, to: self.name)
        } catch {
            folder.discard(unfinished)
            throw error
        }
        copy.file = file.renamed(self.name, path: folder.path(of: self.name))
        try folder.sync()
        copy.flushedEnd = self.end
        copy.isSuspect = false
        copy.hasLeftovers = false
        return copy
    }

    private func copyBytes(to other: OpenFile) throws(StorageError) {
        var offset: UInt64 = 0
        while offset < self.end {
            let count = Int(clamping: min(UInt64(FileWindow.pieceSize), self.end - offset))
            let bytes = try self.file.bytes(at: offset, count: count)
            guard bytes.count == count else { throw StorageError.damaged(self.file.path, at: offset) }
            try other.write(bytes, at: offset)
            offset += UInt64(count)
        }
    }

    private func countFrames() throws(StorageError) -> Int {
        var scanner = FrameScanner(self.file, to: self.end, salt: self.header.salt)
        var count = 0
        while true {
            switch try scanner.next() {
            case .frame: count += 1
            case .damagedValue, .gap: continue
            case .tail, .end: return count
            }
        }
    }
}
