// SPDX-License-Identifier: Apache-2.0

/// The tests of a scalar that a pattern's escapes make.
enum ScalarProperty: Sendable, Hashable {
    /// `\s`: white space as ICU documents it, `[\t\n\f\r\p{Z}]`.
    case space
    /// `\s`: white space as ICU implements it, with U+000B and U+0085 too.
    case whiteSpace
    /// `\w`: a letter, mark, digit or connector, as ICU defines it.
    case word
    /// `\h`: a tab or a space within a line.
    case horizontalSpace
    /// `\v`, which a dot does not match: an end of a line or page.
    case lineEnd
    /// `\p{...}`: one of these general categories, one bit each.
    case categories(UInt32)

    /// `\d`: a decimal digit of any script.
    static let digit = ScalarProperty.categories(Self.bits[.decimalNumber] ?? 0)

    func holds(_ traits: ScalarTraits) -> Bool {
        let value = traits.scalar.value
        switch self {
        case .space:
            return value == 9 || value == 10 || value == 12 || value == 13 || traits.bits & Self.separators != 0
        case .whiteSpace: return (9...13).contains(value) || value == 0x85 || traits.bits & Self.separators != 0
        case .word: return traits.bits & Self.wordBit != 0
        case .horizontalSpace: return value == 9 || traits.bits & Self.spaces != 0
        case .lineEnd: return Self.isLineEnd(traits.scalar)
        case .categories(let categories): return categories & traits.bits != 0
        }
    }

    static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        (0x0A...0x0D).contains(scalar.value) || scalar.value == 0x85 || scalar.value == 0x2028 || scalar.value == 0x2029
    }

    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        if value < 0x80 { return value &- 0x30 < 10 || (value | 0x20) &- 0x61 < 26 || value == 0x5F }
        if value == 0x200C || value == 0x200D || scalar.properties.isAlphabetic { return true }
        switch scalar.properties.generalCategory {
        case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }

    private static let spaces = Self.categories(named: "Zs") ?? 0
    private static let separators = Self.categories(named: "Z") ?? 0

    /// Returns the categories of a short name, such as `L` or `Lu`; nil for other names.
    static func categories(named name: String) -> UInt32? {
        guard name.utf8.count <= 2 else { return nil }
        let found = Self.names.filter { $0.0 == name || name.count == 1 && $0.0.hasPrefix(name) }.map(\.1)
        return found.isEmpty ? nil : found.reduce(0) { $0 | (Self.bits[$1] ?? 0) }
    }

    /// A bit for each category.
    static let bits = Dictionary(uniqueKeysWithValues: Self.names.enumerated().map { ($1.1, UInt32(1) << $0) })

    /// A bit of no category.
    static let wordBit: UInt32 = 1 << 31

    private static let names: [(String, Unicode.GeneralCategory)] = [
        ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter), ("Lm", .modifierLetter),
        ("Lo", .otherLetter), ("Mn", .nonspacingMark), ("Mc", .spacingMark), ("Me", .enclosingMark),
        ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber), ("Pc", .connectorPunctuation),
        ("Pd", .dashPunctuation), ("Ps", .openPunctuation), ("Pe", .closePunctuation), ("Pi", .initialPunctuation),
        ("Pf", .finalPunctuation), ("Po", .otherPunctuation), ("Sm", .mathSymbol), ("Sc", .currencySymbol),
        ("Sk", .modifierSymbol), ("So", .otherSymbol), ("Zs", .spaceSeparator), ("Zl", .lineSeparator),
        ("Zp", .paragraphSeparator), ("Cc", .control), ("Cf", .format), ("Cs", .surrogate), ("Co", .privateUse),
        ("Cn", .unassigned),
    ]
}
