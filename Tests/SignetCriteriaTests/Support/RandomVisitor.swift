// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import SignetTransport

/// Random criteria, and random records that have a chance to meet them.
struct RandomVisitor {
    var generator: SeededGenerator
    /// Whether there may be what the dialects read differently.
    let mayDiffer: Bool

    private static let fields = [
        "x", "y", "p", "p.x", "p.y", "p.q", "p.q.x", "p.q.y", "a.x", "eventName", "e.p.x",
        "r", "r.x", "a", "e", "s.t.x", "s.t.p.x",
    ]
    /// Empty parts, steps that are never there, and names that come twice.
    private static let oddFields = [
        ".x", "p.", "p..x", ".", "m.p.x", "m.p", "p.m.q.x", "p.p.x", "p.q.p.x", "q.x", "p.q.r.x", "q.p.x", "r.p.q.x",
    ]
    private static let itemFields = ["name", "price"]
    private static let comparators = [
        "Equals", "Equals", "DoesNotEqual", "IsSet", "GreaterThan", "LessThan", "GreaterThanOrEqualTo",
        "LessThanOrEqualTo", "Contains", "StartsWith", "MatchesRegex",
    ]
    private static let operands = [
        "1", "2", "3", "u", "a", "", "true", "false", "2.0", "007", "0.5", "1e0", "+3", "ua", "^u", "[ab]$", "02",
    ]

