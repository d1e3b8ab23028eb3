// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

extension StorageError {
    /// Translates a system error number into an error that a caller can act on.
    ///
    /// - Parameters:
    ///   - failure: The error number of the call.
    ///   - action: The failed action, as in "write to".
    ///   - path: The path of the file or folder.
    init(_ failure: SystemFailure, action: String, path: String) {
        let code: Code
        let advice: String
        switch failure.number {
        case ENOSPC, EDQUOT:
            code = .diskFull
            advice = "Free some space. The store then continues without a restart."
        case ENOENT, ENOTDIR, ELOOP, EACCES, EPERM, EROFS, EISDIR, ENAMETOOLONG, ESTALE:
            code = .directoryUnusable
            advice = "Check that the folder exists, is not a symbolic link, and belongs to the user of this process."
        case EMFILE, ENFILE:
            code = .diskFailed
            advice = "Raise the limit of open files (ulimit -n) or close some."
        default:
            code = .diskFailed
            advice =
                "Look for disk errors in the system log. Earlier writes that returned without an error are unaffected."
        }
        let reason = strerror(failure.number).map { String(cString: $0) } ?? "unknown error"
        self.init(
            code: code,
            path: path,
            errno: failure.number,
            message: "Cannot \(action) \(path): \(reason) (errno \(failure.number)). \(advice)"
        )
    }

    /// Makes the error of every call on a closed store.
    static func closed(_ path: String) -> StorageError {
        StorageError(
            code: .closed,
            path: path,
            message: "\(path) was closed before this call. Open it again, or call earlier in the shutdown."
        )
    }

    /// Makes the error of reading a record whose checksum does not match.
    static func damaged(_ path: String, at offset: UInt64) -> StorageError {
        StorageError(
            code: .damagedRecord,
            path: path,
            message: """
                The record at byte \(offset) of \(path) no longer has the bytes that were written. A copy is in \
                \(path).damaged. Write the record again, and check the disk.
                """
        )
    }

    /// Makes the error of reading a journal's frame whose bytes changed.
    static func damaged(_ path: String, of sequence: UInt64) -> StorageError {
        StorageError(
            code: .damagedRecord,
            path: path,
            message: """
                Frame \(sequence) in \(path) no longer has the bytes that were written. A copy is in a file of that \
                folder whose name ends in .damaged. Check the disk.
                """
        )
    }

    /// Makes the error of a key, value or batch beyond its limit.
    static func tooLarge(_ path: String, what: String, bytes: Int, limit: Int) -> StorageError {
        StorageError(
            code: .tooLarge,
            path: path,
            message: "A \(what) of \(bytes) bytes is over the limit of \(limit). Nothing was written to \(path)."
        )
    }

    /// Makes the error of an append beyond the byte limit of a journal.
    static func limitReached(_ path: String, limit: UInt64) -> StorageError {
        StorageError(
            code: .limitReached,
            path: path,
            message: """
                \(path) has reached its limit of \(limit) bytes. Nothing was written. Acknowledge frames, raise the \
                limit, or drop the oldest frames (dropOldest).
                """
        )
    }
}
