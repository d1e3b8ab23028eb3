// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A storage failure, in a form that a program can act on.
///
/// The message states the failure and the remedy. It names paths and system errors, never keys or values.
package struct StorageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure, as far as a caller acts differently.
    package enum Code: String, Sendable, CaseIterable {
        /// The disk has no space left; the store works again once there is some.
        case diskFull
        /// The disk or the operating system refused the call; the requested change did not happen.
        case diskFailed
        /// Another holder, in this process or another one, has the folder.
        case locked
        /// A newer version wrote a file; it was left untouched.
        case newerFormat
        /// An older version wrote a file, which this one cannot read; it was left untouched.
        case olderFormat
        /// A record's bytes have changed; they are copied to an aside file.
        case damagedRecord
        /// The folder cannot be used: not a folder, a symbolic link, not permitted, open to other users, or gone.
        case directoryUnusable
        /// A key, value or batch is beyond the documented limit; nothing was written.
        case tooLarge
        /// The store has reached its byte limit; nothing was written.
        case limitReached
        /// The store was closed before the call.
        case closed
    }

    /// The kind of failure.
    package var code: Code

    /// The path of the file or folder.
    package var path: String

    /// The system's error number, if a system call failed.
    package var errno: Int32?

    /// The description of the failure, with the remedy.
    package var message: String

    /// Makes an error.
    package init(code: Code, path: String, errno: Int32? = nil, message: String) {
        self.code = code
        self.path = path
        self.errno = errno
        self.message = message
    }

    /// The code and the message.
    package var description: String {
        "\(self.code.rawValue): \(self.message)"
    }
}

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

    /// Makes the error of a file in another version of the format.
    static func otherFormat(_ path: String, version: UInt16, of kind: FileHeader.Kind) -> StorageError {
        let isNewer = version > kind.version
        let (oldest, newest) = (kind.versions.lowerBound, kind.versions.upperBound)
        let known = oldest == newest ? "version \(newest)" : "versions \(oldest) to \(newest)"
        return StorageError(
            code: isNewer ? .newerFormat : .olderFormat,
            path: path,
            message: """
                \(path) has format version \(version); this library reads \(known). Nothing was \
                changed. Use \(isNewer ? "the newer library" : "the library that wrote it") or another folder.
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

    /// Makes the error of a copy, made after a failed flush, that lacks frames of the file.
    static func incompleteCopy(of path: String) -> StorageError {
        StorageError(
            code: .diskFailed,
            path: path,
            message: """
                A flush of \(path) failed, and not all of its records can be read again. Records since the previous \
                flush may not survive a loss of power. Check the disk.
                """
        )
    }
}
