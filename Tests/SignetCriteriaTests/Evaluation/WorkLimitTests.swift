// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport
import Testing

/// The work of one evaluation has an end, which is an error with the path of the leaf.
@Suite struct WorkLimitTests {
    private static func criteria(
        _ trees: [JSONValue],
        _ dialect: CriteriaDialect,
        work: Int
    ) throws -> Criteria {
        let sets = trees.enumerated().map { index, tree -> JSONValue in
            ["criteriaId": .string(String(index + 1)), "name": "test", "searchQuery": tree]
        }
        return try Criteria(["criteriaSets": .array(sets)], dialect: dialect, limits: CriteriaLimits(work: work))
    }

    private static func leaf(_ queries: [JSONValue]) -> JSONValue {
        ["dataType": "customEvent", "searchCombo": ["combinator": "And", "searchQueries": .array(queries)]]
    }

    private static func list(_ count: Int) -> JSONValue {
        .array((0..<count).map { .number(JSONNumber(Int64($0))) })
    }

    private static func record(_ fields: JSONObject) -> IterableRecord {
        .customEvent("e", dataFields: fields, at: 1)
    }

    private static func work(_ trees: [JSONValue], _ fields: JSONObject, _ dialect: CriteriaDialect) throws -> Int {
        try Self.criteria(trees, dialect, work: 1 << 40).evaluate([Self.record(fields)]).work
    }

    /// What was tried: a thousand patterns on 100 kB took 10 s, 20,000 queries on lists of 20,000 took 6.6 s.
    @Test(arguments: CriteriaDialect.allCases)
    func workGrowsWithWhatIsMultipliedAndNotBeyond(_ dialect: CriteriaDialect) throws {
        func patterns(_ count: Int, _ length: Int) throws -> Int {
            let trees = (0..<count).map { Self.leaf([Document.query("f", "MatchesRegex", .string("^(a+)+\($0)$"))]) }
            return try Self.work(trees, ["f": .string(String(repeating: "a", count: length))], dialect)
        }
        let few = try patterns(2, 1000)
        #expect(try (9...11).contains(patterns(20, 1000) / few) && (9...10).contains(patterns(2, 10_000) / few))

        func lists(_ queries: Int, _ length: Int) throws -> Int {
            // The last query alone has no element.
            let all = (1...queries).map { _ in Document.query("f", "Equals", .string(String(length - 1))) }
            return try Self.work([Self.leaf(all)], ["f": Self.list(length)], dialect)
        }
        let short = try lists(10, 100)
        #expect(try (9...11).contains(lists(100, 100) / short) && (9...11).contains(lists(10, 1000) / short))
    }

    @Test(arguments: CriteriaDialect.allCases)
    func theLimitIsAnErrorWithThePathOfTheLeaf(_ dialect: CriteriaDialect) throws {
        let cheap = Self.leaf([Document.query("g", "IsSet")])
        let dear = Self.leaf((0..<50).map { _ in Document.query("f", "DoesNotEqual", "-1") })
        let records = [Self.record([:]), Self.record(["f": Self.list(50)])]
        let criteria = try Self.criteria([cheap, dear], dialect, work: 20_000)
        let error = #expect(throws: CriteriaError.self) { try criteria.evaluate(records) }
        #expect(error?.code == .limitExceeded && error?.path == "$.criteriaSets[1].searchQuery")
        #expect(error?.message == "more than 2000 steps of work for record 1 alone", "\(error?.message ?? "")")
        #expect(try Self.criteria([cheap, dear], dialect, work: 200_000).evaluate(records).matchedID == "2")
        // Together they may take more than each alone.
        let many = Array(repeating: Self.record(["f": Self.list(20)]), count: 100)
        let whole = #expect(throws: CriteriaError.self) { try criteria.evaluate(many) }
        #expect(whole?.message.hasPrefix("the evaluation takes more than 20000 steps of work, at record ") == true)
    }

    @Test func theDefaultLimitEndsWhatWasTried() throws {
        let text = JSONValue.string(String(repeating: "a", count: 100_000))
        let patterns = (0..<1000).map { _ in Document.query("f", "MatchesRegex", "^[ab]*$") }
        let queries = (0..<20_000).map { _ in Document.query("f", "DoesNotEqual", "-1") }
        for (queries, value) in [(patterns, text), (queries, Self.list(20_000))] {
            let criteria = try Criteria(Document.of(Self.leaf(queries)))
            let error = #expect(throws: CriteriaError.self) { try criteria.evaluate([Self.record(["f": value])]) }
            #expect(error?.code == .limitExceeded && error?.path == "$.criteriaSets[0].searchQuery")
        }
    }

    @Test(arguments: CriteriaDialect.allCases)
    func aCriterionThatIsNotDecidedDoesNotHoldAndTheOthersCount(_ dialect: CriteriaDialect) throws {
        let dear = Self.leaf((0..<50).map { _ in Document.query("f", "DoesNotEqual", "-1") })
        let cheap = Self.leaf([Document.query("g", "IsSet")])
        // Not decided is no No.
        let trees = [dear, Document.node("Not", Document.node("And", dear)), cheap]
        var evaluator = CriteriaEvaluator(try Self.criteria(trees, dialect, work: 20_000), threshold: 2)
        #expect(evaluator.record(Self.record(["f": Self.list(10)])) == "1" && evaluator.fault == nil)
        #expect(evaluator.record(Self.record(["f": Self.list(50), "g": 1])) == "3")
        #expect(evaluator.fault?.path == "$.criteriaSets[0].searchQuery")
        #expect(evaluator.record(Self.record(["g": 1])) == "3" && evaluator.fault == nil)
        // The record is gone, and with it what was not decided.
        #expect(evaluator.record(Self.record([:])) == "2")
        #expect(evaluator.record(Self.record(["f": 1])) == "1")
    }

    /// Each of these queries leads to the next one, at the price of a level of the stack.
    @Test func queriesThatLeadToEachOtherEnd() throws {
        func evaluate(_ count: Int) throws -> String? {
            let queries = (0..<count).map { Document.query("k\($0).y.k\($0 + 1).z", "Equals", "1") }
            let element = (0...count).reduce(into: JSONObject()) { $0["k\($1)"] = ["z": 1] }
            let criteria = try Self.criteria([Self.leaf(queries.reversed())], .iOS, work: CriteriaCheck.workLimit)
            return try criteria.evaluate([Self.record(["y": [.object(element)]])]).matchedID
        }
        #expect(try evaluate(50) == "1")
        let error = #expect(throws: CriteriaError.self) { try evaluate(1000) }
        #expect(error?.code == .limitExceeded && error?.path == "$.criteriaSets[0].searchQuery")
    }
}
