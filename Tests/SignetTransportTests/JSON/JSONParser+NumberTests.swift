// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct JSONParserNumberTests {
    @Test(arguments: [
        "0", "-0", "1", "-1", "10", "1234567890", "0.0", "-0.0", "0.5", "1.25", "100.001", "1e0", "1E0", "1e+0", "1e-0",
        "0e5", "0.0e00", "1.5E-10", "1e0005", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "18446744073709551615", "9007199254740993", "1e999", "-1e999", "1e-999", "1e99999999999999999999",
        "0.1000000000000000055511151231257827",
    ])
    func aNumberKeepsItsText(text: String) throws {
        #expect(try JSONReader.read(Array(text.utf8)).number?.text == text)
        let value = try JSONReader.read(Array(" [\(text) ,{\"a\":\(text)}]".utf8))
        #expect(String(decoding: value.encoded(), as: UTF8.self) == "[\(text),{\"a\":\(text)}]")
    }

    @Test func aNumberOfAMillionDigitsIsReadAndDoesNotTrap() throws {
        let text = String(repeating: "9", count: 1_000_000)
        let number = try #require(try JSONReader.read(Array(text.utf8)).number)
        #expect(number.text.utf8.count == 1_000_000)
        #expect(number.int64 == nil)
        #expect(number.double == nil)
    }

    @Test(arguments: [
        ("00", 1), ("01", 1), ("-01", 2), ("007", 1), ("-00", 2), ("00.5", 1), ("1.e5", 2), ("1.a", 2), (".5", 0),
        ("-.5", 1), ("+1", 0), ("--1", 1), ("-+1", 1), ("- 1", 1), ("-a", 1), ("1e 5", 2), ("1e+-5", 3), ("1ee5", 2),
        ("1e5.5", 3), ("1e5e5", 3), ("1.2.3", 3), ("0x10", 1), ("0b1", 1), ("0o7", 1), ("1_000", 1), ("1,000", 1),
        ("1f", 1), ("1n", 1), ("1 .5", 2), ("٥", 0), ("１", 0), ("1٥", 1), ("-Infinity", 1), ("-NaN", 1), ("1e∞", 2),
        ("1.5e", 4), ("½", 0), ("-", 1), ("−1", 0), ("1-", 1), ("1-1", 1), ("0-", 1),
    ])
    func otherSpellingsAreRefusedAtTheirPlace(text: String, offset: Int) {
        let error = JSONReaderTests.error(reading: text)
        #expect(error?.offset == offset)
        #expect(error.map { $0.code == .invalidSyntax || $0.code == .truncated } == true)
        #expect(JSONReaderTests.error(reading: "[\(text)]") != nil || text == "1,000")
    }

    @Test func aLeadingZeroIsNamed() {
        #expect(JSONReaderTests.error(reading: "[007]")?.message == "a number has a leading zero")
    }
}
