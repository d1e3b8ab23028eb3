// SPDX-License-Identifier: Apache-2.0

/// Untrusted text, cleaned for a message or one line of a log.
package enum PlainText {
    /// The maximum length of the text, in Unicode scalars.
    package static let maximumLength = 512

    /// Removes characters that could end a line, reorder it or control a terminal, and cuts the text to the limit.
    package static func cleaned(_ text: String, limit: Int = Self.maximumLength) -> String {
        var cleaned = String.UnicodeScalarView()
        cleaned.append(contentsOf: text.unicodeScalars.lazy.filter { !Self.isControl($0) }.prefix(limit))
        return String(cleaned)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0, DEL, C1.
        case 0x00...0x1F, 0x7F...0x9F: true
        // Line and paragraph separators; directional marks, embeddings, overrides and isolates (UAX #9).
        case 0x2028, 0x2029, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
