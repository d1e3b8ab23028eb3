// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The floor of `removal`: a record for each installation, appended to a new file, and one flush for each portion.
enum RawRemoval {
    /// The bytes of a record that removes a key: the key and its frame.
    private static let size = 64
    /// The number of records that share an `fdatasync(2)`.
    private static let portion = 512

    /// Appends a record for each installation.
    ///
    /// - Parameters:
    ///   - count: The number of installations.
    ///   - workspace: Where the file is written; it is removed.
    /// - Returns: Seconds.
    /// - Throws: What a system call says.
    static func measure(_ count: Int, in workspace: Workspace) throws -> Double {
        let path = workspace.fresh("raw-removal")
        let file = try FileBytes.create(path)
        defer {
            close(file)
            unlink(path)
        }
        let record = [UInt8](repeating: UInt8(ascii: "x"), count: Self.size)
        let began = Nanoseconds.now
        for number in 1...max(1, count) {
            try record.withUnsafeBytes { try FileBytes.write($0, to: file) }
            guard number.isMultiple(of: Self.portion) || number == count else { continue }
            guard fdatasync(file) == 0 else { throw LoadError(system: "fdatasync") }
        }
        return Double(Nanoseconds.now - began) / 1e9
    }
}
