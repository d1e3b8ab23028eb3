// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct JSONValueLiteralsTests {
    @Test func everyKindOfLiteralIsAValue() {
        let value: JSONValue = [
            "s": "x", "i": -9_223_372_036_854_775_808, "d": 0.1, "b": false, "n": nil, "a": [1, []],
        ]
        #expect(value["s"] == .string("x"))
        #expect(value["i"] == .number(JSONNumber(Int64.min)))
        #expect(value["d"]?.number?.text == "0.1")
        #expect(value["b"] == .bool(false))
        #expect(value["n"] == .some(.null))
        #expect(value["a"] == .array([.number(JSONNumber(1)), .array([])]))
        #expect(value.object?.keys == ["s", "i", "d", "b", "n", "a"])
    }

    @Test func aWholeFloatLiteralKeepsItsPoint() {
        #expect((1.0 as JSONValue).number?.text == "1.0")
    }

    @Test func anInfiniteFloatIsNull() {
        #expect(JSONValue(floatLiteral: .infinity).isNull)
        #expect(JSONValue(floatLiteral: .nan).isNull)
    }

    @Test func ofARepeatedNameTheLastWins() {
        #expect((["a": 1, "a": 2] as JSONValue) == ["a": 2])
    }
}
