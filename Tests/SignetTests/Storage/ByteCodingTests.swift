// SPDX-License-Identifier: Apache-2.0

import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite struct ByteCodingTests {
    @Test func whatIsWrittenIsRead() {
        var writer = ByteWriter()
        writer.write(UInt8(7))
        writer.write(Int64.min)
        writer.write(UInt64.max)
        writer.write("é\u{0}\u{1F36A}")
        writer.write("")
        writer.write(raw: [1, 2, 3])
        var reader = ByteReader(writer.bytes)
        #expect(reader.read(UInt8.self) == 7)
        #expect(reader.read(Int64.self) == .min)
        #expect(reader.read(UInt64.self) == .max)
        #expect(reader.readText() == "é\u{0}\u{1F36A}")
        #expect(reader.readText()?.isEmpty == true)
        #expect(Array(reader.rest) == [1, 2, 3])
        #expect(reader.read(UInt32.self) == nil)
        #expect(reader.read(count: 4) == nil)
        #expect(reader.read(count: 3).map(Array.init) == [1, 2, 3])
        #expect(reader.read(count: 0)?.isEmpty == true)
        #expect(reader.read(count: -1) == nil)
    }

    @Test func numbersAreLittleEndian() {
        var writer = ByteWriter()
        writer.write(UInt32(0x0102_0304))
        #expect(writer.bytes == [4, 3, 2, 1])
    }

    @Test func aTextThatIsNoUTF8IsNone() {
        var reader = ByteReader([2, 0, 0xC3, 0x28])
        #expect(reader.readText() == nil)
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
