//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What went wrong with bytes on disk, in a form that a program can act on.
///
/// The message says what happened and what to do. It names paths and system errors, never keys or values.
package struct StorageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure, as far as a caller would act differently.
    package enum Code: String, Sendable, CaseIterable {
        /// There is no space left; the store works again once there is some.
        case diskFull
        /// The disk or the operating system refused; what was asked did not happen.
        case diskFailed
        /// Another holder, in this process or another one, has the folder.
        case locked
        /// A file was written by a newer version; it was left untouched.
        case newerFormat
        /// A record no longer has the bytes that were written; a copy was set aside.
        case damagedRecord
        /// The folder cannot be used: not a folder, a symbolic link, not permitted, open to other users, or gone.
        case directoryUnusable
        /// A key, value or batch is beyond the documented limit; nothing was written.
        case tooLarge
        /// The store has as many bytes as it was told to hold at most; nothing was written.
        case limitReached
        /// The store was closed before the call.
        case closed
    }

    /// The kind of failure.
    package var code: Code

    /// The file or folder concerned.
    package var path: String

    /// The system's error number, where a system call failed.
    package var errno: Int32?

    /// What happened and what to do.
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
