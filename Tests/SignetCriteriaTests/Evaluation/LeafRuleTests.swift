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

/// One record against the queries of a leaf: fields, paths, events' names, arrays.
@Suite struct LeafRuleTests {
    private static func leaf(_ queries: JSONValue..., joinedBy combinator: String = "And") -> JSONValue {
        [
            "dataType": "customEvent",
            "searchCombo": ["combinator": .string(combinator), "searchQueries": .array(queries)],
        ]
    }

    private static func equals(_ field: String, _ value: JSONValue) -> JSONValue {
        Document.query(field, "Equals", value)
    }

    @Test func allQueriesMustHoldOnOneRecord() throws {
        let tree = Self.leaf(Self.equals("x", "1"), Self.equals("y", "2"))
        #expect(try Document.holds(tree, Document.event("e", ["x": 1, "y": 2])) == (true, true))
        let apart = (Document.event("e", ["x": 1]), Document.event("e", ["y": 2]))
        #expect(try Document.holds(tree, apart.0, apart.1) == (false, false))
    }

    @Test func theCombinatorOfALeafIsIgnoredUnderIOS() throws {
        let (x, y) = (Self.equals("x", "1"), Self.equals("y", "2"))
        let one = Document.event("e", ["x": 1])
        #expect(try Document.holds(Self.leaf(x, y, joinedBy: "Or"), one) == (true, false))
        #expect(try Document.holds(Self.leaf(y, joinedBy: "Not"), one) == (true, false))
        #expect(try Document.holds(Self.leaf(x, joinedBy: "Not"), one) == (false, true))
    }

    @Test func aLeafWithoutQueriesHoldsUnderStrictOnly() throws {
        #expect(try Document.holds(Self.leaf(), Document.event("e")) == (true, false))
    }

