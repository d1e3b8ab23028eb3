// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct JSONValueTests {
    private static let values: [JSONValue] = [nil, true, 1, "x", [1], ["a": 1]]

    @Test func eachValueIsOneThingOnly() {
        for (index, value) in Self.values.enumerated() {
            #expect(value.isNull == (index == 0))
            #expect((value.bool != nil) == (index == 1))
            #expect((value.number != nil) == (index == 2))
            #expect((value.string != nil) == (index == 3))
            #expect((value.array != nil) == (index == 4))
            #expect((value.object != nil) == (index == 5))
            #expect((value["a"] != nil) == (index == 5))
            #expect(Self.values.filter { $0 == value }.count == 1)
        }
    }

    @Test func whatIsInsideComesOut() {
        #expect(JSONValue.bool(false).bool == false)
        #expect(Self.values[2].number?.int64 == 1)
        #expect(Self.values[3].string == "x")
        #expect(Self.values[4].array == [1])
        #expect(Self.values[5].object == ["a": 1])
        #expect(Self.values[5]["b"] == nil)
    }

    @Test func membersOfMembersAreFound() {
        let value: JSONValue = ["a": ["b": [nil, ["c": "d"]]]]
        #expect(value["a"]?["b"]?.array?.last?["c"] == "d")
        #expect(value["a"]?["x"]?["c"] == nil)
    }

    @Test func aValueIsEncodedWithoutWhiteSpace() {
        let value: JSONValue = ["b": [1, -2.5, true, nil, "x\n"], "a": [:], "c": []]
        #expect(String(decoding: value.encoded(), as: UTF8.self) == #"{"b":[1,-2.5,true,null,"x\n"],"a":{},"c":[]}"#)
    }

    @Test func anEncodedValueReadsBackEqual() throws {
        for value in Self.values + [.array(Self.values)] {
            #expect(try JSONReader.read(value.encoded()) == value)
        }
    }

    /// As the names of members: one in two code points is not one in one.
    @Test func textIsEqualByItsBytes() {
        let (one, two): (JSONValue, JSONValue) = ("caf\u{E9}", "cafe\u{301}")
        #expect(one != two && one == "caf\u{E9}" && Set([one, two, one]).count == 2)
        #expect(JSONValue.array([one]) != .array([two]))
        // Each of these took seconds.
        let marks = (0..<8).map { JSONValue.string("a" + String(repeating: "\u{301}\u{316}", count: 40_000 + $0)) }
        #expect(Set(marks + marks).count == 8)
    }
}
