// SPDX-License-Identifier: Apache-2.0

/// Regular expressions of up to 1,000 characters that keep a matcher busy, and texts of 4,096 that do.
struct SamplePattern {
    let name: String
    let pattern: String
    let text: String

    static let all: [SamplePattern] = [
        SamplePattern(name: "optional letters", pattern: Self.times("a?", 500), text: Self.letters + "b"),
        SamplePattern(name: "optional letters and an end", pattern: Self.times("a?", 499) + "b", text: Self.letters),
        SamplePattern(name: "dots behind an a", pattern: "a" + Self.times(".", 998) + "c", text: Self.mixed),
        SamplePattern(name: "stars", pattern: Self.times("a*", 499) + "b", text: Self.letters),
        SamplePattern(
            name: "nested stars",
            pattern: Self.times("(", 99) + "a" + Self.times("*)", 99) + "b",
            text: Self.letters
        ),
        SamplePattern(
            name: "a choice of letters, repeated",
            pattern: "(" + Self.times("a|", 497) + "a)*c",
            text: Self.mixed
        ),
        SamplePattern(
            name: "classes beyond ASCII, ignoring case",
            pattern: "(?i)" + Self.times(#"[é-ž\w]?"#, 110) + "!",
            text: Self.accents
        ),
        SamplePattern(name: "word boundaries", pattern: Self.times(#"(\b)?a?"#, 140) + "!", text: Self.accents),
        SamplePattern(name: "counted dots", pattern: "^(.{0,250}a.{0,250})$", text: Self.mixed),
        SamplePattern(
            name: "sets of text without a repeated scalar",
            pattern: "(?i)" + (0..<99).map { "[\\w\\-\(Unicode.Scalar(UInt8($0 % 26 + 97)))\($0 % 10)]?" }.joined()
                + "!",
            text: Self.different
        ),
        SamplePattern(
            name: "a class named often, ignoring case",
            pattern: "(?i)[" + Self.times(#"\d"#, 497) + "]",
            text: Self.cased
        ),
        SamplePattern(name: "optional letters in turn", pattern: Self.times("a?b?", 249) + "!", text: Self.mixed),
        SamplePattern(
            name: "optional dots between changing assertions",
            pattern: #"(?sm)(?:^|$|\b|\B|\A|\z|\Z)?"# + Self.times(".?", 470) + "!",
            text: Self.words
        ),
        SamplePattern(
            name: "many ranges, ignoring case",
            pattern: "(?i)" + (0..<140).map { Self.range($0) }.joined() + "!",
            text: Self.scattered
        ),
        SamplePattern(name: "optional properties", pattern: Self.times(#"\p{L}?"#, 166) + "!", text: Self.accents),
    ]

    private static let letters = Self.times("a", 4096)
    private static let accents = Self.times("é", 4096)
    private static let different = String(
        String.UnicodeScalarView((0..<4096).compactMap { Unicode.Scalar(0x4E00 + $0) })
    )
    /// Scalars that have cases, as many as there are.
    private static let cased = String(
        String.UnicodeScalarView(
            (0..<0x1F000).compactMap(Unicode.Scalar.init).filter(\.properties.changesWhenCaseMapped)
        )
    )
    /// As and bs without a pattern.
    private static let mixed = Self.random(["a", "b"])
    /// Words and lines without a pattern.
    private static let words = Self.random(["a", " ", "\n"])
    /// Scalars of most scripts without a pattern.
    private static let scattered = Self.random((0x80..<0x2F00).compactMap { Unicode.Scalar($0) })

    private static func random(_ scalars: [Unicode.Scalar]) -> String {
        var state: UInt32 = 1
        return String(
            String.UnicodeScalarView(
                (0..<4096).map { _ in
                    state = state &* 1_664_525 &+ 1_013_904_223
                    return scalars[Int(state >> 12) % scalars.count]
                }
            )
        )
    }

    /// An optional class with one range, each elsewhere.
    private static func range(_ index: Int) -> String {
        let first = UInt32(0x100 + index * 80)
        let ends = [first, first + UInt32(index % 60)].compactMap { Unicode.Scalar($0).map(String.init) }
        return "[" + ends.joined(separator: "-") + "]?"
    }

    private static func times(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count)
    }
}
