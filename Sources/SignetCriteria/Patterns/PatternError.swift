//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Why a regular expression is not taken.
package struct PatternError: Error, Sendable, Hashable {
    /// The kinds of fault.
    package enum Kind: Sendable, Hashable {
        /// It breaks the rules of the syntax.
        case invalid
        /// It means something, which is not built or would not be matched in bounded time.
        case unsupported
    }

    /// What kind of fault.
    package let kind: Kind
    /// What it is about, such as `look-ahead (?=`.
    package let construct: String
    /// At which scalar of the pattern, from 0.
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
