//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import SignetJournal

import class FoundationEssentials.FileManager
import struct FoundationEssentials.UUID

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder for a copy of what people did, held by its process: one that was killed leaves it to the next to remove.
struct CopyFolder: Sendable {
    private static let prefix = "signet-copy-"

    let path: String

    init(in temporary: String = FileManager.default.temporaryDirectory.path) {
        self.path = temporary + "/" + Self.prefix + UUID().uuidString
    }

    /// Where the copy goes.
    var files: String { self.path + "/files" }

    /// Makes it, for nobody else to read, and keeps it until what this gives is gone.
    func hold() throws -> DirectoryLock {
        try DirectoryLock(directory: self.path)
    }

    func remove() throws {
        guard FileManager.default.fileExists(atPath: self.path) else { return }
        try FileManager.default.removeItem(atPath: self.path)
    }

    /// Removes what processes of the same user have left that were killed.
    static func removeLeft(in temporary: String = FileManager.default.temporaryDirectory.path) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: temporary) where name.hasPrefix(Self.prefix) {
            let path = temporary + "/" + name
            // Anybody may write there: what is not a folder of one's own is let alone.
            guard Self.isOwnFolder(path) else { continue }
            do {
                let lock = try DirectoryLock(directory: path)
                defer { lock.close() }
                try FileManager.default.removeItem(atPath: path)
            } catch let error as StorageError where error.code == .locked {
                continue
            }
        }
    }

    private static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }
}
#endif
