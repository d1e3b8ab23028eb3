// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@testable import SignetInfobip

@Suite struct InfobipDeltaTests {
    /// A member before and after, as JSON text, and what is sent of it; nil is a member that is not there.
    struct Row: Sendable, CustomTestStringConvertible {
        let current: JSONValue?
        let edited: JSONValue?
        let delta: JSONValue?

        var testDescription: String {
            [self.current, self.edited, self.delta].map { value in
                value.map { String(decoding: $0.encoded(), as: UTF8.self) } ?? "-"
            }.joined(separator: " | ")
        }
    }

    // The table of the vendor's client, in its order. Two rows are ours, see below.
    private static let table: [Row] = [
        Row(current: .null, edited: .null, delta: nil),
        Row(current: "1", edited: .null, delta: .null),
        Row(current: .null, edited: "1", delta: "1"),
        Row(current: "1", edited: "1", delta: nil),
        Row(current: "1", edited: "2", delta: "2"),
        Row(current: "1", edited: nil, delta: nil),
        Row(current: ["x": 1, "y": 2], edited: ["x": 1], delta: nil),
        Row(current: ["x": 1, "y": 2], edited: ["x": 5, "y": nil], delta: ["x": 5, "y": nil]),
        Row(current: ["x": 1], edited: [:], delta: [:]),
        Row(current: [:], edited: [:], delta: nil),
        Row(current: .null, edited: ["x": 1], delta: ["x": 1]),
        Row(current: .null, edited: [:], delta: [:]),
        Row(current: ["x": 1], edited: .null, delta: .null),
        Row(current: ["y": nil], edited: ["y": nil], delta: nil),
        Row(current: ["a", "b"], edited: ["b", "a"], delta: ["b", "a"]),
        Row(current: ["a"], edited: [], delta: []),
        Row(current: [["a": 1]], edited: [["a": 2]], delta: [["a": 2]]),
        Row(current: 10, edited: 10.0, delta: nil),
        // There, boxed numbers compare equal, and a change from 1 to true is lost; here it is sent.
        Row(current: 1, edited: true, delta: true),
        // There, a null is sent, and the object is lost; here the object is sent.
        Row(current: "s", edited: ["x": 1], delta: ["x": 1]),
        Row(current: ["x": 1, "y": [1]], edited: ["x": 1, "y": [1]], delta: nil),
    ]

    @Test(arguments: table)
    func theDeltaIsThatOfTheTable(row: Row) {
        var current = JSONObject()
        var edited = JSONObject()
        var delta = JSONObject()
        current["k"] = row.current
        edited["k"] = row.edited
        delta["k"] = row.delta
        #expect(InfobipDelta.between(current, edited) == delta)
        // What is not there is as good as a null.
        if row.current == JSONValue.null {
            #expect(InfobipDelta.between([:], edited) == delta)
        }
    }

    @Test func theTableIsWhole() {
        // The 22nd row is about whole objects.
        #expect(Self.table.count + 1 == 22)
        #expect(InfobipDelta.between([:], [:]).isEmpty)
        #expect(InfobipDelta.between([:], ["k": []]) == ["k": []])
    }

    @Test func whatIsSentMakesTheCurrentObjectTheEditedOne() {
        var generator = SeededGenerator(defaultSeed: UInt64.random(in: 0...9999))
        print("ProfileDeltaTests: SIGNET_SEED=\(generator.seed)")
        let values: [JSONValue] = [1, 1.0, true, "a", nil, [], ["a"], ["b", "a"], [["x": 1]]]
        func object() -> JSONObject {
            var object = JSONObject()
            for key in ["p", "q", "r"] where Bool.random(using: &generator) {
                object[key] = values.randomElement(using: &generator)
            }
            return object
        }
        for _ in 0..<2000 {
            var current = object()
            current["c"] = .object(object())
            var edited = object()
            edited["c"] = .object(object())
            let delta = InfobipDelta.between(current, edited)
            let result = Self.apply(delta, to: current)
            #expect(
                InfobipDelta.between(result, edited) == (edited["c"] == [:] && result["c"] != [:] ? ["c": [:]] : [:])
            )
            // Members that the edited object does not name stay.
            for (key, value) in current where edited[key] == nil {
                #expect(result[key] == value)
            }
        }
    }

    // As the service does it: an object takes members over, anything else takes the place.
    private static func apply(_ delta: JSONObject, to current: JSONObject) -> JSONObject {
        var result = current
        for (key, value) in delta {
            if let members = value.object, let known = result[key]?.object {
                result[key] = .object(Self.apply(members, to: known))
            } else {
                result[key] = value
            }
        }
        return result
    }
}
