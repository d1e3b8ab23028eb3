// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct FoundationEssentials.UUID

extension JSONWriter {
    /// Writes a member whose value is a UUID, in the upper-case form that `UUID.uuidString` has.
    ///
    /// It converts the bytes directly: an event carries two UUIDs, and a `String` for each would cost more than the rest.
    mutating func member(_ key: String, _ value: UUID) {
        self.key(key)
        self.raw(Self.text(of: value))
    }

    /// Writes a member whose value is a text or null.
    mutating func member(_ key: String, _ value: String?) {
        self.key(key)
        if let value {
            self.string(value)
        } else {
            self.null()
        }
    }

    // 8-4-4-4-12 digits between quotes (RFC 9562, 4).
    private static func text(of value: UUID) -> [UInt8] {
        withUnsafeBytes(of: value.uuid) { bytes in
            [UInt8](unsafeUninitializedCapacity: 38) { buffer, count in
                func put(_ byte: UInt8) {
                    buffer.initializeElement(at: count, to: byte)
                    count += 1
                }
                put(UInt8(ascii: "\""))
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        put(UInt8(ascii: "-"))
                    }
                    put(Self.digit(byte >> 4))
                    put(Self.digit(byte & 0xF))
                }
                put(UInt8(ascii: "\""))
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }
}
