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

    /// Writes a line, unless its reader is too slow: this is called inside of the app's calls, and never waits.
    static func write(_ line: String) {
        var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard poll(&descriptor, 1, 0) == 1, descriptor.revents & Int16(POLLOUT) != 0 else { return }
        var bytes = Array(line.utf8.prefix(Self.limit - 1))
        bytes.append(UInt8(ascii: "\n"))
        // There is nobody to tell of an error of the standard error.
        _ = bytes.withUnsafeBytes { Self.send($0) }
    }

    private static func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
        Darwin.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #else
        Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #endif
    }
}
