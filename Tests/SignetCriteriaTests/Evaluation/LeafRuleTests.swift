// SPDX-License-Identifier: Apache-2.0

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

    /// As the web SDK keeps events: the name is among the data fields.
    @Test func aRecordWithoutANameOfItsOwnHasThatOfItsDataFields() throws {
        let event: JSONValue = ["eventType": "customEvent", "dataFields": ["eventName": "birthday", "cake": 1]]
        #expect(try Document.holds(Self.leaf(Self.equals("eventName", "birthday")), event) == (true, true))
        #expect(try Document.holds(Self.leaf(Self.equals("birthday.cake", "1")), event) == (true, true))
        let isSet = Self.leaf(Document.query("birthday", "IsSet", fieldType: "object"))
        #expect(try Document.holds(isSet, event) == (true, true))
        // A name of its own that is no text is none, and a type it always has.
        let odd: JSONValue = ["eventType": "customEvent", "eventName": nil, "dataFields": ["eventName": "birthday"]]
        #expect(try Document.holds(Self.leaf(Self.equals("eventName", "birthday")), odd) == (true, true))
        let typed: JSONValue = ["eventType": "customEvent", "dataFields": ["eventType": "user", "x": 1]]
        #expect(try Document.holds(Self.leaf(Self.equals("x", "1")), typed) == (true, false))
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

    @Test func emptyPartsOfAPathAreDroppedUnderIOS() throws {
        let event = Document.event("e", ["f": 1, "o": ["x": 1]])
        for field in [".f", "f.", "..f", "o..x", ".o.x.", "e..f", "e."] {
            let holds = field != "e."
            #expect(try Document.holds(Self.leaf(Self.equals(field, "1")), event) == (false, holds), "\(field)")
        }
        for field in [".", "..", ""] {
            #expect(try Document.holds(Self.leaf(Document.query(field, "IsSet")), event) == (false, false), "\(field)")
        }
        // Under strict an empty part is an empty name.
        let empty = Document.event("e", ["": ["f": 1], "f": ["": 1]])
        #expect(try Document.holds(Self.leaf(Self.equals(".f", "1")), empty) == (true, false))
        #expect(try Document.holds(Self.leaf(Self.equals("f.", "1")), empty) == (true, false))
    }

    @Test func aMissingStepBeforeAnArrayOfObjectsIsPassedOverUnderIOS() throws {
        func leaf(_ field: String) -> JSONValue { Self.leaf(Self.equals(field, "1")) }
        let event = Document.event("e", ["y": [["z": 0], ["z": 1]], "o": ["y": [["z": 1]]]])
        for field in ["m.y.z", "m.n.y.z", "m.y.z.", "o.m.y.z", "e.m.y.z"] {
            #expect(try Document.holds(leaf(field), event) == (false, true), "\(field)")
        }
        // Behind the array, or where there is none, each step must be there.
        for field in ["y.m.z", "m.y", "m.o.x", "m.z"] {
            #expect(try Document.holds(leaf(field), event) == (false, false), "\(field)")
        }
        // What is asked of the way itself is no more there than before.
        let both = Self.leaf(Self.equals("m.y.z", "1"), Self.equals("y.z", "1"))
        #expect(try Document.holds(both, event) == (false, false))
        let apart = Self.leaf(Self.equals("m.y.z", "1"), Self.equals("x", "2"))
        #expect(try Document.holds(apart, Document.event("e", ["x": 2, "y": [["z": 1]]])) == (false, true))
    }

    @Test func aNameThatComesTwiceIsReplacedWhereItComesFirstUnderIOS() throws {
        let tree = Self.leaf(Self.equals("p.p.x", "1"))
        #expect(try Document.holds(tree, Document.event("e", ["p": [["p": ["x": 1]]]])) == (true, true))
        #expect(try Document.holds(tree, Document.event("e", ["p": ["p": [["x": 1]]]])) == (true, false))
        #expect(try Document.holds(tree, Document.event("e", ["p": ["p": [["p": ["x": 1]]]]])) == (false, true))
        // Of two arrays on the way the last counts, be it beside the first.
        let way = Self.leaf(Self.equals("p.q.x", "1"))
        let beside = Document.event("e", ["p": [["q": ["x": 0]]], "q": [["x": 1]]])
        #expect(try Document.holds(way, beside) == (false, true))
    }

    @Test func numbersBeyond53BitsAreDoublesInComparisonsUnderIOS() throws {
        let event = Document.event("e", ["f": 9_007_199_254_740_993])
        let greater = Self.leaf(Document.query("f", "GreaterThan", "9007199254740992"))
        #expect(try Document.holds(greater, event) == (true, false))
        let atMost = Self.leaf(Document.query("f", "LessThanOrEqualTo", "9007199254740992"))
        #expect(try Document.holds(atMost, event) == (false, true))
        // The vendor's checker rewrites the value of the criterion, which costs its last digit.
        #expect(try Document.holds(Self.leaf(Self.equals("f", "9007199254740993")), event) == (true, false))
        #expect(try Document.holds(Self.leaf(Self.equals("f", "9007199254740992")), event) == (false, false))
    }

    /// In the vendor's checker it depends on where a list comes from whether it is one of numbers.
    @Test func aListOfWholeAndOtherNumbersIsOneOfNumbers() throws {
        let event = Document.event("e", ["f": [3.0, 5, 0.5]])
        for (comparator, value) in [("Equals", "5"), ("Equals", "3"), ("GreaterThan", "4"), ("LessThan", "1")] {
            let tree = Self.leaf(Document.query("f", comparator, .string(value)))
            #expect(try Document.holds(tree, event) == (true, true), "\(comparator) \(value)")
        }
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