    mutating func int(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &self.generator)
    }

    mutating func chance(_ one: Int, in all: Int) -> Bool {
        self.int(1...all) <= one
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[self.int(0...elements.count - 1)]
    }

    mutating func document() -> JSONValue {
        let sets = (1...self.int(1...4)).map { id -> JSONValue in
            ["criteriaId": .string("\(id)"), "searchQuery": self.node(depth: 3)]
        }
        return ["criteriaSets": .array(sets)]
    }

    private mutating func node(depth: Int) -> JSONValue {
        guard depth > 0, self.chance(2, in: 3) else { return self.leaf() }
        let combinator = self.pick(["And", "And", "Or", "Not"])
        let nodes = (0..<self.int(self.mayDiffer ? 0...3 : 1...3)).map { _ in self.node(depth: depth - 1) }
        // A leaf directly under `Not` is what the dialects do not agree on.
        let safe = combinator == "Not" && !self.mayDiffer ? nodes.map { Document.node("And", $0) } : nodes
        return ["combinator": .string(combinator), "searchQueries": .array(safe)]
    }

    private mutating func leaf() -> JSONValue {
        let type = self.pick(["customEvent", "customEvent", "purchase", "user"])
        // What a query on items means beside others, without items, is what the dialects do not agree on.
        let isAboutItems = self.mayDiffer ? nil : self.chance(1, in: 3)
        let queries = (0..<self.int(self.mayDiffer ? 0...3 : 1...2)).map { _ in
            self.query(type, isAboutItems: isAboutItems ?? self.chance(1, in: 3))
        }
        var leaf: JSONObject = [
            "dataType": .string(type),
            "searchCombo": [
                "combinator": .string(self.mayDiffer ? self.pick(["And", "And", "Or", "Not"]) : "And"),
                "searchQueries": .array(queries),
            ],
        ]
        if self.chance(1, in: 4) { leaf["minMatch"] = .number(JSONNumber(Int64(self.int(1...3)))) }
        return .object(leaf)
    }

    private mutating func query(_ type: String, isAboutItems: Bool) -> JSONValue {
        let isOdd = self.mayDiffer && self.chance(1, in: 5)
        var field = self.pick(isOdd ? Self.oddFields : self.mayDiffer ? Self.fields : ["x", "y", "p.x", "p.y"])
        if type == "user", self.mayDiffer, self.chance(1, in: 5) { field = "shoppingCartItems.price" }
        if type == "purchase", isAboutItems { field = "shoppingCartItems." + self.pick(Self.itemFields) }
        if type == "customEvent", isAboutItems {
            field = "updateCart.updatedShoppingCartItems." + self.pick(Self.itemFields)
        }
        let value = JSONValue.string(self.pick(self.mayDiffer ? Self.operands : ["1", "2", "3", "u", "a", "b"]))
        let comparator = self.pick(Self.comparators)
        var query: JSONObject = ["dataType": .string(type), "field": .string(field), "value": value]
        query["comparatorType"] = .string(comparator)
        // What is no pattern is an error.
        if comparator == "MatchesRegex" { query["value"] = self.pick(["a", "^u", "[ab]$", "0", "2.?0"]) }
        if self.mayDiffer, self.chance(1, in: 4) { query["fieldType"] = "object" }
        if self.mayDiffer || comparator == "Equals", self.chance(1, in: 4) {
            query["value"] = nil
            query["values"] = self.pick([["1", "u", "z"], ["true", "0.5"], self.mayDiffer ? [] : ["b"]])
            if self.mayDiffer, self.chance(1, in: 4) { query["value"] = self.pick(["", "1", .null]) }
        }
        return .object(query)
    }

    mutating func record() -> JSONValue {
        switch self.int(0...9) {
        case 0...4:
            return Document.event(self.pick(self.mayDiffer ? ["a", "b", "e", "s.t"] : ["a", "b", "e"]), self.data())
        case 5, 6: return Document.user(self.data())
        case 7: return Document.purchase(self.item(), self.item(), fields: self.data(), total: self.scalar())
        case 8: return Document.purchase(fields: self.data())
        default: return Document.cart(self.item())
        }
    }

    private mutating func item() -> JSONValue {
        var item: JSONObject = ["name": self.scalar()]
        if self.chance(2, in: 3) { item["price"] = self.scalar() }
        return .object(item)
    }

    private mutating func data() -> JSONObject {
        var data = JSONObject()
        for field in ["x", "y"] where self.chance(2, in: 3) { data[field] = self.value() }
        if self.chance(2, in: 3) {
            data["p"] =
                self.mayDiffer
                ? self.nested(depth: 2) : self.pick([.object(self.flat()), .array([.object(self.flat())])])
        }
        if self.mayDiffer, self.chance(1, in: 3) { data["r"] = self.nested(depth: 1) }
        if self.mayDiffer, self.chance(1, in: 4) { data["q"] = self.nested(depth: 1) }
        if self.mayDiffer, self.chance(1, in: 10) { data["shoppingCartItems.price"] = self.value() }
        if self.mayDiffer, self.chance(1, in: 20) { data["eventName"] = "a" }
        if self.mayDiffer, self.chance(1, in: 20) { data["criteriaId"] = "1" }
        return data
    }

    private mutating func flat() -> JSONObject {
        ["x": self.scalar(), "y": self.scalar()]
    }

    private mutating func nested(depth: Int) -> JSONValue {
        guard depth > 0 else { return self.value() }
        if self.chance(1, in: 3) { return .array((0..<self.int(0...3)).map { _ in self.object(depth) }) }
        return self.chance(1, in: 6) ? self.value() : self.object(depth)
    }

    private mutating func object(_ depth: Int) -> JSONValue {
        var object = self.flat()
        if self.chance(2, in: 3) { object["q"] = self.nested(depth: depth - 1) }
        if self.mayDiffer, self.chance(1, in: 4) { object[self.pick(["p", "r"])] = self.nested(depth: depth - 1) }
        return .object(object)
    }

    private mutating func value() -> JSONValue {
        if self.mayDiffer, self.chance(1, in: 8) {
            return .array((0..<self.int(0...3)).map { _ in self.scalar() })
        }
        if self.chance(1, in: 4) {
            return .array((0..<self.int(1...2)).map { _ in .number(JSONNumber(Int64(self.int(1...3)))) })
        }
        return self.scalar()
    }

    private mutating func scalar() -> JSONValue {
        if self.mayDiffer, self.chance(1, in: 3) {
            return self.pick([true, false, nil, "", "007", "0.5", "true", "uab", 2.0, 0.5, -1, "2", [:]])
        }
        return self.chance(3, in: 4)
            ? .number(JSONNumber(Int64(self.int(1...3)))) : .string(self.pick(["u", "a", "b"]))
    }
}
