// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import SignetTransport
import Testing

@Suite struct JSONWriterTests {
    private static func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func commasGoBetweenValuesAndNowhereElse() {
        let text = Self.written { writer in
            writer.beginObject()
            writer.key("a")
            writer.beginArray()
            writer.integer(1)
            writer.string("x")
            writer.beginArray()
            writer.endArray()
            writer.beginObject()
            writer.endObject()
            writer.null()
            writer.bool(false)
            writer.double(0.5)
            writer.raw(Array(#"{"raw":[]}"#.utf8))
            writer.endArray()
            writer.key("b")
            writer.raw(Array("1".utf8))
            writer.key("c")
            writer.beginObject()
            writer.key("d")
            writer.null()
            writer.endObject()
            writer.key("e")
            writer.bool(true)
            writer.endObject()
        }
        #expect(text == #"{"a":[1,"x",[],{},null,false,0.5,{"raw":[]}],"b":1,"c":{"d":null},"e":true}"#)
    }

    @Test func nothingIsWrittenUnasked() {
        #expect(Self.written { _ in } == "")
        #expect(JSONWriter(reservingCapacity: 0).bytes == [])
        #expect(JSONWriter(reservingCapacity: 100_000).bytes == [])
    }

    @Test(arguments: [
        (Int64.min, "-9223372036854775808"), (-10, "-10"), (-1, "-1"), (0, "0"), (9, "9"), (10, "10"),
        (9_007_199_254_740_993, "9007199254740993"), (Int64.max, "9223372036854775807"),
    ])
    func integersAreExact(value: Int64, text: String) {
        #expect(Self.written { $0.integer(value) } == text)
    }

    @Test func everyPowerOfTenAndItsNeighboursAreExact() {
        var power: Int64 = 1
        for _ in 0..<18 {
            power *= 10
            for value in [power - 1, power, power + 1, -power, 1 - power] {
                #expect(Self.written { $0.integer(value) } == String(value))
            }
        }
    }

    @Test(arguments: [
        0, -0.0, 0.1, 1, -1, 100, 1e15, 1e16, 1e22, 123_456_789.123, .leastNonzeroMagnitude, 2.2250738585072014e-308,
        1.0 / 3,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNormalMagnitude, .pi, 1e-5, 9_007_199_254_740_992,
    ])
    func doublesReadBackTheSame(value: Double) throws {
        let text = Self.written { $0.double(value) }
        let read = try #require(try JSONReader.read(Array(text.utf8)).number?.double)
        #expect(read.bitPattern == value.bitPattern)
    }

    @Test(arguments: [Double.nan, -.nan, .signalingNaN, .infinity, -.infinity])
    func whatJSONCannotSayBecomesNull(value: Double) {
        #expect(Self.written { $0.double(value) } == "null")
    }

    @Test func everyControlCharacterIsEscaped() {
        let short: [UInt8: String] = [8: #"\b"#, 9: #"\t"#, 10: #"\n"#, 12: #"\f"#, 13: #"\r"#]
        for byte in UInt8(0)..<0x20 {
            let hexadecimal = Hexadecimal.encode([byte])
            let expected = short[byte] ?? #"\u00\#(hexadecimal)"#
            #expect(Self.written { $0.string("a\(Unicode.Scalar(byte))b") } == "\"a\(expected)b\"")
        }
        #expect(Self.written { $0.string("\"\\") } == #""\"\\""#)
    }

    @Test func everythingElseStaysAsItIs() {
        let text = "/</script>'&\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}\u{FFFD}\u{FFFF}é🙂\u{10FFFF}e\u{301}"
        #expect(Self.written { $0.string(text) } == "\"\(text)\"")
    }

    /// The fast copy moves eight bytes at a time; each special character must be found at each place, next to others too.
    @Test func nothingSpecialIsMissedAtAnyPlace() throws {
        for length in 0...33 {
            for place in 0...length {
                let before = String(repeating: "x", count: place)
                let after = String(repeating: "é", count: (length - place) / 2)
                for special in ["\"", "\\", "\u{0}", "\u{1F}", "\"\\", "\n\"x\"", "\u{1}\u{1}"] {
                    let text = before + special + after
                    let bytes = Array(Self.written { $0.string(text) }.utf8)
                    #expect(bytes.allSatisfy { $0 >= 0x20 })
                    #expect(try JSONReader.read(bytes) == .string(text))
                }
            }
        }
    }

    /// A growing text crosses every border of the room that was made before.
    @Test(arguments: [0, 1, 63, 64, 65, 256])
    func theRoomGrowsWithWhatIsWritten(capacity: Int) throws {
        for length in stride(from: 0, to: 400, by: TestScale.count(quick: 13, full: 3)) {
            let plain = String(repeating: "a", count: length)
            let worst = String(repeating: "\u{1}", count: length)
            let bytes = Array(plain.utf8)
            var writer = JSONWriter(reservingCapacity: capacity)
            writer.beginArray()
            writer.string(plain)
            writer.string(worst)
            writer.integer(.min)
            writer.raw([0x22] + bytes + [0x22])
            writer.beginObject()
            writer.member(plain, worst)
            writer.endObject()
            writer.endArray()
            let expected: JSONValue = [.string(plain), .string(worst), -9_223_372_036_854_775_808, .string(plain)]
            let read = try #require(try JSONReader.read(writer.bytes).array)
            #expect(Array(read.prefix(4)) == expected.array)
            #expect(read.last?[plain] == .string(worst))
        }
    }

    @Test func theCountIsThatOfTheBytes() {
        var writer = JSONWriter()
        #expect(writer.count == 0)
        writer.beginArray()
        writer.string("é\n")
        writer.integer(-1)
        writer.endArray()
        #expect(writer.count == 11)
        #expect(writer.count == writer.bytes.count)
    }

    @Test func aCopyOfAWriterGoesItsOwnWay() {
        var first = JSONWriter()
        first.beginArray()
        first.integer(1)
        var second = first
        first.integer(2)
        second.integer(3)
        first.endArray()
        second.endArray()
        #expect(first.bytes == Array("[1,2]".utf8))
        #expect(second.bytes == Array("[1,3]".utf8))
    }
}
