// SPDX-License-Identifier: Apache-2.0

/// A JSON number, kept as the text that was read or will be written.
///
/// Two numbers are equal when their text is: `1` and `1.0` are not.
package struct JSONNumber: Sendable, Hashable {
    /// The number in the grammar of RFC 8259, section 6.
    package let text: String

    /// Makes an integer.
    package init(_ value: Int64) {
        self.text = String(value)
    }

    /// Makes the shortest text that reads back as the same Double; nil for NaN and the infinities.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        self.text = value.description
    }

    /// Takes text whose grammar the reader has checked.
    init(checkedText: String) {
        self.text = checkedText
    }

    /// The exact integer, or nil when the text has a fraction or an exponent or is beyond 64 bits.
    package var int64: Int64? {
        Int64(self.text)
    }

    /// The nearest Double, or nil when that would be infinite.
    package var double: Double? {
        guard let value = Double(self.text), value.isFinite else { return nil }
        return value
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The text.
    package var description: String {
        self.text
    }
}
