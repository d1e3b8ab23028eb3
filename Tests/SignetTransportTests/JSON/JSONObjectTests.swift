// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct JSONObjectTests {
    /// Few members are searched, many are indexed: everything must hold on both sides of the border.
    private static let counts = [0, 1, 2, 11, 12, 13, 14, 100]

    private static func object(_ count: Int) -> JSONObject {
        var object = JSONObject()
        for number in 0..<count {
            object["key\(number)"] = .number(JSONNumber(Int64(number)))
        }
        return object
    }

    @Test(arguments: Self.counts)
    func membersKeepTheirOrderAndAreFound(count: Int) {
        let object = Self.object(count)
        #expect(object.count == count)
        #expect(object.isEmpty == (count == 0))
        #expect(object.keys == (0..<count).map { "key\($0)" })
        #expect(object.map(\.key) == object.keys)
        #expect(object.map(\.value) == (0..<count).map { .number(JSONNumber(Int64($0))) })
        for number in 0..<count {
            #expect(object["key\(number)"]?.number?.int64 == Int64(number))
        }
        #expect(object["key"] == nil)
        #expect(object[""] == nil)
    }

    @Test(arguments: Self.counts)
    func settingAMemberAgainKeepsItsPlace(count: Int) {
        var object = Self.object(count)
        for number in 0..<count {
            object["key\(number)"] = "new"
        }
        #expect(object.keys == Self.object(count).keys)
        #expect(object.allSatisfy { $0.value == "new" })
    }

    @Test(arguments: Self.counts)
    func settingNilRemovesAndLeavesTheOthersInOrder(count: Int) {
        for removed in 0..<count {
            var object = Self.object(count)
            object["key\(removed)"] = nil
            #expect(object.keys == (0..<count).filter { $0 != removed }.map { "key\($0)" })
            #expect(object["key\(removed)"] == nil)
            #expect(object["key\(count - 1)"]?.number?.int64 == (removed == count - 1 ? nil : Int64(count - 1)))
            object["key\(removed)"] = "back"
            #expect(object.keys.last == "key\(removed)")
            #expect(object.count == count)
            #expect(object["key\(removed)"] == "back")
        }
        var object = Self.object(count)
        object["none"] = nil
        #expect(object == Self.object(count))
    }

    @Test func nullIsAValueAndNilIsNone() {
        var object: JSONObject = ["a": .null]
        #expect(object["a"] == .some(.null))
        #expect(object.count == 1)
        object["a"] = nil
        #expect(object.isEmpty)
    }

    @Test(arguments: Self.counts)
    func theOrderDoesNotMatterForEquality(count: Int) {
        var reversed = JSONObject()
        for (key, value) in Array(Self.object(count)).reversed() {
            reversed[key] = value
        }
        #expect(reversed == Self.object(count))
        #expect(reversed.hashValue == Self.object(count).hashValue)
        #expect(JSONValue.object(reversed).hashValue == JSONValue.object(Self.object(count)).hashValue)
    }

    @Test(arguments: Self.counts.dropFirst())
    func oneDifferenceMatters(count: Int) {
        var other = Self.object(count)
        other["key\(count - 1)"] = "other"
        #expect(other != Self.object(count))
        other["key\(count - 1)"] = nil
        #expect(other != Self.object(count))
        #expect(Self.object(count) != other)
        other["another"] = .number(JSONNumber(Int64(count - 1)))
        #expect(other != Self.object(count))
    }

    /// Swift calls these equal, JSON does not (RFC 8259, 8.3).
    @Test func namesThatOnlyLookTheSameAreDifferent() throws {
        let text = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        var object = try #require(try JSONReader.read(Array(text.utf8)).object)
        #expect(object["\u{E9}"] == 1)
        #expect(object["e\u{301}"] == 2)
        object["e\u{301}"] = nil
        #expect(object.count == 1)
        #expect(object["\u{E9}"] == 1)
        #expect(object != ["e\u{301}": 1])
    }

    /// All names are canonically equal, and so have one hash as Swift strings: a table keyed by them would go quadratic.
    @Test func thousandsOfNamesThatLookTheSameAreKeptApart() throws {
        let names = (0..<4096).map { number in
            (0..<12).map { number >> $0 & 1 == 1 ? "\u{E9}" : "e\u{301}" }.joined()
        }
        #expect(Set(names).count == 1)
        let members = names.enumerated().map { "\"\($1)\":\($0)" }.joined(separator: ",")
        let object = try #require(try JSONReader.read(Array("{\(members)}".utf8)).object)
        #expect(object.count == 4096)
        #expect(names.indices.allSatisfy { object[names[$0]]?.number?.int64 == Int64($0) })
    }

    @Test func ofARepeatedNameInALiteralTheLastWins() {
        let object: JSONObject = ["a": 1, "b": 2, "a": 3]
        #expect(object.keys == ["a", "b"])
        #expect(object["a"] == 3)
    }
}
