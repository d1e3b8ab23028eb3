//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import CSignetJournal

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

extension Folder {
    /// Whether somebody removed the folder since it was opened: no file can be made in it any more, though another folder
    /// may have its path.
    var isRemoved: Bool {
        var status = stat()
        return fstat(self.descriptor, &status) == 0 && status.st_nlink == 0
    }

    /// Whether frames may be written through memory here.
    var canBeMapped: Bool {
        FileSystem(number: signet_file_system(self.descriptor)).keepsReservedSpace
    }

    /// Opens the folder anew by its path, and makes it if it is missing; from then on this value is the new one.
    ///
    /// - Parameter prepare: Gets the new folder before.
    /// - Throws: What the disk says and what `prepare` throws; then this one stays the old one.
    func reopen(_ prepare: (Folder) throws(StorageError) -> Void) throws(StorageError) {
        let other = try Folder(path: self.path, disk: self.disk)
        try prepare(other)
        guard signet_replace(self.descriptor, other.descriptor) == 0 else {
            throw StorageError(.last, action: "open the folder", path: self.path)
        }
    }

    /// Makes sure that there are no files that somebody else made since: they would have the names of ours.
    ///
    /// - Throws: `directoryUnusable` where there are.
    func checkHasNone(of kinds: [FileHeader.Kind]) throws(StorageError) {
        guard try FolderContents(self, kinds: kinds).nextNumber > 1 else { return }
        throw StorageError(
            code: .directoryUnusable,
            path: self.path,
            message: """
                \(self.path) was removed while it was in use, and the folder that has its path now holds files of \
                another holder. They were left untouched; start again to use them.
                """
        )
    }
}

extension StorageError {
    /// The error of appending to a file that somebody removed.
    static func removed(_ path: String) -> StorageError {
        StorageError(
            code: .directoryUnusable,
            path: path,
            message: """
                \(path) was removed while it was in use. Nothing was written; the next call makes a new file, and the \
                folder too. Look for what removed it.
                """
        )
    }
}
