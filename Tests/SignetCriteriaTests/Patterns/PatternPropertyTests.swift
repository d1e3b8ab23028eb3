// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetCriteria
import SignetTestSupport
import Testing

/// Random patterns and texts against ICU, which is what the vendor's checker asks.
@Suite struct PatternPropertyTests {
    private static let rounds = TestScale.count(quick: 500, full: 2000)

    @Test func randomPatternsAreFoundWhereICUFindsThem() throws {
        var generator = SeededGenerator(defaultSeed: 0x5041_5454)
        print("SIGNET_SEED=\(generator.seed)")
        var compared = 0
        var found = 0
        for _ in 0..<Self.rounds {
            let source = Self.choice(&generator, depth: 3)
            let expression: NSRegularExpression
            do {
                expression = try NSRegularExpression(pattern: source)
            } catch {
                #expect(throws: PatternError.self, "ICU refuses \(source)") { try Pattern(source) }
                continue
            }
            let pattern: Pattern
            do {
                pattern = try Pattern(source)
            } catch {
                Issue.record("\(source): \(error)")
                continue
            }
            for _ in 0..<6 {
                let text = Self.text(&generator)
                let range = NSRange(text.startIndex..., in: text)
                let wanted = expression.firstMatch(in: text, range: range) != nil
                #expect(pattern.isFound(in: text) == wanted, "\(source) in \(text.debugDescription)")
                compared += 1
                found += wanted ? 1 : 0
            }
        }
        print("compared \(compared), found \(found)")
        #expect(compared > Self.rounds * 4 && found > compared / 5 && found < compared * 9 / 10)
    }

