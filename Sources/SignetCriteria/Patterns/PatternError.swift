// SPDX-License-Identifier: Apache-2.0

/// A fault in a regular expression.
package struct PatternError: Error, Sendable, Hashable {
    /// The kinds of fault.
    package enum Kind: Sendable, Hashable {
        /// The pattern breaks the rules of the syntax.
        case invalid
        /// The pattern is valid, but not implemented or not matched in bounded time.
        case unsupported
    }

    /// The kind of fault.
    package let kind: Kind
    /// The construct at fault, such as `look-ahead (?=`.
    package let construct: String
    /// The scalar of the pattern at fault, from 0.
    package let offset: Int

    init(_ kind: Kind, _ construct: String, at offset: Int) {
        self.kind = kind
        self.construct = construct
        self.offset = offset
    }
}

extension PatternError: CustomStringConvertible {
    /// The kind, the construct and the place.
    package var description: String {
        "\(self.kind == .invalid ? "bad" : "unsupported") pattern: \(self.construct) at character \(self.offset)"
    }
}
