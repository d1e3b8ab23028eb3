//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import enum SignetTransport.JSONValue

/// Counts the combining marks that stand in a row in what strangers send.
///
/// Swift compares and hashes texts by canonical equivalence, and sorts the marks in a row for it, in quadratic time: 60,000 of
/// them (120 kB) take half a second to some seconds, each time the text is compared with a word or looked up. Where rows are
/// short, both take linear time. Languages need a few; Unicode's own bound for streams is 30 (UAX #15, 13).
package enum CombiningMarks {
    // What decomposes into marks only, though it is none itself (Unicode, non-starter decompositions).
    private static let disguised: Set<Unicode.Scalar> = ["\u{0F73}", "\u{0F75}", "\u{0F81}"]

    /// Whether more than so many marks stand in a row somewhere in a text.
    package static func exceed(_ limit: Int, in text: some StringProtocol) -> Bool {
        // The first mark is U+0300, whose first byte is 0xCC; most texts have nothing of the kind.
        guard text.utf8.contains(where: { $0 >= 0xCC }) else { return false }
        var row = 0
        for scalar in text.unicodeScalars {
            let isMark =
                scalar.value >= 0x300
                && (scalar.properties.canonicalCombiningClass != .notReordered || Self.disguised.contains(scalar))
            row = isMark ? row + 1 : 0
            if row > limit { return true }
        }
        return false
    }

    /// Whether it is so in a name or a text of a JSON value.
    package static func exceed(_ limit: Int, in value: JSONValue) -> Bool {
        switch value {
        case .null, .bool, .number: false
        case .string(let text): Self.exceed(limit, in: text)
        case .array(let elements): elements.contains { Self.exceed(limit, in: $0) }
        case .object(let object):
            object.contains { Self.exceed(limit, in: $0.key) || Self.exceed(limit, in: $0.value) }
        }
    }
}
