// SPDX-License-Identifier: Apache-2.0

/// Two 64-bit hashes of a key, with a new seed in each process.
///
/// They represent the key in memory. Two keys of one log with equal hashes are not expected in the lifetime of a
/// machine; reading a value still compares the key.
struct KeyHash: Sendable, Hashable {
    let first: UInt64
    let second: UInt64

    init(_ key: UnsafeRawBufferPointer) {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        var other = hasher
        other.combine(0xA5 as UInt8)
        self.first = UInt64(bitPattern: Int64(hasher.finalize()))
        self.second = UInt64(bitPattern: Int64(other.finalize()))
    }

    init(_ key: [UInt8]) {
        self = key.withUnsafeBytes { KeyHash($0) }
    }

    init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }
}
