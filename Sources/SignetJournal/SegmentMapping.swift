// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The mapped bytes of a file, shared with the kernel: bytes written to them survive the end of the process.
// Proof of the `Sendable` conformance: the address never changes, and the memory lives until the last reference is
// gone. The journal writes only after the end of its newest segment and only under its lock. Readers look only at bytes
// before an end that they read under that lock after it was moved, so no thread reads bytes that another one writes.
final class SegmentMapping: @unchecked Sendable {
    let address: UnsafeMutableRawPointer
    let count: Int

    init(_ address: UnsafeMutableRawPointer, count: Int) {
        self.address = address
        self.count = count
    }

    deinit {
        munmap(self.address, self.count)
    }

    /// Returns the bytes of a range, valid while this object lives.
    func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self.address + range.lowerBound, count: range.count)
    }
}
