//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A text that is compared and hashed by its bytes (UTF-8): for names and values that come from outside.
///
/// Swift compares strings by canonical equivalence, and needs time quadratic in the number of marks on one letter for it:
/// 80,000 of them took seconds. Bytes take linear time, and are what JSON compares names by (RFC 8259, 8.3). So `é` in one
/// code point and `e` with an accent behind it are two texts.
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
        // Where one text ends and the next begins.
        hasher.combine(0xFF as UInt8)
    }

    /// Whether two texts have the same bytes.
    package static func isSame(_ lhs: String, _ rhs: String) -> Bool {
        lhs.utf8.count == rhs.utf8.count && lhs.utf8.elementsEqual(rhs.utf8)
    }

    /// Whether the text begins with the bytes of another.
    package func begins(with other: String) -> Bool {
        self.text.utf8.count >= other.utf8.count && self.text.utf8.starts(with: other.utf8)
    }
}
