//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Where a command says what it has to say.
enum Terminal {
    /// Writes a line to standard output, at once: what reads it may be a program that waits for it.
    static func say(_ line: String) {
        Self.write(line + "\n", to: STDOUT_FILENO)
    }

    /// Writes a JSON document and a line break to standard output.
    static func say(_ json: JSONValue) {
        Self.say(String(decoding: json.encoded(), as: UTF8.self))
    }

    /// Writes a line to standard error.
    static func complain(_ line: String) {
        Self.write("signet: \(line)\n", to: STDERR_FILENO)
    }

    // A reader that went away is not told.
    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Self.write(descriptor, $0) }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
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
