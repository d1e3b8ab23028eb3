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

/// The bytes of a file in memory, shared with the kernel: what is written to them survives the end of the process.
// Proof of the `Sendable` conformance: the address never changes, and the memory is there until the last reference is gone.
// The journal writes only behind the end of its newest segment and only under its lock; readers look only at bytes before
// an end that they read under that lock after it was moved, so nobody reads what somebody writes.
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

    /// Bytes from one offset to another; valid while this object is there.
    func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: self.address + range.lowerBound, count: range.count)
    }
}
