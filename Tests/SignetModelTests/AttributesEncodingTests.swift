// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date
import struct FoundationEssentials.Decimal
import struct FoundationEssentials.URL

/// Values of the app's own types as attributes.
@Suite struct AttributesEncodingTests {
    private enum Tier: String, Encodable { case gold }

    private struct Level: Encodable {
        var number = 4
        var score = 1.5
        var ratio: Float = 0.1
        var isDone = true
        var title = "Caves"
        var medals = ["a", "b"]
        var tier = Tier.gold
        var at = Date(timeIntervalSince1970: 1_700_000_000)
        var price: Decimal = 12
        var page = URL(string: "https://example.com/a")
        var nothing: Int?
    }

    private struct Address: Encodable { var street = "Main" }
    private struct Person: Encodable {
        var name = "Ann"
        var address = Address()
    }
    private struct Grid: Encodable { var rows = [[1, 2], [3]] }
    private struct Reading: Encodable {
        var values: [Double]
    }
    private struct Named: Encodable {
        var values: [String: Int]
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self.values)
        }
    }
    private struct Late: Encodable {
        private enum Keys: String, CodingKey { case list, after }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try container.encode(1, forKey: .after)
            try list.encode(2)
            try list.encodeNil()
        }
    }
    private struct Refusing: Encodable {
        struct Refusal: Error {}
        func encode(to encoder: any Encoder) throws { throw Refusal() }
    }
    private struct Holder: Encodable { var part = Refusing() }

    private static func failure(_ value: some Encodable) -> AttributeEncodingError? {
        do throws(AttributeEncodingError) {
            _ = try Attributes(encoding: value)
            return nil
        } catch {
            return error
        }
    }

    @Test func propertiesBecomeAttributesInTheirOrder() throws {
        let attributes = try Attributes(encoding: Level())
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        #expect(
            attributes.keys == [
                "number", "score", "ratio", "isDone", "title", "medals", "tier", "at", "price", "page",
            ]
        )
        #expect(
            attributes == [
                "number": 4, "score": 1.5, "ratio": 0.1, "isDone": true, "title": "Caves", "medals": ["a", "b"],
                "tier": "gold", "at": .date(date), "price": 12.0, "page": "https://example.com/a",
            ]
        )
        #expect(try Event.custom("level", encoding: Level()) == .custom("level", attributes: attributes))
        #expect(try Event.screen("level", encoding: ["a": 1]) == .screen("level", attributes: ["a": 1]))
    }

    @Test func containersThatAreFilledLaterCount() throws {
        #expect(try Attributes(encoding: Late()) == ["list": [2, .null], "after": 1])
        #expect(try Attributes(encoding: Named(values: ["a": 1])) == ["a": 1])
    }

    @Test func theErrorNamesThePlaceOfAPartThatIsNoAttribute() throws {
        let person = try #require(Self.failure(Person()))
        #expect(person.reason == .nested && person.keyPath == "address.street")
        let grid = try #require(Self.failure(Grid()))
        #expect(grid.reason == .nested && grid.keyPath == "rows[0]")
        let reading = try #require(Self.failure(Reading(values: [1, .nan])))
        #expect(reading.reason == .notFinite && reading.keyPath == "values[1]")
        let large = try #require(Self.failure(["n": UInt64.max]))
        #expect(large.reason == .outOfRange && large.keyPath == "n")
        let long = try #require(Self.failure([String(repeating: "k", count: 257): 1]))
        #expect(long.reason == .invalidKey)
        #expect(throws: Never.self) { try Attributes(encoding: [String(repeating: "k", count: 256): 1]) }
        #expect(Self.failure(["": 1])?.reason == .invalidKey)
        #expect(Self.failure([1, 2])?.reason == .noNames)
        #expect(Self.failure(3)?.reason == .noNames)
        #expect(person.message.contains("address.street") && !person.message.contains("Main"))
    }

    @Test func theErrorOfTheValueItselfIsKept() throws {
        let failure = try #require(Self.failure(Holder()))
        #expect(failure.reason == .failed && failure.keyPath == "part")
        #expect(failure.cause is Refusing.Refusal)
    }
}
