//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The first bytes of a file as memory: what is stored to it is in the kernel, and survives the end of the process.
///
/// Only bytes that the file has may be touched: beyond its end the kernel ends the process.
// Proof of the `Sendable` conformance: the properties never change after `init`, and `deinit` runs when no reference is
// left. The memory behind the address is stored to under the lock of the journal that owns the file, beyond the frames
// that readers were told of under the same lock; readers load only those, which are never stored to again.
final class FileMapping: @unchecked Sendable {
    private let address: UnsafeMutableRawPointer
    /// How many bytes of address space there are, whether the file has as many or not.
    let count: Int

    /// Maps a file from its begin.
    ///
    /// - Parameters:
    ///   - file: Open for reading and writing.
    ///   - count: Bytes of address space.
    /// - Throws: When the file system cannot map.
    init(_ file: OpenFile, count: Int) throws(StorageError) {
        self.count = count
        self.address = try file.map(count)
    }

    deinit {
        _ = munmap(self.address, self.count)
    }

    /// The address of a byte.
    func address(at offset: UInt64) -> UnsafeMutableRawPointer {
        self.address + Int(offset)
    }

    /// Bytes that the file has.
    func bytes(_ range: Range<UInt64>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self.address + Int(range.lowerBound), count: range.count)
    }
}
