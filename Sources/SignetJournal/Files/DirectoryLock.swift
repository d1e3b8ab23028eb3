// SPDX-License-Identifier: Apache-2.0

import SignetLock

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The exclusive right to use a folder, across processes and within one.
///
/// It uses `flock(2)` on a file of its own, because record locks (`fcntl`) vanish when any descriptor of the file
/// closes and do not hold within a process. The kernel frees the lock when the process ends, however it ends. The file
/// stays.
package final class DirectoryLock: Sendable {
    private let file: Locked<OpenFile?>

    /// Takes the lock of a folder, and makes the folder (0700) if it is missing.
    ///
    /// - Parameters:
    ///   - directory: The folder's path.
    ///   - name: The lock file's name.
    ///   - disk: The system calls.
    /// - Throws: `locked` when the lock is taken, `directoryUnusable` when the folder cannot be used.
    package convenience init(
        directory: String,
        name: String = "lock",
        disk: Disk = Disk()
    ) throws(StorageError) {
        try self.init(folder: Folder(path: directory, disk: disk), name: name)
    }

    init(folder: Folder, name: String) throws(StorageError) {
        self.file = Locked(try Self.take(name, in: folder))
    }

    /// Takes the lock of another folder in place of this one, whose folder was removed.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - name: The lock file's name.
    ///   - check: Throws if the folder, once locked, cannot be used.
    /// - Throws: `locked` when the lock is taken, and any error of the check; then this lock is held as before.
    func renew(
        in folder: Folder,
        name: String,
        _ check: (Folder) throws(StorageError) -> Void
    ) throws(StorageError) {
        let file = try Self.take(name, in: folder)
        try check(folder)
        self.file.withLock { $0 = file }
    }

    private static func take(_ name: String, in folder: Folder) throws(StorageError) -> OpenFile {
        for _ in 0..<100 {
            let file = try folder.ensureFile(name)
            while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
                let failure = SystemFailure.last
                if failure.number == EINTR { continue }
                guard failure.number == EWOULDBLOCK else {
                    throw StorageError(failure, action: "lock", path: folder.path(of: name))
                }
                throw StorageError(
                    code: .locked,
                    path: folder.path,
                    errno: failure.number,
                    message: """
                        \(folder.path) is in use by this process or another one. Close the store that uses it \
                        first, or use another folder.
                        """
                )
            }
            // Between opening and locking, another process may have removed the file and locked a new one of that name.
            if folder.leads(name, to: file) { return file }
        }
        throw StorageError(
            code: .directoryUnusable,
            path: folder.path(of: name),
            message:
                "The lock file \(folder.path(of: name)) is removed again and again. Stop the process that removes it."
        )
    }

    deinit {
        self.close()
    }

    /// Releases the lock; a second call does nothing.
    package func close() {
        self.file.withLock { file in
            // Closing is not enough: a child process that was just forked keeps the descriptor until it calls exec.
            if let file { _ = flock(file.descriptor, LOCK_UN) }
            file = nil
        }
    }
}
