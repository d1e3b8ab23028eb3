// SPDX-License-Identifier: Apache-2.0

/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
    /// Writes bytes with lower-case digits.
    ///
    /// - Returns: Two digits a byte.
    package static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            for (index, byte) in bytes.enumerated() {
                buffer[index * 2] = Self.digit(byte >> 4)
                buffer[index * 2 + 1] = Self.digit(byte & 0xF)
            }
            return bytes.count * 2
        }
    }

    /// The lower-case digit of a value below 16.
    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// The value of a digit of either case; nil for other bytes.
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"):
            digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"):
            digit - UInt8(ascii: "A") + 10
        default:
            nil
        }
    }
}
