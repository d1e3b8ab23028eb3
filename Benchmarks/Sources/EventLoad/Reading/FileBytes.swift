// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whole files at once.
enum FileBytes {
    /// Reads a file, also one of /proc, whose length nobody knows before.
    static func read(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw LoadError(system: "open \(path)") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw LoadError(system: "fstat \(path)") }
        var bytes = [UInt8](repeating: 0, count: max(8192, Int(status.st_size) + 1))
        var length = 0
        while true {
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(file, buffer.baseAddress.map { $0 + length }, buffer.count - length)
            }
            guard count >= 0 else { throw LoadError(system: "read \(path)") }
            guard count > 0 else { break }
            length += count
            if length == bytes.count { bytes.append(contentsOf: repeatElement(0, count: bytes.count)) }
        }
        bytes.removeSubrange(length...)
        return bytes
    }

    /// Writes all of some bytes.
    static func write(_ bytes: UnsafeRawBufferPointer, to file: CInt) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(file, rest.baseAddress, rest.count)
            guard count >= 0 else {
                guard errno == EINTR else { throw LoadError(system: "write") }
                continue
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Opens a new file for writing.
    static func create(_ path: String) throws -> CInt {
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw LoadError(system: "open \(path)") }
        return file
    }
}
