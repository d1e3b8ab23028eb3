//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetCriteria
import SignetTransport
import Testing

/// Defects of the shipping checkers and their storage that cannot happen here.
@Suite struct KnownDefectTests {
    private static func match(
        _ comparator: String,
        _ value: JSONValue,
        stored: JSONValue,
        _ dialect: CriteriaDialect
    ) throws -> Bool {
        let tree = Document.leaf("customEvent", Document.query("f", comparator, value))
        var fields = JSONObject()
        fields["f"] = stored
        // Through local storage, as in production.
        let record = try VisitorRecord(line: VisitorRecord.customEvent("e", dataFields: fields, at: 1).line)
        var evaluator = CriteriaEvaluator(try Criteria(Document.of(tree), dialect: dialect))
        return evaluator.record(record) != nil
    }

    @Test(arguments: CriteriaDialect.allCases)
    func aBooleanIsStillOneAfterItWasStored(_ dialect: CriteriaDialect) throws {
        #expect(try Self.match("Equals", "true", stored: true, dialect))
        #expect(try !Self.match("Equals", "1", stored: true, dialect))
        #expect(try !Self.match("LessThan", "4", stored: true, dialect))
        #expect(try !Self.match("Equals", "true", stored: 1, dialect))
    }

    @Test func zipCodesPhoneNumbersAndFractionsAreEqualToThemselves() throws {
        for text in ["02134", "+15550100", "0.5"] as [JSONValue] {
            #expect(try Self.match("Equals", text, stored: text, .strict), "\(text)")
            #expect(try !Self.match("Equals", text, stored: text, .iOS), "parity: \(text)")
        }
    }

    /// One SDK crashed on `isNotOneOf`, which has no value but a list.
    @Test(arguments: CriteriaDialect.allCases)
    func isNotOneOfNeedsNoValue(_ dialect: CriteriaDialect) throws {
        let tree = Document.leaf("customEvent", Document.query("f", "DoesNotEqual", in: ["a", "b"]))
        #expect(try Document.match(Document.of(tree), [Document.event("e", ["f": "c"])], dialect) == "1")
        #expect(try Document.match(Document.of(tree), [Document.event("e", ["f": "b"])], dialect) == nil)
    }

    /// The pattern of a criterion ran for as long as it liked, once for each event and evaluation.
    @Test(arguments: CriteriaDialect.allCases)
    func aPatternCannotHoldUpAnEvaluation(_ dialect: CriteriaDialect) throws {
        let text = JSONValue.string(String(repeating: "a", count: 4096))
        #expect(try !Self.match("MatchesRegex", "^(a+)+$b", stored: text, dialect))
    }

    /// NFC and NFD of the same text are equal, in values and in names of fields.
    @Test(arguments: CriteriaDialect.allCases)
    func textIsComparedByCanonicalEquivalence(_ dialect: CriteriaDialect) throws {
        #expect(try Self.match("Equals", "caf\u{E9}", stored: "cafe\u{301}", dialect))
        #expect(try Self.match("StartsWith", "caf\u{E9}", stored: "cafe\u{301}s", dialect))
        #expect(try Self.match("Contains", "\u{E9}", stored: "cafe\u{301}s", dialect))
        #expect(try !Self.match("Contains", "e", stored: "cafe\u{301}s", dialect))
    }
}
