// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTestSupport
import SignetTransport
import Testing

/// Criteria that are made to keep an evaluator busy; each of these took minutes when every way was tried.
@Suite struct EffortTests {
    private static func leaf(_ queries: [JSONValue]) -> JSONValue {
        ["dataType": "customEvent", "searchCombo": ["combinator": "And", "searchQueries": .array(queries)]]
    }

    @Test(.timeLimit(.minutes(5)), arguments: CriteriaDialect.allCases)
    func aPartThatBeginsEverywhereIsLookedForOnce(_ dialect: CriteriaDialect) throws {
        for letter in ["a", "é"] {
            let text = String(repeating: letter, count: 100_000)
            let part = String(repeating: letter, count: 50_000)
            let event = Document.event("e", ["f": .string(text)])
            for (ending, match) in [("b", nil), ("", "1")] as [(String, String?)] {
                let query = Document.query("f", "Contains", .string(part + ending))
                #expect(try Document.match(Document.of(Self.leaf([query])), [event], dialect) == match)
            }
        }
    }

    /// Swift's comparison of strings sorts the marks of a letter in quadratic time: 80,000 took 7 to 21 s, wherever they stood.
    @Test(.timeLimit(.minutes(5)), arguments: CriteriaDialect.allCases)
    func lettersWithManyMarksTakeNoLongerThanOtherText(_ dialect: CriteriaDialect) throws {
        let pairs = TestScale.count(quick: 4000, full: 40_000)
        let marks = "a" + String(repeating: "\u{301}\u{316}", count: pairs)
        let other = "a" + String(repeating: "\u{316}\u{301}", count: pairs)
        var fields: JSONObject = ["f": .string(marks), "l": [.string(marks), .string(other)], "p": [:]]
        for key in [marks, other] { fields[key] = ["x": .string(marks)] }
        let event: JSONObject = [
            "eventType": "customEvent", "eventName": .string(marks), "dataFields": .object(fields),
        ]
        var odd = event
        odd["eventType"] = .string(marks)
        let records: [JSONValue] = [
            .object(event), .object(odd), Document.purchase(.object(fields), fields: fields), Document.user(fields),
        ]
        for comparator in ["Equals", "DoesNotEqual", "Contains", "StartsWith", "GreaterThan", "IsSet", "MatchesRegex"] {
            let isRegex = comparator == "MatchesRegex"
            for value in isRegex ? ["e"] : [marks, other] {
                for field in ["f", "l", other + ".x", "shoppingCartItems." + other] {
                    let query = Document.query(field, comparator, .string(value))
                    let trees = ["customEvent", "user", "purchase", marks].map { Document.leaf($0, query) }
                    let document = Document.of(Document.node("Or", trees[0], trees[1], trees[2], trees[3]))
                    _ = try Document.match(document, records, dialect)
                }
            }
        }
        let same = Document.of(Document.leaf(marks, Document.query("f", "Equals", .string(marks))))
        #expect(try Document.match(same, records, dialect) == "1")
        let not = Document.of(Document.leaf(marks, Document.query("f", "Equals", .string(other))))
        #expect(try Document.match(not, records, dialect) == nil)
        // What the document itself says is no less foreign.
        for (key, value) in [("combinator", "searchQueries"), ("comparatorType", "field"), ("dataType", "searchCombo")]
        {
            var object: JSONObject = ["searchQueries": [], "searchCombo": [:], "field": "f"]
            object[key] = .string(marks)
            object[marks] = .string(value)
            let leaf = Document.leaf("customEvent", .object(object))
            for tree in [.object(object), leaf] as [JSONValue] {
                let good = Document.leaf("customEvent", Document.query("f", "IsSet"))
                #expect(try Document.match(Document.of(tree, good), records, dialect) != nil)
            }
        }
    }

    @Test func partsAreFoundWhereverTheyBegin() throws {
        for (text, part) in [("aabaabaaab", "aabaaab"), ("ababac", "abac"), ("éaéaéb", "éaéb"), ("aaa", "aaa")] {
            let tree = Self.leaf([Document.query("f", "Contains", .string(part))])
            #expect(try Document.holds(tree, Document.event("e", ["f": .string(text)])) == (true, true), "\(part)")
            let missed = Document.event("e", ["f": .string(String(text.dropLast()))])
            #expect(try Document.holds(tree, missed) == (false, false), "\(part)")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: CriteriaDialect.allCases)
    func manyQueriesOnOneArrayAskEachElementOnce(_ dialect: CriteriaDialect) throws {
        let queries = (0..<2000).map { _ in Document.query("p.q.x", "GreaterThan", "0") }
        let last = Document.query("p.q.y", "Equals", "1")
        let elements = (0..<50).map { JSONValue.object(["x": 1, "y": .number(JSONNumber(Int64($0 == 49 ? 1 : 0)))]) }
        let event = Document.event("e", ["p": ["q": .array(elements)]])
        let document = Document.of(Self.leaf(queries + [last]))
        #expect(try Document.match(document, [event], dialect) == "1")
        let none = Document.event("e", ["p": ["q": .array(Array(elements.dropLast()))]])
        #expect(try Document.match(document, [none], dialect) == nil)
    }
}
