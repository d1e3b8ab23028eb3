// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@Suite struct AttributesTests {
    @Test func aLiteralKeepsItsOrder() {
        let attributes: Attributes = ["z": 1, "a": "x", "m": true]
        #expect(attributes.keys == ["z", "a", "m"])
        #expect(attributes["a"] == "x")
        #expect(attributes["b"] == nil)
    }

    @Test func ofEqualNamesTheLastCountsInTheFirstPlace() {
        let attributes: Attributes = ["a": 1, "b": 2, "a": 3]
        #expect(attributes.keys == ["a", "b"])
        #expect(attributes["a"] == 3)
        let many = Attributes((0..<50).map { ("k\($0 % 20)", .integer(Int64($0))) })
        #expect(many.count == 20)
        #expect(many["k0"] == 40 && many["k19"] == 39)
    }

    @Test func namesAreTheSameWhenTheirBytesAre() {
        // Two spellings of one letter, which strings take for equal.
        let attributes: Attributes = ["\u{E9}": 1, "e\u{301}": 2]
        #expect(attributes.count == 2)
        #expect(attributes["\u{E9}"] == 1 && attributes["e\u{301}"] == 2)
        #expect(Attributes((0..<20).map { ($0 % 2 == 0 ? "\u{E9}" : "e\u{301}", 1) }).count == 2)
        #expect(attributes != ["\u{E9}": 1, "E\u{301}": 2])
    }

    @Test func aNameIsSetReplacedAndRemoved() {
        var attributes = Attributes()
        attributes["a"] = 1
        attributes["b"] = 2
        attributes["a"] = "one"
        #expect(attributes.map(\.key) == ["a", "b"])
        attributes["a"] = nil
        attributes["c"] = nil
        #expect(attributes.keys == ["b"])
        #expect(attributes[0].value == 2)
    }

    @Test func theOrderDoesNotMakeThemDifferent() {
        let first: Attributes = ["a": 1, "b": 2]
        let second: Attributes = ["b": 2, "a": 1]
        #expect(first == second)
        #expect(Set([first, second]).count == 1)
        #expect(first != ["a": 1])
        #expect(first != ["a": 1, "b": 3])
        #expect(Attributes(["b": 2, "a": 1]).keys == ["a", "b"])
    }

    @Test func aDescriptionHasNoValues() {
        let attributes: Attributes = ["name": "secret"]
        #expect("\(attributes)" == "[name]")
        #expect(!String(reflecting: attributes).contains("secret"))
        var dumped = ""
        dump(attributes, to: &dumped)
        #expect(!dumped.contains("secret"))
    }
}
