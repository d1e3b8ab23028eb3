// SPDX-License-Identifier: Apache-2.0

package import enum SignetTransport.JSONValue

/// Finds long runs of combining marks in untrusted input.
///
/// Swift compares and hashes texts by canonical equivalence, and sorts each run of marks for it, in quadratic time: 60,000
/// marks (120 kB) take half a second to some seconds per comparison or look-up. With short runs, both take linear time.
/// Languages need a few marks; Unicode's own bound for streams is 30 (UAX #15, 13).
package enum CombiningMarks {
    // Characters that are not marks but decompose into marks only (Unicode, non-starter decompositions).
    private static let disguised: Set<Unicode.Scalar> = ["\u{0F73}", "\u{0F75}", "\u{0F81}"]

    /// Returns true when a text has a run of marks above the limit.
    package static func exceed(_ limit: Int, in text: some StringProtocol) -> Bool {
        // The first mark is U+0300, whose first byte is 0xCC; most texts have no such byte.
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

    /// Returns true when a name or a text in a JSON value has such a run.
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
