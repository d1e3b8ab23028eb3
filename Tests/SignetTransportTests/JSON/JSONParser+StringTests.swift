// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct JSONParserStringTests {
    private static func read(_ text: String) throws(JSONError) -> String? {
        try JSONReader.read(Array(text.utf8)).string
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
        (#""\u0000""#, "\u{0}"),
        (#""\u0041\u00e9\u00E9\u20AC\uffff""#, "Aéé€\u{FFFF}"),
        (#""\ud83d\ude42 \uD83D\uDE42""#, "🙂 🙂"),
        (#""\ud800\udc00\udbff\udfff""#, "\u{10000}\u{10FFFF}"),
        (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"),
        ("\"\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}\u{FFFE}\"", "\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}\u{FFFE}"),
        ("\"</script>'/\"", "</script>'/"),
        (#""\\u0041""#, #"\u0041"#),
        (#""e\u0301""#, "e\u{301}"),
        ("\"\u{10FFFF}\"", "\u{10FFFF}"),
    ])
    func charactersAndEscapesAreRead(text: String, expected: String) throws {
        let value = try #require(try Self.read(text))
        #expect(Array(value.unicodeScalars) == Array(expected.unicodeScalars))
    }

    /// The fast scan looks at eight bytes at a time; each kind of special byte must be found at each place.
    @Test func nothingSpecialIsMissedAtAnyPlace() throws {
        for length in 0...33 {
            for place in 0...length {
                let before = String(repeating: "x", count: place)
                let after = String(repeating: "y", count: length - place)
                #expect(try Self.read("\"\(before)\\\"\(after)\"") == "\(before)\"\(after)")
                #expect(try Self.read("\"\(before)\\\\\(after)\"") == "\(before)\\\(after)")
                #expect(try Self.read("\"\(before)\\u000a\(after)\"") == "\(before)\n\(after)")
                #expect(try Self.read("\"\(before)é\(after)\"") == "\(before)é\(after)")
                let error = JSONReaderTests.error(reading: "\"\(before)\u{1F}\(after)\"")
                #expect(error?.code == .invalidText)
                #expect(error?.offset == 1 + place)
            }
        }
    }

    @Test func everyRawControlCharacterIsRefused() {
        for byte in UInt8(0)..<0x20 {
            for text in [[byte], Array("ab".utf8) + [byte], Array("abcdefghij\\n".utf8) + [byte]] {
                let error = JSONReaderTests.error(reading: [0x22] + text + [0x22])
                #expect(error?.code == .invalidText, "byte \(byte)")
                #expect(error?.offset == text.count)
            }
            #expect(JSONReaderTests.error(reading: Array("{\"a".utf8) + [byte] + Array("\":1}".utf8))?.offset == 3)
        }
    }

    @Test(arguments: [
        (#""\ud800""#, 1), (#""\udbff""#, 1), (#""\udc00""#, 1), (#""\udfff""#, 1), (#""a\ud800b""#, 2),
        (#""\ud800\ud800""#, 1), (#""\ud800\u0041""#, 1), (#""\ud83d\n""#, 1), (#""\ud83d\\ude42""#, 1),
        (#""\udc00\ud800""#, 1), (#""\ud83d \ude42""#, 1), (#""\ud83dude42""#, 1), (#"["\ud83d\ude42\ud83d"]"#, 14),
        (#"{"\ud800":1}"#, 2), (#""\udc00"#, 1),
    ])
    func halfOfASurrogatePairIsRefused(text: String, offset: Int) {
        let error = JSONReaderTests.error(reading: text)
        #expect(error?.code == .invalidText)
        #expect(error?.offset == offset)
    }

    @Test(arguments: [
        (#""\a""#, 1), (#""\'""#, 1), (#""\0""#, 1), (#""\x41""#, 1), (#""\U0041""#, 1), (#""ab\ ""#, 3),
        ("\"\\\n\"", 1), (#""\é""#, 1), (#""\v""#, 1), (#""\N""#, 1), (#""\u{41}""#, 3), (#""\u004""#, 6),
        (#""\u 041""#, 3), (#""\u+041""#, 3), (#""\u-041""#, 3), (#""\u00g0""#, 5), (#""\u００41""#, 3),
        (#""\ud83d\ude4""#, 12), (#""\ud83d\uzzzz""#, 9), (#""\u0x41""#, 4),
    ])
    func otherEscapesAreRefused(text: String, offset: Int) {
        let error = JSONReaderTests.error(reading: text)
        #expect(error?.code == .invalidText)
        #expect(error?.offset == offset)
    }

    struct BadBytes: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]

        init(_ name: String, _ bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }

        var testDescription: String {
            self.name
        }
    }

    @Test(arguments: [
        BadBytes("a lone continuation", [0x80]),
        BadBytes("the last continuation", [0xBF]),
        BadBytes("two bytes, cut", [0xC3]),
        BadBytes("three bytes, cut", [0xE2, 0x82]),
        BadBytes("four bytes, cut", [0xF0, 0x9F, 0x99]),
        BadBytes("an overlong slash of two bytes", [0xC0, 0xAF]),
        BadBytes("an overlong zero", [0xC0, 0x80]),
        BadBytes("an overlong letter", [0xC1, 0x81]),
        BadBytes("an overlong slash of three bytes", [0xE0, 0x80, 0xAF]),
        BadBytes("an overlong slash of four bytes", [0xF0, 0x80, 0x80, 0xAF]),
        BadBytes("a first surrogate", [0xED, 0xA0, 0x80]),
        BadBytes("a second surrogate", [0xED, 0xBF, 0xBF]),
        BadBytes("CESU-8", [0xED, 0xA0, 0xBD, 0xED, 0xB9, 0x82]),
        BadBytes("beyond U+10FFFF", [0xF4, 0x90, 0x80, 0x80]),
        BadBytes("a lead byte that is none", [0xF5, 0x80, 0x80, 0x80]),
        BadBytes("five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80]),
        BadBytes("FE", [0xFE]),
        BadBytes("FF", [0xFF]),
        BadBytes("Latin-1", [0xE9, 0x20]),
    ])
    func badUTF8IsRefusedAtItsPlace(bad: BadBytes) {
        let good = Array("aé€🙂".utf8)
        for before in [[], good, good + Array(#"\n"#.utf8), Array(#"\ud83d\ude42"#.utf8) + good] {
            for after in [[], good, Array(#"\n"#.utf8) + good, Array(#"\u0080"#.utf8)] {
                let error = JSONReaderTests.error(reading: [0x22] + before + bad.bytes + after + [0x22])
                #expect(error?.code == .invalidText)
                #expect(error?.offset == 1 + before.count)
            }
        }
    }

    @Test func namesAreCheckedLikeOtherStrings() {
        #expect(JSONReaderTests.error(reading: Array("{\"".utf8) + [0xFF] + Array("\":1}".utf8))?.offset == 2)
    }
}
