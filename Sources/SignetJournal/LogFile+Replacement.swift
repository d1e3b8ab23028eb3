// SPDX-License-Identifier: Apache-2.0

extension LogFile {
    /// Replaces the file, whose flush failed, with a flushed copy.
    ///
    /// After a failed flush the bytes are still in memory, but the kernel may count them as written. Only a flush of
    /// bytes written again to a new file proves anything. The offsets in the copy are the same.
    ///
    /// - Parameter folder: The folder, which is flushed too.
    /// - Throws: An error when a write or flush of the copy fails, or when the old file no longer gives all its frames.
    ///   The file then stays suspect, and all its bytes stay readable.
    mutating func replace(in folder: Folder) throws(StorageError) {
        let name = self.name
        let unfinished = "\(name).\(FileName.unfinished)"
        try folder.remove(unfinished)
        let copy = try folder.createFile(unfinished)
        do throws(StorageError) {
            try self.copyBytes(to: copy)
            try copy.sync()
            guard try self.countFrames(of: copy) == self.frames else {
                throw StorageError(
                    code: .diskFailed,
                    path: self.file.path,
                    message: """
                        A flush of \(self.file.path) failed, and not all of its records can be read again. Records \
                        since the previous flush may not survive a loss of power. Check the disk.
                        """
                )
            }
            try folder.rename(unfinished, to: name)
        } catch {
            folder.discard(unfinished)
            throw error
        }
        // The name leads to the copy from here on, so later frames must go there, even if the folder's flush fails.
        self.file = copy.renamed(name, path: folder.path(of: name))
        self.hasLeftovers = false
        try folder.sync()
        self.flushedEnd = self.end
        self.isSuspect = false
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

    private func countFrames(of file: OpenFile) throws(StorageError) -> Int {
        var scanner = FrameScanner(file, to: self.end, salt: self.header.salt)
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
