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
