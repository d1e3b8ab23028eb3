// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Writes lines to the standard error of the process.
enum StandardErrorOutput {
    /// The most bytes of a line: a pipe that can be written to has room for them (PIPE_BUF of POSIX).
    private static let limit = 512

    /// Writes a line, unless its reader is too slow or gone: this is called inside of the app's calls, and never waits.
    static func write(_ line: String) {
        Self.write(line, to: STDERR_FILENO)
    }

    /// Writes a line to a descriptor.
    ///
    /// - Returns: False if its reader is too slow, or gone.
    @discardableResult
    static func write(_ line: String, to file: Int32) -> Bool {
        var descriptor = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        // A pipe without a reader is POLLOUT and POLLERR: a write to it would end the process by SIGPIPE.
        guard poll(&descriptor, 1, 0) == 1, descriptor.revents == Int16(POLLOUT) else { return false }
        var bytes = Array(line.utf8.prefix(Self.limit - 1))
        bytes.append(UInt8(ascii: "\n"))
        // An error of the standard error has no place where it could be written.
        return bytes.withUnsafeBytes { Self.send($0, to: file) } == bytes.count
    }

    private static func send(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Int {
        #if canImport(Darwin)
        Darwin.write(file, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(file, bytes.baseAddress, bytes.count)
        #else
        Glibc.write(file, bytes.baseAddress, bytes.count)
        #endif
    }
}