    @Test func aMissingFieldPassesNoTest() throws {
        for comparator in ["Equals", "DoesNotEqual", "IsSet", "GreaterThan", "Contains", "StartsWith", "MatchesRegex"] {
            for field in ["y", "x.y", "y.z"] {
                let tree = Self.leaf(Document.query(field, comparator, "1"))
                #expect(
                    try Document.holds(tree, Document.event("e", ["x": ["z": 1]])) == (false, false),
                    "\(comparator)"
                )
            }
        }
    }

    @Test func theRecordsOwnMembersAreFields() throws {
        let tree = Self.leaf(Self.equals("eventName", "e"), Self.equals("createdAt", "1700000000"))
        #expect(try Document.holds(tree, Document.event("e")) == (true, true))
    }

    @Test func aDataFieldRenamesAnEventUnderIOS() throws {
        let event = Document.event("e", ["eventName": "other"])
        #expect(try Document.holds(Self.leaf(Self.equals("eventName", "e")), event) == (true, false))
        let retyped = Document.event("e", ["eventType": "user"])
        #expect(try Document.holds(Document.leaf("user", Self.equals("eventName", "e")), retyped) == (false, true))
        #expect(
            try Document.holds(Document.leaf("user", Self.equals("x", "1")), ["eventType": "user", "x": 1]) == (
                true, true
            )
        )
    }

    @Test func aPathLeadsIntoObjectsAndMayBeginWithTheEventsName() throws {
        let event = Document.event("e", ["p": ["q": ["r": 1]], "a.b": 1])
        #expect(try Document.holds(Self.leaf(Self.equals("p.q.r", "1")), event) == (true, true))
        #expect(try Document.holds(Self.leaf(Self.equals("e.p.q.r", "1")), event) == (true, true))
        #expect(try Document.holds(Self.leaf(Self.equals("p.q.s", "1")), event) == (false, false))
        #expect(try Document.holds(Self.leaf(Self.equals("p.q.r.s", "1")), event) == (false, false))
        #expect(try Document.holds(Self.leaf(Self.equals("a.b", "1")), event) == (false, false))
        let user = Document.user(["p": 1])
        #expect(try Document.holds(Document.leaf("user", Self.equals("e.p", "1")), user) == (false, false))
    }

    /// What an app calls a field of its user is no event's name.
    @Test func onlyAnEventsNameIsTakenOffAField() throws {
        let user = Document.user(["eventName": "e", "p": 1])
        #expect(try Document.holds(Document.leaf("user", Self.equals("e.p", "1")), user) == (false, false))
        let purchase = Document.purchase(fields: ["eventName": "e", "p": 1])
        #expect(try Document.holds(Document.leaf("purchase", Self.equals("e.p", "1")), purchase) == (false, false))
    }

    @Test func anEventsNameWithADotHidesItsFieldsUnderIOS() throws {
        let tree = Self.leaf(Self.equals("shop.visit.page", "home"))
        #expect(try Document.holds(tree, Document.event("shop.visit", ["page": "home"])) == (true, false))
    }

    @Test func isSetOnAnObjectMayMeanTheEvent() throws {
        let tree = Self.leaf(Document.query("e", "IsSet", fieldType: "object"))
        #expect(try Document.holds(tree, Document.event("e")) == (true, true))
        #expect(try Document.holds(tree, Document.event("f")) == (false, false))
        #expect(try Document.holds(tree, Document.event("f", ["e": ["x": 1]])) == (true, false))
        let dotted = Self.leaf(Document.query("e.x", "IsSet", fieldType: "object"))
        #expect(try Document.holds(dotted, Document.event("f", ["e": ["x": ["y": 1]]])) == (true, true))
    }

    @Test func conditionsOnOneArrayMeetInTheSameElement() throws {
        let tree = Self.leaf(Self.equals("p.x", "1"), Self.equals("p.y", "2"))
        #expect(try Document.holds(tree, Document.event("e", ["p": [["x": 1, "y": 2], ["x": 0]]])) == (true, true))
        #expect(try Document.holds(tree, Document.event("e", ["p": [["x": 1], ["y": 2]]])) == (false, false))
        #expect(try Document.holds(tree, Document.event("e", ["p": []])) == (false, false))
    }

    @Test func twoArraysAreTriedIndependently() throws {
        let tree = Self.leaf(Self.equals("p.x", "1"), Self.equals("q.x", "2"))
        let event = Document.event("e", ["p": [["x": 0], ["x": 1]], "q": [["x": 2], ["x": 0]]])
        #expect(try Document.holds(tree, event) == (true, true))
        for (p, q) in [(1, 0), (0, 2)] as [(JSONValue, JSONValue)] {
            let event = Document.event("e", ["p": [["x": p], ["x": 0]], "q": [["x": 0], ["x": q]]])
            #expect(try Document.holds(tree, event) == (false, false))
        }
    }

    @Test func arraysInsideArraysWork() throws {
        let (x, y, z) = (Self.equals("p.q.x", "1"), Self.equals("p.q.y", "2"), Self.equals("p.z", "3"))
        let good: JSONValue = [["z": 3, "q": [["x": 0], ["x": 1, "y": 2]]]]
        let bad: JSONValue = [["z": 3, "q": [["x": 1]]], ["q": [["x": 0, "y": 2]]]]
        #expect(try Document.holds(Self.leaf(x, y), Document.event("e", ["p": good])) == (true, true))
        #expect(try Document.holds(Self.leaf(x, y), Document.event("e", ["p": bad])) == (false, false))
        // The inner array's sibling is in the same element.
        #expect(try Document.holds(Self.leaf(x, y, z), Document.event("e", ["p": good])) == (true, false))
    }

    @Test func siblingsOfAnArrayVanishUnderIOS() throws {
        let tree = Self.leaf(Self.equals("p.q.x", "1"), Self.equals("p.s", "2"))
        #expect(try Document.holds(tree, Document.event("e", ["p": ["q": [["x": 1]], "s": 2]])) == (true, false))
    }

    @Test func anArrayOfPrimitivesIsComparedAsOne() throws {
        let event = Document.event("e", ["p": ["q": [1, 2]]])
        #expect(try Document.holds(Self.leaf(Self.equals("p.q", "2")), event) == (true, true))
        #expect(try Document.holds(Self.leaf(Self.equals("p.q.r", "2")), event) == (false, false))
    }

    @Test func anEmptyArrayAtTheEndOfAPathPassesNoTestUnderIOS() throws {
        let event = Document.event("e", ["p": ["q": []], "r": []])
        #expect(try Document.holds(Self.leaf(Document.query("p.q", "DoesNotEqual", "1")), event) == (true, false))
        #expect(try Document.holds(Self.leaf(Document.query("r", "DoesNotEqual", "1")), event) == (true, true))
    }
}
