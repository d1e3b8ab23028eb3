// SPDX-License-Identifier: Apache-2.0

/// A language and an optional country, from a language tag (RFC 5646) such as "de", "pt-BR" or "zh-Hant-TW".
struct LanguageTag: Sendable, Hashable {
    /// Two or three letters, lower-case.
    let language: String
    /// Two letters, upper-case.
    let country: String?

    /// Parses a tag; nil when it does not begin with a language.
    init?(_ text: some StringProtocol) {
        // Tags with a meaning here are much shorter.
        guard text.utf8.count <= 35 else { return nil }
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        guard let first = parts.first, Self.isLetters(first, 2...3) else { return nil }
        self.language = first.lowercased()
        // A script may precede the country; only a part of two letters is a country.
        self.country = parts.dropFirst().prefix(2).first { Self.isLetters($0, 2...2) }?.uppercased()
    }

    private static func isLetters(_ text: some StringProtocol, _ count: ClosedRange<Int>) -> Bool {
        count.contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            }
    }

    /// Finds the preferred tag.
    ///
    /// - Parameter field: The field `Accept-Language` (RFC 9110, section 12.5.4).
    /// - Returns: The first tag with the highest weight; nil if there is none.
    static func preferred(in field: String) -> LanguageTag? {
        var best: (tag: LanguageTag, weight: Int)?
        for range in field.split(separator: ",").prefix(64) {
            let parts = range.split(separator: ";", omittingEmptySubsequences: false)
            guard let tag = parts.first.flatMap({ LanguageTag($0.trimmed) }) else { continue }
            guard let weight = self.weight(parts.dropFirst()), weight > best?.weight ?? 0 else { continue }
            best = (tag, weight)
        }
        return best?.tag
    }

    /// - Returns: Thousandths; nil when the weight is invalid.
    private static func weight(_ parameters: some Sequence<Substring>) -> Int? {
        for parameter in parameters {
            let text = parameter.trimmed
            guard text.hasPrefix("q=") || text.hasPrefix("Q=") else { continue }
            let digits = text.dropFirst(2).utf8
            guard (1...5).contains(digits.count), let first = digits.first, first == 0x30 || first == 0x31 else {
                return nil
            }
            let fraction = digits.dropFirst()
            guard fraction.isEmpty || fraction.first == UInt8(ascii: ".") else { return nil }
            let decimals = Array(fraction.dropFirst())
            guard decimals.count <= 3, decimals.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
                return nil
            }
            let thousandths = (0..<3).reduce(0) { 10 * $0 + ($1 < decimals.count ? Int(decimals[$1]) - 0x30 : 0) }
            return min(1000, Int(first - 0x30) * 1000 + thousandths)
        }
        return 1000
    }
}

extension StringProtocol {
    /// The text without spaces and tabs around it.
    var trimmed: SubSequence {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let rest = self.drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return rest[rest.endIndex...] }
        return rest[...last]
    }
}
