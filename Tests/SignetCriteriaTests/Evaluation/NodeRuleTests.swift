// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport
import Testing

/// The tree: combinators, `Not`, minMatch, and which criterion wins.
@Suite struct NodeRuleTests {
    private static let isA = Document.leaf("customEvent", Document.query("eventName", "Equals", "a"))
    private static let isB = Document.leaf("customEvent", Document.query("eventName", "Equals", "b"))
    private static let a = Document.event("a")
    private static let b = Document.event("b")

    @Test func anEmptyAndHoldsOnTheFirstRecordOfAnyKindAnEmptyOrNeverAnEmptyNotAlways() throws {
        #expect(try Document.holds(Document.node("And"), Self.a) == (true, true))
        #expect(try Document.holds(Document.node("Or"), Self.a) == (false, false))
        #expect(try Document.holds(Document.node("Not"), Self.a) == (true, true))
    }

    @Test func withoutRecordsNothingHolds() throws {
        #expect(try Document.holds(Document.node("And")) == (false, false))
        #expect(try Document.holds(Document.node("Not", Self.isA)) == (false, false))
    }

    @Test func leavesUnderOneAndMayBeSatisfiedByDifferentRecords() throws {
        let tree = Document.node("And", Self.isA, Self.isB)
        #expect(try Document.holds(tree, Self.a, Self.b) == (true, true))
        #expect(try Document.holds(tree, Self.a) == (false, false))
        #expect(try Document.holds(Document.node("Or", Self.isA, Self.isB), Self.b) == (true, true))
    }

    @Test func aLeafMayStandAlone() throws {
        #expect(try Document.holds(Self.isA, Self.a) == (true, true))
    }

    /// Facts of the vendor's checker: a leaf directly under `Not` holds only if all records of its type satisfy it, and the
    /// last of all records is one of them.
    @Test func notOfALeafIsNoNegationUnderIOS() throws {
        let tree = Document.node("Not", Self.isA)
        let user = Document.user(["age": 3])
        #expect(try Document.holds(tree, Self.a) == (false, false))
        #expect(try Document.holds(tree, Self.b) == (true, true))
        #expect(try Document.holds(tree, Self.a, Self.b) == (false, true))
        #expect(try Document.holds(tree, Self.b, Self.a) == (false, true))
        #expect(try Document.holds(tree, Self.a, Self.a) == (false, false))
        #expect(try Document.holds(tree, Self.a, user) == (false, true))
        #expect(try Document.holds(tree, user) == (true, true))
    }

    /// Purchases and carts stand before all other records.
    @Test func aPurchaseIsNeverLastBesideOtherRecordsUnderIOS() throws {
        let bought = Document.leaf("purchase", Document.query("total", "Equals", "10"))
        let purchase = Document.purchase()
        #expect(try Document.holds(Document.node("Not", bought), purchase) == (false, false))
        #expect(try Document.holds(Document.node("Not", bought), Self.a, purchase) == (false, true))
        #expect(try Document.holds(Document.node("Not", Self.isA), Self.a, purchase) == (false, false))
    }

    @Test func notOfAnInnerNodeNegates() throws {
        let tree = Document.node("Not", Document.node("And", Self.isA, Self.isB))
        #expect(try Document.holds(tree, Self.a) == (true, true))
        #expect(try Document.holds(tree, Self.a, Self.b) == (false, false))
        let twice = Document.node("Not", Document.node("Not", Document.node("And", Self.isA)))
        #expect(try Document.holds(twice, Self.a, Self.b) == (true, true))
    }

    @Test func soManyRecordsMustSatisfyALeaf() throws {
        func tree(_ count: JSONValue) -> JSONValue {
            Document.leaf("customEvent", Document.query("eventName", "Equals", "a"), minMatch: count)
        }
        #expect(try Document.holds(tree(2), Self.a) == (false, false))
        #expect(try Document.holds(tree(2), Self.a, Self.b, Self.a) == (true, true))
        #expect(try Document.holds(tree(2.0), Self.a) == (false, false))
        #expect(try Document.holds(tree(0), Self.b) == (false, false))
        #expect(try Document.match(Document.of(tree("2")), [Self.a], .iOS) == "1")
        #expect(try Document.match(Document.of(tree(1.5)), [Self.a], .iOS) == "1")
        for count in ["2", 1.5] as [JSONValue] {
            #expect(throws: CriteriaError.self) { try Criteria(Document.of(tree(count)), dialect: .strict) }
        }
    }

    @Test func sameRecordsServeSeveralLeaves() throws {
        #expect(try Document.holds(Document.node("And", Self.isA, Self.isA), Self.a) == (true, true))
    }

    @Test func theFirstCriterionThatHoldsIsTheMatch() throws {
        let document = Document.of(Self.isB, Self.isA, Document.node("And"))
        for dialect in CriteriaDialect.allCases {
            #expect(try Document.match(document, [Self.a], dialect) == "2")
            #expect(try Document.match(document, [Self.a, Self.b], dialect) == "1")
            #expect(try Document.match(document, [Document.cart()], dialect) == "3")
        }
    }

    @Test func aLeafLooksAtItsTypeOnly() throws {
        let token: JSONValue = ["eventType": "tokenRegistration", "token": "t"]
        let tree = Document.leaf("tokenRegistration", Document.query("token", "Equals", "t"))
        #expect(try Document.holds(tree, token) == (true, true))
        #expect(try Document.holds(tree, Document.event("x", ["token": "t"])) == (false, false))
    }

    @Test func recordsWithACriteriaIdArePassedOverUnderIOS() throws {
        let hidden = Document.event("a", ["criteriaId": "1"])
        #expect(try Document.holds(Self.isA, hidden) == (true, false))
        #expect(try Document.holds(Document.node("Not", Self.isA), hidden) == (false, true))
    }
}
