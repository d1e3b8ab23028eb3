// SPDX-License-Identifier: Apache-2.0

/// Text that compares and hashes by its UTF-8 bytes, for names and values from outside.
///
/// Swift compares strings by canonical equivalence, in time quadratic in the number of marks on one letter: 80,000
/// marks took seconds. Bytes take linear time, and JSON compares names by them (RFC 8259, 8.3). So `é` as one code
/// point differs from `e` followed by a combining accent.
package struct ByteText: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The text.
    package let text: String

    /// Takes a text.
    package init(_ text: String) {
        self.text = text
    }

    /// Takes a literal.
    package init(stringLiteral text: String) {
        self.text = text
    }

    package static func == (lhs: ByteText, rhs: ByteText) -> Bool {
        Self.isSame(lhs.text, rhs.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = self.text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // The byte 0xFF, which UTF-8 never has, separates one text from the next.
        hasher.combine(0xFF as UInt8)
    }

    /// True if two texts have the same bytes.
    package static func isSame(_ lhs: String, _ rhs: String) -> Bool {
        lhs.utf8.count == rhs.utf8.count && lhs.utf8.elementsEqual(rhs.utf8)
    }

    /// True if the text begins with the bytes of another.
    package func begins(with other: String) -> Bool {
        self.text.utf8.count >= other.utf8.count && self.text.utf8.starts(with: other.utf8)
    }
}