    /// Whatever is typed: what is taken here ICU takes and finds alike, and what is called bad here ICU refuses.
    @Test func randomCharactersMeanWhatTheyMeanToICU() throws {
        var generator = SeededGenerator(defaultSeed: 0x534F_5550)
        print("SIGNET_SEED=\(generator.seed)")
        let soup = [
            "a", "b", "c", "A", "é", "k", "1", "_", " ", "\n", "^", "$", ".", "*", "+", "?", "|", "(", ")", "[", "]",
            "{",
            "}", "-", ",", "2", ":", "<", ">", "=", "!", "#", #"\d"#, #"\W"#, #"\w"#, #"\s"#, #"\b"#, #"\p{L}"#,
            #"\P{Lu}"#, #"\p{Ll}"#, "(?i)", "(?m)", "(?:", "[^a", "[a-", "{1,2}", "{2}", "&&", "ı", "ſ", "Σ",
        ]
        var (taken, bad) = (0, 0)
        for _ in 0..<Self.rounds * 2 {
            let count = Int.random(in: 1...8, using: &generator)
            let source = (0..<count).map { _ in soup.randomElement(using: &generator) ?? "a" }.joined()
            // ICU takes a ] as the first of a class, as nothing else does, and a class as the end of a range.
            guard !source.contains("[]"), !source.contains("[^]"), !source.contains(#"-\"#) else { continue }
            let expression = Self.expression(source)
            do throws(PatternError) {
                let pattern = try Pattern(source)
                taken += 1
                guard let expression else {
                    Issue.record("ICU refuses \(source.debugDescription)")
                    continue
                }
                for _ in 0..<4 {
                    let text = Self.text(&generator)
                    let range = NSRange(text.startIndex..., in: text)
                    let wanted = expression.firstMatch(in: text, range: range) != nil
                    #expect(pattern.isFound(in: text) == wanted, "\(source.debugDescription) \(text.debugDescription)")
                }
            } catch {
                bad += error.kind == .invalid ? 1 : 0
                #expect(error.kind == .unsupported || expression == nil, "\(source.debugDescription): \(error)")
            }
        }
        print("taken \(taken), bad \(bad)")
        #expect(taken > Self.rounds / 2 && bad > Self.rounds / 2)
    }

    /// Each of the scalars that a class by an escape may be about, and all before; `\w` grows with each version of Unicode.
    @Test func classesByEscapesAreThoseOfICU() throws {
        for name in ["s", "S", "d", "h", "v"] {
            let source = "a\\\(name)b"
            let expression = try NSRegularExpression(pattern: source)
            let pattern = try Pattern(source, dialect: .iOS)
            for scalar in TestScale.steps(0x3101, every: 13).compactMap({ Unicode.Scalar(UInt32($0)) }) {
                let text = "a\(String(Character(scalar)))b"
                let range = NSRange(location: 0, length: text.utf16.count)
                let wanted = expression.firstMatch(in: text, range: range) != nil
                #expect(pattern.isFound(in: text) == wanted, "\(source) U+\(String(scalar.value, radix: 16))")
            }
        }
    }

    private static func expression(_ source: String) -> NSRegularExpression? {
        do {
            return try NSRegularExpression(pattern: source)
        } catch {
            return nil
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        let pieces = ["a", "b", "c", "A", "B", "1", "_", " ", "\n", "\r\n", "é", "É", "-", "\u{2028}"]
        return (0..<Int.random(in: 0...8, using: &generator)).map { _ in
            pieces.randomElement(using: &generator) ?? ""
        }.joined()
    }

    private static func choice(_ generator: inout SeededGenerator, depth: Int) -> String {
        let branches = Int.random(in: 0..<4, using: &generator) == 0 ? 2 : 1
        return (0..<branches).map { _ in Self.sequence(&generator, depth: depth) }.joined(separator: "|")
    }

    private static func sequence(_ generator: inout SeededGenerator, depth: Int) -> String {
        (0..<Int.random(in: 0...4, using: &generator)).map { _ in
            let atom = Self.atom(&generator, depth: depth)
            let counts = ["*", "+", "?", "*?", "{2}", "{1,2}", "{0,}", "{2,}?"]
            // ICU loses its way in lazy repetitions of what may be empty: it does not find `$*?a|` in a line feed, nor
            // `(([b-c]*)*?\w)+` in `c`.
            let mayBeEmpty = atom == "^" || atom == "$" || atom.hasSuffix(")")
            let repeats = !mayBeEmpty && Int.random(in: 0..<4, using: &generator) == 0
            if atom.hasSuffix(")"), !atom.hasPrefix("(?i)"), !atom.hasPrefix("(?m)") {
                return atom + (["", "", "*", "+", "?", "{1,2}"].randomElement(using: &generator) ?? "")
            }
            return atom + (repeats ? counts.randomElement(using: &generator) ?? "" : "")
        }.joined()
    }

    private static func atom(_ generator: inout SeededGenerator, depth: Int) -> String {
        let roll = Int.random(in: 0..<20, using: &generator)
        if roll < 4, depth > 0 {
            let head = ["(", "(?:", "(?i:", "(?<n>", "(?s-i:", "(?m:"].randomElement(using: &generator) ?? "("
            // A name may come once only.
            return (head == "(?<n>" ? "(" : head) + Self.choice(&generator, depth: depth - 1) + ")"
        }
        if roll < 6 {
            let parts = ["a", "b-c", #"\d"#, #"\W"#, "é", "A-Z", "_", #"\n"#, #"\p{Lu}"#]
            let count = Int.random(in: 1...3, using: &generator)
            let members = (0..<count).map { _ in parts.randomElement(using: &generator) ?? "a" }.joined()
            return "[\(Bool.random(using: &generator) ? "^" : "")\(members)]"
        }
        let atoms = [
            "a", "b", "c", "A", "1", "é", "_", ".", #"\d"#, #"\w"#, #"\s"#, #"\D"#, #"\S"#, "^", "$", #"\b"#, #"\B"#,
            #"\A"#, #"\z"#, #"\Z"#, #"\n"#, " ", "(?i)", "(?m)", #"\h"#, #"\p{L}"#, #"\Qa\E"#,
        ]
        // Letters more often than the rest.
        return (roll < 13 ? ["a", "b", "c"] : atoms).randomElement(using: &generator) ?? "a"
    }
}
