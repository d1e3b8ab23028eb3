// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport
import Testing

@Suite struct CriteriaEvaluatorTests {
    private static let isA = Document.leaf("customEvent", Document.query("eventName", "Equals", "a"))

    @Test func theMatchComesWithTheRecordThatCompletesIt() throws {
        let twice = Document.leaf("customEvent", Document.query("eventName", "Equals", "a"), minMatch: 2)
        var evaluator = CriteriaEvaluator(try Criteria(Document.of(twice)))
        #expect(evaluator.record(.customEvent("a", at: 1)) == nil)
        #expect(evaluator.record(.customEvent("b", at: 2)) == nil)
        #expect(evaluator.record(.customEvent("a", at: 3)) == "1")
        #expect(evaluator.matchedID == "1" && evaluator.recordCount == 3)
    }

    @Test func whatIsEvictedCountsNoLonger() throws {
        for dialect in CriteriaDialect.allCases {
            var evaluator = CriteriaEvaluator(try Criteria(Document.of(Self.isA), dialect: dialect), threshold: 2)
            #expect(evaluator.record(.customEvent("a", at: 1)) == "1")
            #expect(evaluator.record(.customEvent("b", at: 2)) == "1")
            #expect(evaluator.record(.customEvent("b", at: 3)) == nil)
            #expect(evaluator.recordCount == 2)
        }
    }

    @Test func userUpdatesAreMergedAndDoNotCountAsRecords() throws {
        let both = Document.leaf("user", Document.query("x", "Equals", "1"), Document.query("y", "Equals", "2"))
        var evaluator = CriteriaEvaluator(try Criteria(Document.of(both)), threshold: 1)
        #expect(evaluator.record(.userUpdate(["x": 1], at: 1)) == nil)
        #expect(evaluator.record(.userUpdate(["y": 2], at: 2)) == "1")
        #expect(evaluator.record(.customEvent("e", at: 3)) == "1")
        #expect(evaluator.record(.userUpdate(["x": 0], at: 4)) == nil)
        #expect(evaluator.recordCount == 1)
    }

    /// The vendor's SDK forgets to: what was done before the criteria came counts only with the next record.
    @Test func whatIsStoredCountsWhenCriteriaArrive() throws {
        let criteria = try Criteria(Document.of(Self.isA))
        let stored = [IterableRecord.customEvent("a", at: 1), .userUpdate(["x": 1], at: 2)]
        #expect(CriteriaEvaluator(criteria, records: stored).matchedID == "1")
        #expect(CriteriaEvaluator(criteria, threshold: 0, records: stored).recordCount == 1)
    }

    @Test func theReportSaysWhy() throws {
        let tree = Document.node("And", Self.isA, Document.leaf("user", Document.query("x", "Equals", "1")))
        let report = try Criteria(Document.of(tree)).evaluate([.customEvent("a", at: 1)])
        #expect(
            "\(report)" == """
                strict: no match
                  criterion 1 (test): does not hold
                    $.criteriaSets[0].searchQuery.searchQueries[0]: holds, 1 of 1 customEvent records
                    $.criteriaSets[0].searchQuery.searchQueries[1]: does not hold, 0 of 1 user records
                """
        )
    }
}
