// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// The folder of one store, with the lock that keeps others out and the copies of bytes that could not be used.
final class StoreFolder: Sendable {
    let folder: Folder
    let quarantine: Quarantine
    /// Held by one who gives a copy the name of a file, or removes files, outside the store's lock.
    let naming = Locked(false)

    /// The kinds of the store's files.
    private let kinds: [FileHeader.Kind]
    /// The name of the store, which begins the names of its lock and its spare file.
    private let name: String
    private let lock: DirectoryLock

    /// Opens a folder, makes it if it is missing, and takes its lock.
    init(_ directory: String, name: String, kinds: [FileHeader.Kind], disk: Disk) throws(StorageError) {
        self.folder = try Folder(path: directory, disk: disk)
        self.quarantine = Quarantine(folder: self.folder)
        self.kinds = kinds
        self.name = name
        self.lock = try DirectoryLock(folder: self.folder, name: "\(name).lock")
    }

    /// Reads the names and headers of the store's files.
    func contents() throws(StorageError) -> FolderContents {
        try FolderContents(self.folder, kinds: self.kinds)
    }

    /// Returns the store's spare space, which is not held yet.
    func makeSpare() -> SpareFile {
        SpareFile(folder: self.folder, name: "\(self.name).spare")
    }

    /// Continues in the folder that has the path of a removed one, or makes it.
    ///
    /// - Throws: `locked` when another store has that folder, `directoryUnusable` when one left files in it, and the
    ///   disk's error.
    func reopen() throws(StorageError) {
        try self.folder.reopen { other throws(StorageError) in
            try self.lock.renew(in: other, name: "\(self.name).lock") { other throws(StorageError) in
                // Files that another holder has made since would clash with this store's by their names.
                guard try FolderContents(other, kinds: self.kinds).nextNumber > 1 else { return }
                throw StorageError(
                    code: .directoryUnusable,
                    path: other.path,
                    message: """
                        \(other.path) was removed while it was in use. The folder that now has this path holds files \
                        of another store. They were not changed; start again to use them.
                        """
                )
            }
        }
        self.quarantine.forget()
    }

    /// Removes all copies of bytes that could not be used, because their owner is unknown.
    ///
    /// - Parameter nextNumbers: Returns the number of the next file of each kind. An unfinished file whose number was
    ///   taken during the call stays, because it may be in the making.
    /// - Returns: The number of removed files with copies.
    /// - Throws: The disk's error.
    func eraseCopies(_ nextNumbers: () -> [FileHeader.Kind: UInt64]) throws(StorageError) -> Int {
        try self.naming.withLock { _ throws(StorageError) in try self.quarantine.erase(self.kinds, nextNumbers) }
    }

    /// Releases the folder.
    func close() {
        self.lock.close()
    }
}
