// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport
import Testing

/// What becomes of a criterion's number, seen from outside.
@Suite struct NumberTextTests {
    /// The text that a criterion's value becomes under `.iOS`: the only text it is equal to.
    private static func becomes(_ value: String, _ text: String) throws -> Bool {
        let tree = Document.leaf("customEvent", Document.query("f", "Equals", .string(value)))
        return try Document.match(Document.of(tree), [Document.event("e", ["f": .string(text)])], .iOS) == "1"
    }

    @Test(arguments: [
        ("10.0", "10"), ("007", "7"), ("+5", "5"), ("1e3", "1000"), ("0x1A", "26"), ("-0", "0"), ("0.5", ".5"),
        ("-0.5", "-0.5"), ("0.1234567", ".123457"), ("100.250", "100.25"), ("0.0000001", "."), ("-0.0000001", "-0."),
        // Exactly between two, as multiples of 1/128 may be: the even digit.
        ("0.0078125", ".007812"), ("0.0234375", ".023438"), ("-0.0390625", "-0.039062"), ("0.0000005", "."),
        ("2.0000015", "2.000002"), ("0.00000762939453125", ".000008"), ("1.5e-7", "."),
        ("4503599627370495.5", "4503599627370495.5"), ("9223372036854774784", "9223372036854774784"),
        ("9007199254740993", "9007199254740992"), (" 5", " 5"), ("abc", "abc"), ("02134", "2134"),
    ])
    func aNumberIsRewrittenUnderIOS(_ value: String, _ text: String) throws {
        #expect(try Self.becomes(value, text), "\(value)")
    }

    /// Each of these ends the process of the vendor's checker.
    @Test(arguments: [
        "nan", "NaN", "inf", "-inf", "infinity", "12345678901234567890", "9223372036854775808", "-9223372036854775809",
        "1e19", "1e400", "0x1p64",
    ])
    func whatDoesNotFitStaysItself(_ value: String) throws {
        #expect(try Self.becomes(value, value))
        for comparator in [
            "DoesNotEqual", "GreaterThan", "LessThanOrEqualTo", "Contains", "StartsWith", "MatchesRegex",
        ] {
            let tree = Document.leaf("customEvent", Document.query("f", comparator, .string(value)))
            for stored in [3, 2.5, true, "nan", "inf", nil, [1, 2], ["inf"], [:]] as [JSONValue] {
                _ = try Document.holds(tree, Document.event("e", ["f": stored]))
            }
        }
    }

    @Test func textIsKeptUnderStrict() throws {
        for text in ["007", "0.5", "+15550100", "02134", "12345678901234567890", "nan"] {
            let tree = Document.leaf("customEvent", Document.query("f", "Equals", .string(text)))
            #expect(try Document.holds(tree, Document.event("e", ["f": .string(text)])).strict)
        }
    }

    @Test func numbersAreComparedWholeUnderStrict() throws {
        let large = Document.leaf("customEvent", Document.query("f", "Equals", "9007199254740993"))
        #expect(try Document.holds(large, Document.event("e", ["f": 9_007_199_254_740_993])) == (true, false))
        #expect(try Document.holds(large, Document.event("e", ["f": 9_007_199_254_740_992])) == (false, true))
        for text in ["0x1A", "nan", "inf", ".5", "5.", "1e", "", " 3", "--1"] {
            let tree = Document.leaf("customEvent", Document.query("f", "LessThan", .string(text)))
            #expect(try !Document.holds(tree, Document.event("e", ["f": -9])).strict, "\(text)")
        }
    }
}
