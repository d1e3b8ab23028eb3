// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import Testing

@Suite struct PatternTests {
    private static func found(_ pattern: String, in text: String) throws -> Bool {
        try Pattern(pattern).isFound(in: text)
    }

    /// A pattern, texts in which it is found, and texts in which it is not.
    private static let cases: [(String, [String], [String])] = [
        ("()", ["", "a"], []),
        ("b", ["abc", "b"], ["", "ac", "B"]),
        ("^a", ["abc"], ["ba", "b\na"]),
        ("(?m)^a", ["b\na", "a", "b\r\na"], ["ba"]),
        ("^abc$", ["abc", "abc\n", "abc\r\n"], ["abcd", "abc\nd", "abc\n\n"]),
        (#"(?m)\r^"#, ["\r\n", "\ra"], ["\r"]),
        ("(?m)b$", ["ab\nc", "b"], ["bc"]),
        (#"\Aa\z"#, ["a"], ["a\n", "ba"]),
        (#"a\Z"#, ["a", "a\n"], ["a\nb"]),
        ("a.c", ["abc", "a c", "aéc"], ["ac", "a\nc", "a\u{2028}c"]),
        ("(?s)a.c", ["a\nc"], ["ac"]),
        ("a|b|", ["c", ""], []),
        ("^(a|bc)+$", ["abcbca", "a"], ["", "b", "ab"]),
        ("^a?b{2}c{1,2}d{2,}$", ["abbcdd", "bbccddd"], ["abcdd", "abbcccdd", "abbcd"]),
        ("^(?:a{0}b)$", ["b"], ["ab"]),
        ("^a{2,3}?$", ["aa", "aaa"], ["a", "aaaa"]),
        ("^[a-c_-]+$", ["a-b_c"], ["d", ""]),
        ("^[^a-c]$", ["d", "\n", "é"], ["a", "b"]),
        (#"^[\]\\^]+$"#, [#"]\^"#], ["a"]),
        (#"^\d+$"#, ["42", "٤٢"], ["4a"]),
        (#"^\w+$"#, ["a_1é"], ["a-b"]),
        (#"^\S+\s\S+$"#, ["a b", "a\u{2003}b", "a\tb"], ["ab", "a\u{B}b"]),
        (#"^[\d\W]+$"#, ["1-2"], ["a"]),
        (#"^\p{Lu}\p{Ll}+$"#, ["Élan"], ["élan"]),
        (#"^\P{L}\p{^N}$"#, ["1a"], ["aa", "11"]),
        (#"\bcat\b"#, ["a cat!", "cat"], ["cats", "concat"]),
        (#"\Bat"#, ["cat"], ["at"]),
        ("(?i)ABC", ["abc", "aBc"], ["ab"]),
        ("(?i)straße", ["STRAßE"], ["STRASSE"]),
        ("(?i)[a-z]k", ["XK", "x\u{212A}"], ["1k"]),
        // A property is had in any case, and only what has it in none lacks it.
        (#"^(?i)\p{Lu}$"#, ["k", "K", "\u{212A}"], ["1", "ı"]),
        (#"^(?i)\p{Ll}$"#, ["k", "K", "\u{345}"], ["1"]),
        (#"^(?i)[^\P{Lu}]$"#, ["k", "K"], ["1"]),
        (#"^(?i)\P{Lu}$"#, ["1", "ı"], ["k", "K"]),
        (#"^(?i)[\P{Lu}a]$"#, ["1", "A"], ["k"]),
        (#"^[\P{L}\P{Lu}]$"#, ["1", "a"], ["A"]),
        (#"^[\D\S]$"#, ["1", " ", "a"], []),
        // The dotless i differs from nothing in case only.
        ("^(?i)ı$", ["ı"], ["I", "i"]),
        ("^(?i)[I-K]$", ["i", "k", "\u{212A}"], ["ı", "l"]),
        ("^[c-ea-d\u{410}x]$", ["a", "c", "e", "А", "x"], ["f", "`", "y"]),
        ("a(?i)b(?-i)c", ["aBc"], ["ABc", "aBC"]),
        ("a(?i:b)c", ["aBc"], ["aBC"]),
        ("(?<word>a)(?#said twice)a", ["aa"], ["a"]),
        (#"\Qa.b*\E+$"#, ["a.b*", "a.b**"], ["axb", "a.b*a"]),
        (#"\x41\x{1F600}\u00e9\U0001F601\t"#, ["A😀é😁\t"], ["A😀e😁\t"]),
        ("^(a*)*$", ["", "aaa"], ["ab"]),
        ("^(a|a)*b$", ["aab"], ["aa"]),
        ("^😀$", ["😀"], ["😁"]),
        ("e\u{301}", ["cafe\u{301}"], ["caf\u{E9}"]),
        (#"^[\w.+-]+@[\w-]+(\.[\w-]+)+$"#, ["a.b+c@ex-ample.co.uk"], ["a@b", "@b.c", "a b@c.d"]),
    ]

    @Test func eachConstructIsFoundWhereItShould() throws {
        for (pattern, found, missed) in Self.cases {
            for text in found {
                #expect(try Self.found(pattern, in: text), "\(pattern) in \(text.debugDescription)")
            }
            for text in missed {
                #expect(try !Self.found(pattern, in: text), "\(pattern) not in \(text.debugDescription)")
            }
        }
    }

    @Test func whiteSpaceIsAsDocumentedOrAsICUFindsIt() throws {
        for (text, strict, vendor) in [
            ("\t", true, true), (" ", true, true), ("\u{2028}", true, true), ("\u{B}", false, true),
            ("\u{85}", false, true), ("\u{200B}", false, false), ("x", false, false),
        ] {
            for (dialect, isSpace) in [(CriteriaDialect.strict, strict), (.iOS, vendor)] {
                let name = "\(text.debugDescription) \(dialect)"
                #expect(try Pattern(#"^\s$"#, dialect: dialect).isFound(in: "\(text)x") == false, "\(name)")
                for pattern in [#"a\sb"#, #"a[\s]b"#, #"a[^\S]b"#] {
                    let found = try Pattern(pattern, dialect: dialect).isFound(in: "a\(text)b")
                    #expect(found == isSpace, "\(pattern) \(name)")
                }
                #expect(try Pattern(#"a\Sb"#, dialect: dialect).isFound(in: "a\(text)b") != isSpace, "\(name)")
            }
        }
    }

    @Test(arguments: [
        ("a(?=b)", "look-ahead (?= or (?! at character 1"), ("(?!a)", "look-ahead (?= or (?! at character 0"),
        ("(?<=a)b", "look-behind (?<= or (?<! at character 0"), ("(?<!a)b", "look-behind (?<= or (?<! at character 0"),
        (#"(a)\1"#, #"back-reference \1 at character 3"#), (#"(?<n>a)\k<n>"#, #"back-reference \k at character 7"#),
        ("(?>a)", "atomic group (?> at character 0"), ("a++", "possessive repetition at character 1"),
        ("[a[b]]", "a class inside a class at character 2"), ("[[:alpha:]]", "a class inside a class at character 1"),
        ("[a&&b]", "an operation on classes at character 2"), (#"\p{Greek}"#, #"property \p{Greek} at character 0"#),
        ("(?x)a b", "flag x at character 0"), (#"\X"#, #"escape \X at character 0"#),
        (#"\R"#, #"escape \R at character 0"#), (#"a\E"#, #"escape \E at character 1"#),
        (#"[\b]"#, #"escape \b at character 1"#),
        ("a{1001}", "more than 1000 repetitions at character 1"),
        ("(a{100}){100}", "repetitions that make it too large at character 0"),
        ("(((((){900}){900}){900}){900}){900}", "repetitions that make it too large at character 0"),
        (String(repeating: "a", count: 1001), "more than 1000 characters at character 1000"),
        (String(repeating: "(", count: 200), "more than 100 groups inside each other at character 100"),
    ])
    func whatIsNotBuiltIsRefusedByName(_ pattern: String, _ construct: String) {
        let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
        #expect(error?.kind == .unsupported && error?.description == "unsupported pattern: \(construct)")
    }

    @Test(arguments: [
        "", #"\b*"#, "(", ")", "(a", "a)", "[", "[a", "[]", "[^]", "[b-a]", "*", "+a", "?", "a**", "a+*", "{2}", "a{",
        "}", "a{2}}", "a{,2}", "a{2",
        "a{3,2}", "\\", #"\y"#, #"\u12"#, #"\x{110000}"#, #"\ud800"#, #"\pL"#, #"\p{L"#, "(?<a", "(?y)", "(?i", "(?#a",
        #"[\d-z"#,
    ])
    func whatBreaksTheSyntaxIsBad(_ pattern: String) {
        let error = #expect(throws: PatternError.self) { try Pattern(pattern) }
        #expect(error?.kind == .invalid, "\(error.map(String.init(describing:)) ?? "")")
    }

    /// With a matcher that tries one way after the other these would take longer than the universe is old.
    @Test(arguments: [
        "(a*)*b", "(a|aa)+$b", "(a+)+(a+)+(a+)+b", String(repeating: "a?", count: 499) + "b", "(.*)(.*)(.*)(.*)(.*)b",
        String(repeating: "(", count: 99) + "a" + String(repeating: "*)", count: 99) + "*b",
    ])
    func patternsThatTemptOthersToTryAgainEnd(_ pattern: String) throws {
        #expect(try !Self.found(pattern, in: String(repeating: "a", count: 4096)))
    }

    /// Ways in a circle through repetitions of what may be empty, some of them barred by assertions.
    @Test func repetitionsInsideEachOtherLeadWhereTheyShould() throws {
        for (pattern, found, missed) in [
            ("^((a?)*(b?)*)*c$", ["c", "abbac", "bc"], ["d", "abd"]),
            (#"^((\b)*(x|(\B)*y)*)*z$"#, ["z", "xyz", "yxxz"], ["xy", "x-z"]),
            ("^(((a|)*|b)*|(c*)*)*$", ["", "abcab"], ["abd"]),
            ("(?m)^((^a$)?\n?)*!$", ["!", "a\n!", "a\na\n!"], ["b!"]),
        ] as [(String, [String], [String])] {
            for text in found { #expect(try Self.found(pattern, in: text), "\(pattern) in \(text.debugDescription)") }
            for text in missed { #expect(try !Self.found(pattern, in: text), "\(pattern) in \(text.debugDescription)") }
        }
    }
}
