// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct RecordCodingTests {
    private static func decoder(_ body: (inout RecordEncoder) -> Void) throws -> RecordDecoder {
        try RecordDecoder(record: Self.bytes(body))
    }

    private static func bytes(_ body: (inout RecordEncoder) -> Void) -> [UInt8] {
        var encoder = RecordEncoder(version: 1, reservingCapacity: 0)
        body(&encoder)
        return encoder.finish()
    }

    @Test func valuesComeBack() throws {
        let id = UUID()
        let long = String(repeating: "n", count: 300)
        var decoder = try Self.decoder {
            for (name, number) in [("a", .min), ("b", .max), ("c", 0), ("d", -1)] as [(StaticString, Int64)] {
                $0.write(name, number)
            }
            $0.write("all", UInt64.max)
            $0.write("text", "é\u{0}\u{1F36A}")
            $0.write("empty", "")
            $0.write("id", id)
            $0.write("list", [[1], [], [2, 3]])
            $0.write("map", ["": true, long: false])
            $0.write("raw", bytes: [1, 2, 3])
        }
        #expect(
            try [decoder.read("a"), decoder.read("b"), decoder.read("c"), decoder.read("d")] == [.min, .max, 0, -1]
        )
        #expect(try decoder.read("all") == UInt64.max)
        #expect(try decoder.read("text") == "é\u{0}\u{1F36A}")
        #expect(try decoder.read("empty") == "")
        #expect(try decoder.read("id") == id)
        #expect(try decoder.read("list") == [[1], [], [2, 3]])
        #expect(try decoder.read("map") == ["": true, long: false])
        #expect(try decoder.bytes("raw") == [1, 2, 3])
        #expect(try decoder.optional("none") == String?.none)
        // In any order.
        #expect(try decoder.read("a") == Int64.min)
        #expect(throws: RecordDamage.self) { try decoder.read("none") as Int }
        #expect(throws: RecordDamage.self) { try decoder.optional("text") as Int? }
    }

    @Test func aNumberThatDoesNotFitIsDamage() throws {
        var decoder = try Self.decoder { $0.write("n", 65_536) }
        #expect(throws: RecordDamage.self) { try decoder.read("n") as UInt16 }
        #expect(throws: RecordDamage.self) { try decoder.read("n") as UInt8 }
        #expect(try decoder.read("n") as UInt32 == 65_536)
        var negative = try Self.decoder { $0.write("n", -1) }
        #expect(throws: RecordDamage.self) { try negative.read("n") as UInt32 }
    }

    @Test func attributesKeepTheirTypes() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000.25)
        let values: [AttributeValue] = [
            "text", 3, .double(3), true, false, .null, .date(date), ["a", 1, .null, .list([])], .double(-0.0),
        ]
        for value in values {
            var decoder = try Self.decoder { $0.write("v", value) }
            #expect(try decoder.read("v") == value)
        }
    }

    @Test func aFieldHasItsBytes() {
        let bytes = Self.bytes {
            $0.write("on", true)
            $0.write("n", -2)
            $0.write("m", IdentityFixture.mpid(1))
            $0.write("l", ["x"])
        }
        #expect(
            bytes == [1, 0x32, 0x6F, 0x6E, 0x41, 0x6E, 3, 0x51, 0x6D, 1, 0, 0, 0, 0, 0, 0, 0] + [
                0xB1, 0x6C, 3, 0x90, 1, 0x78, 0,
            ]
        )
    }

    @Test func aTextThatIsNoUTF8IsDamage() throws {
        var decoder = try RecordDecoder(record: [1, 0x91, UInt8(ascii: "t"), 2, 0xC3, 0x28, 0])
        #expect(throws: RecordDamage.self) { try decoder.read("t") as String }
    }

    /// Lists inside one another, as deep as the bytes allow, do not exhaust the stack.
    @Test func nestingHasALimit() throws {
        func nested(_ depth: Int) -> [UInt8] {
            var value = AttributeValue.list([])
            for _ in 0..<depth { value = .list([value]) }
            return Self.bytes { $0.write("v", value) }
        }
        var decoder = try RecordDecoder(record: nested(10))
        #expect(throws: Never.self) { try decoder.read("v") as AttributeValue }
        decoder = try RecordDecoder(record: nested(2000))
        #expect(throws: RecordDamage.self) { try decoder.read("v") as AttributeValue }
        #expect(throws: RecordDamage.self) {
            try RecordDecoder.visit(nested(2000), number: { _ in }, text: { _ in })
        }
    }

    @Test func aLengthBeyondTheBytesTakesNoMemory() {
        for length in [[0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [UInt8](repeating: 0xFF, count: 9) + [1], [4]] {
            #expect(throws: RecordDamage.self) { try RecordDecoder(record: [1, 0xA1, 0x62] + length + [1, 2, 0]) }
        }
        #expect(throws: RecordDamage.self) {
            try RecordDecoder(record: [1, 0x41, 0x62] + [UInt8](repeating: 0xFF, count: 30) + [0])
        }
    }

    @Test func aVisitFindsEveryUserAtAnyDepth() throws {
        let users = (1...5).map { IdentityFixture.mpid($0 * 1_000_000_007) }
        let bytes = Self.bytes {
            $0.write("one", users[0])
            $0.write("two", ["list": [[users[1]]]])
            $0.write("three", users[2].rawValue)
            $0.write("four", ["user-\(users[3])"])
            $0.write("five", ["\(users[4])": true])
            $0.write("six", bytes: Array("{\"mpid\":-7}".utf8))
        }
        #expect(MPID.named(in: bytes)?.isSuperset(of: users + [IdentityFixture.mpid(-7)]) == true)
        #expect(MPID.named(in: Array("{\"mpid\":-7}".utf8)) == nil)
    }

    @Test func aUUIDGoesThroughItsBytes() {
        let id = UUID()
        #expect(UUID(bytes: id.bytes) == id)
        #expect(UUID(bytes: id.bytes.dropLast()) == nil)
        #expect(UUID(bytes: id.bytes + [0]) == nil)
    }

    @Test func randomUUIDsAreOfVersionFourAndDiffer() {
        let ids = (0..<1000).map { _ in UUID.random() }
        #expect(Set(ids).count == 1000)
        for id in ids {
            #expect(id.bytes[6] >> 4 == 4)
            #expect(id.bytes[8] >> 6 == 2)
        }
    }
}
