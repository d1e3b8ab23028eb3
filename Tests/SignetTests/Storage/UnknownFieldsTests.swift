// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@testable import Signet

/// The fields of a newer version in a record of this one.
@Suite struct UnknownFieldsTests {
    /// A record of this version.
    private struct Known: RecordFields, Hashable {
        var name = "a"
        var count: Int?
        var unknown = UnknownFields()

        func encode(into encoder: inout RecordEncoder) {
            encoder.write("name", self.name)
            encoder.write("count", self.count)
            encoder.write(self.unknown)
        }

        init() {}

        init(from decoder: inout RecordDecoder) throws(RecordDamage) {
            self.name = try decoder.read("name")
            self.count = try decoder.optional("count")
            self.unknown = try decoder.unread()
        }
    }

    private static func read(_ body: (inout RecordEncoder) -> Void) throws -> Known {
        var encoder = RecordEncoder(version: 1, reservingCapacity: 0)
        body(&encoder)
        var decoder = try RecordDecoder(record: encoder.finish())
        return try Known(from: &decoder)
    }

    private static func bytes(_ record: Known) -> [UInt8] {
        var encoder = RecordEncoder(version: 1, reservingCapacity: 0)
        record.encode(into: &encoder)
        return encoder.finish()
    }

    @Test func aRecordOfThisVersionHasNone() throws {
        let read = try Self.read {
            $0.write("count", 3)
            $0.write("name", "b")
        }
        #expect(read.unknown.isEmpty && read.count == 3 && read.name == "b")
    }

    @Test func theyStayByteForByteWhereverTheyStand() throws {
        let long = String(repeating: "n", count: 40)
        var read = try Self.read {
            $0.write("first", ["x": AttributeValue.double(0.5)])
            $0.write("count", 3)
            $0.write("middle", flag: true)
            $0.write(key: long, [[1], [2, 300]])
            $0.write("name", "b")
            $0.write("last", bytes: [0, 255])
        }
        let fields = UnknownFields.made {
            $0.write("first", ["x": AttributeValue.double(0.5)])
            $0.write("middle", flag: true)
            $0.write(key: long, [[1], [2, 300]])
            $0.write("last", bytes: [0, 255])
        }
        #expect(read.unknown == fields)
        (read.name, read.count) = ("changed", nil)
        var decoder = try RecordDecoder(record: Self.bytes(read))
        let again = try Known(from: &decoder)
        #expect(again == read)
        // The newer version finds its own.
        #expect(try decoder.bytes("last") == [0, 255])
        #expect(try decoder.flag("middle"))
    }

    @Test func thoseThatNameAnErasedUserGo() {
        var fields = UnknownFields.made {
            $0.write("friend", IdentityFixture.mpid(7))
            $0.write("text", "user 7")
            $0.write("deep", [["x": [7]]])
            $0.write("other", IdentityFixture.mpid(8))
            $0.write("number", 77)
        }
        #expect(fields.named.isSuperset(of: [IdentityFixture.mpid(7), IdentityFixture.mpid(8)]))
        let isNamed = [fields.forget(IdentityFixture.mpid(7)), fields.forget(IdentityFixture.mpid(7))]
        #expect(isNamed == [true, false])
        #expect(
            fields
                == .made {
                    $0.write("other", IdentityFixture.mpid(8))
                    $0.write("number", 77)
                }
        )
    }

    @Test func aRecordOfMoreThan64FieldsIsDamage() throws {
        func record(_ count: Int) throws -> Known {
            try Self.read { encoder in
                encoder.write("name", "b")
                for number in 1..<count { encoder.write(key: "f\(number)", number) }
            }
        }
        #expect(try !record(64).unknown.isEmpty)
        #expect(throws: RecordDamage.self) { try record(65) }
    }

    @Test func anInstallationOfANewerVersionKeepsThem() throws {
        var state = IdentityFixture.state()
        state.unknown = .made { $0.write("later", 1) }
        state.directory.entries[IdentityFixture.mpid(1)]?.unknown = .made { $0.write("later", "of the user") }
        #expect(try IdentityState(decoding: state.encoded()) == state)
        // With the user, what is said of them goes.
        state.unknown = .made { $0.write("best", IdentityFixture.mpid(1)) }
        let isKnown = state.forget(IdentityFixture.mpid(1), upTo: 0, now: 0)
        #expect(isKnown && state.unknown.isEmpty)
    }
}

extension UnknownFields {
    /// Fields as a newer version writes them.
    static func made(_ body: (inout RecordEncoder) -> Void) -> UnknownFields {
        var encoder = RecordEncoder(version: 1, reservingCapacity: 0)
        body(&encoder)
        var fields = UnknownFields()
        fields.add(encoder.finish().dropFirst().dropLast())
        return fields
    }
}
