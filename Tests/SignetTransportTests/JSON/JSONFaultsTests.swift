// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

/// Documents of which one part cannot be read.
@Suite struct JSONFaultsTests {
    private func read(_ bytes: [UInt8], depth: Int = 32) throws -> JSONValue {
        try JSONReader.read(bytes, limits: JSONLimits(depth: depth), faults: .leftOut)
    }

    private func read(_ text: String, depth: Int = 32) throws -> JSONValue {
        try self.read(Array(text.utf8), depth: depth)
    }

    @Test(arguments: [
        #""\ud83d""#, #""x\ud83d""#, #""\ude00 y""#, #""\ud83d\ud83d""#, #""\ud83dx""#, #""\x""#, #""\u00zz""#,
        "\"a\u{1}\"",
        #""\ud83d\"quoted\"""#, #""\ud83d\\""#,
    ]) func aTextThatCannotBeReadIsNull(_ text: String) throws {
        let value = try self.read(#"{"a":1,"b":\#(text),"c":[\#(text),2],"d":"e"}"#)
        #expect(value == ["a": 1, "b": nil, "c": [nil, 2], "d": "e"])
        #expect(JSONReaderTests.error(reading: #"{"a":\#(text)}"#)?.code == .invalidText)
    }

    @Test func bytesThatAreNotUTF8AreNull() throws {
        #expect(try self.read([0x5B, 0x22, 0x61, 0xFF, 0x22, 0x2C, 0x31, 0x5D]) == [nil, 1])
    }

    @Test func aMemberWithoutAReadableNameIsLeftOut() throws {
        #expect(try self.read(#"{"a":1,"\ud83d":2,"c":3}"#) == ["a": 1, "c": 3])
    }

    @Test func ofMembersOfOneNameTheLastCounts() throws {
        #expect(try self.read(#"{"a":1,"b":2,"a":3}"#) == ["a": 3, "b": 2])
    }

    @Test func whatIsTooDeepIsNull() throws {
        let text = #"{"a":[[[1,"]"],{"b":"\"}"}]],"c":2}"#
        #expect(try self.read(text, depth: 2) == ["a": [nil], "c": 2])
        #expect(try self.read(text, depth: 1) == ["a": nil, "c": 2])
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(try self.read(#"{"a":\#(deep),"b":1}"#)["b"] == 1)
    }

    @Test func aByteOrderMarkIsSkipped() throws {
        #expect(try self.read([0xEF, 0xBB, 0xBF] + Array("{}".utf8)) == [:])
    }

    /// The form of the document must be right.
    @Test(arguments: [
        "", "{", #"{"a":"\ud83d"#, #"{"a":"\ud83d\"#, #"["\ud83d" 1]"#, "[1,]", "<html>", "{}{}", "[[[[[[", #"[["]]"#,
    ]) func aDocumentOfAWrongFormIsRefused(_ text: String) {
        #expect(throws: JSONError.self) { try self.read(text, depth: 1) }
    }
}
