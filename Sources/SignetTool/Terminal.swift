// SPDX-License-Identifier: Apache-2.0

import SignetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The output of a command.
enum Terminal {
    /// Makes a closed output an error of the write that does not end the process: there may be something to clean up.
    static func outliveReaders() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Writes a remark to standard output, at once: its reader may be a program that waits for it.
    ///
    /// A failure is ignored; results are written by ``give(_:)``.
    static func say(_ line: String) {
        _ = Self.write(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes a JSON document and a line break to standard output, as a remark.
    static func say(_ json: JSONValue) {
        Self.say(String(decoding: json.encoded(), as: UTF8.self))
    }

    /// True if standard output is a terminal.
    static var isOutput: Bool {
        isatty(STDOUT_FILENO) == 1
    }

    /// Writes a line to standard error.
    static func complain(_ line: String) {
        _ = Self.write("signet: \(line)\n", to: STDERR_FILENO)
    }

    static func write(_ text: String, to descriptor: Int32) -> Int32 {
        Array(text.utf8).withUnsafeBytes { Self.write($0[...], to: descriptor) }
    }

    /// Writes bytes.
    ///
    /// - Returns: 0, or the `errno` for which some bytes were not written.
    static func write(_ bytes: Slice<UnsafeRawBufferPointer>, to descriptor: Int32) -> Int32 {
        var rest = bytes
        while !rest.isEmpty {
            let count = Self.write(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch count == 0 ? EIO : errno {
            case EINTR: continue
            case EAGAIN:
                // Another process that shares the descriptor made it non-blocking.
                var wish = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wish, 1, -1)
            case let number: return number
            }
        }
        return 0
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}
