// SPDX-License-Identifier: Apache-2.0

import CSignetJournal

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

extension Folder {
    /// True if the folder was removed since it was opened.
    ///
    /// No file can be made in a removed folder, though another folder may have its path.
    var isRemoved: Bool {
        var status = stat()
        return fstat(self.descriptor, &status) == 0 && status.st_nlink == 0
    }

    /// True if frames may be written through memory here.
    var canBeMapped: Bool {
        FileSystem(number: signet_file_system(self.descriptor)).keepsReservedSpace
    }

    /// Opens the folder again by its path, and makes it if it is missing; this value then stands for the new folder.
    ///
    /// - Parameter prepare: Called with the new folder before the switch.
    /// - Throws: The disk's error or that of `prepare`; then this value stays the old folder.
    func reopen(_ prepare: (Folder) throws(StorageError) -> Void) throws(StorageError) {
        let other = try Folder(path: self.path, disk: self.disk)
        try prepare(other)
        guard signet_replace(self.descriptor, other.descriptor) == 0 else {
            throw StorageError(.last, action: "open the folder", path: self.path)
        }
    }

    /// Checks that another holder has made no files since, because their names would clash with this store's.
    ///
    /// - Throws: `directoryUnusable` if there are any.
    func checkHasNone(of kinds: [FileHeader.Kind]) throws(StorageError) {
        guard try FolderContents(self, kinds: kinds).nextNumber > 1 else { return }
        throw StorageError(
            code: .directoryUnusable,
            path: self.path,
            message: """
                \(self.path) was removed while it was in use. The folder that now has this path holds files of \
                another store. They were not changed; start again to use them.
                """
        )
    }
}

extension StorageError {
    /// Makes the error of appending to a removed file.
    static func removed(_ path: String) -> StorageError {
        StorageError(
            code: .directoryUnusable,
            path: path,
            message: """
                \(path) was removed while it was in use. Nothing was written; the next call makes a new file and, if \
                necessary, a new folder. Find out what removed it.
                """
        )
    }
}
