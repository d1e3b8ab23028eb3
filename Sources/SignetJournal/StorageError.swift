// SPDX-License-Identifier: Apache-2.0

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
