// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct JSONReaderTests {
    static func error(reading bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError? {
        do {
            _ = try JSONReader.read(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    static func error(reading text: String, limits: JSONLimits = JSONLimits()) -> JSONError? {
        Self.error(reading: Array(text.utf8), limits: limits)
    }

    @Test func aDocumentComesBackAsItWasWritten() throws {
        let text = #"{"a":[1,-2.50e+3,true,false,null,{},[]],"b":"x\"\\\u0000é🙂","mpid":12345678901234567890}"#
        let value = try JSONReader.read(Array(text.utf8))
        #expect(String(decoding: value.encoded(), as: UTF8.self) == text)
        #expect(value["mpid"]?.number?.text == "12345678901234567890")
        #expect(value["b"] == "x\"\\\u{0}é🙂")
    }

    private static let kinds: [(String, JSONValue)] = [
        ("null", nil), ("true", true), ("false", false), ("0", 0), ("\"\"", ""), ("[]", []), ("{}", [:]),
        (" \n\r\t[ \n\r\t1 \n\r\t, \n\r\t2 \n\r\t] \n\r\t", [1, 2]),
        (" { \"a\" : 1 , \"b\" : { } } ", ["a": 1, "b": [:]]),
        (#"{"":0," ":1}"#, ["": 0, " ": 1]),
    ]

    @Test(arguments: Self.kinds)
    func everyKindOfValueIsRead(text: String, value: JSONValue) throws {
        #expect(try JSONReader.read(Array(text.utf8)) == value)
    }

    @Test(arguments: [
        ("", 0), (" ", 1), ("[", 1), ("[1", 2), ("[1,", 3), ("{", 1), (#"{"a""#, 4), (#"{"a":"#, 5), (#"{"a":1"#, 6),
        (#"{"a":1,"#, 7), ("\"", 1), ("\"a", 2), (#""\"#, 2), (#""\u"#, 3), (#""\u00"#, 5), (#""\ud83d"#, 7),
        (#""\ud83d\"#, 8), (#""\ud83d\ude"#, 11), ("t", 1), ("tru", 3), ("nul", 3), ("-", 1), ("1.", 2), ("1e", 2),
        ("1e+", 3), ("[[[[", 4),
    ])
    func aDocumentThatEndsTooEarlySaysSo(text: String, offset: Int) {
        let error = Self.error(reading: text)
        #expect(error?.code == .truncated)
        #expect(error?.offset == offset)
    }

    @Test(arguments: [
        ("[1,]", 3), (#"{"a":1,}"#, 7), ("[,1]", 1), ("[,]", 1), ("[1,,2]", 3), ("{,}", 1), ("[1 2]", 3), ("]", 0),
        ("}", 0), (",", 0), (":", 0), ("[1}", 2), (#"{"a":1]"#, 6), (#"{"a" 1}"#, 5), (#"{"a",1}"#, 4), ("{1:1}", 1),
        ("{a:1}", 1), ("{'a':1}", 1), ("{null:1}", 1), (#"{"a"::1}"#, 5), (#"{"a":}"#, 5), ("['a']", 1), ("1 2", 2),
        ("[] []", 3), ("{}{}", 2), ("[]]", 2), ("null,", 4), ("nulll", 4), ("truefalse", 4), ("True", 0), ("NULL", 0),
        ("nil", 1), ("undefined", 0), ("NaN", 0), ("nan", 1), ("Infinity", 0), ("-Infinity", 1), ("inf", 0),
        ("[1]//x", 3), ("/**/1", 0), ("#x", 0), ("[1]\u{0}", 3), ("\u{0}", 0), ("\u{B}1", 0), ("\u{C}1", 0),
        ("\u{A0}1", 0), ("\u{2028}1", 0), ("1\u{3000}", 1), ("(1)", 0), ("<html>", 0), ("\u{1B}", 0), ("+1", 0),
    ])
    func whatTheGrammarDoesNotAllowIsRefusedAtItsPlace(text: String, offset: Int) {
        let error = Self.error(reading: text)
        #expect(error?.code == .invalidSyntax)
        #expect(error?.offset == offset)
    }

    @Test func otherEncodingsThanPlainUTF8AreRefused() {
        #expect(Self.error(reading: [0xEF, 0xBB, 0xBF] + Array("{}".utf8))?.offset == 0)
        for isLittleEndian in [true, false] {
            let units = "{\"a\":1}".utf16.flatMap { unit in
                let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                return isLittleEndian ? pair.reversed() : pair
            }
            #expect(Self.error(reading: units)?.code == .invalidSyntax)
            let mark: [UInt8] = isLittleEndian ? [0xFF, 0xFE] : [0xFE, 0xFF]
            #expect(Self.error(reading: mark + units)?.code == .invalidSyntax)
        }
        #expect(Self.error(reading: [0x31, 0, 0, 0])?.offset == 1)
    }

    @Test(arguments: [
        (#"{"a":1,"a":1}"#, 7), (#"{"a":1, "b":2, "a":3}"#, 15), (#"{"":1,"":2}"#, 6), (#"{"a":1,"\u0061":2}"#, 7),
        (#"[{"mpid":1,"mpid":2}]"#, 11), (#"{"a":{"b":1,"b":2}}"#, 12),
    ])
    func twoMembersOfOneNameAreRefused(text: String, offset: Int) {
        let error = Self.error(reading: text)
        #expect(error?.code == .duplicateKey)
        #expect(error?.offset == offset)
    }

    @Test func theSameNameMayStandInTwoObjects() {
        #expect(Self.error(reading: #"[{"a":{"a":1}},{"a":2}]"#) == nil)
    }

    @Test func aRepeatedNameAmongThousandsIsFound() {
        let members = (0..<10_000).map { "\"key\($0)\":\($0)" }
        #expect(Self.error(reading: "{\(members.joined(separator: ","))}") == nil)
        for repeated in [0, 11, 12, 13, 5000, 9999] {
            let text = "{\((members + ["\"key\(repeated)\":0"]).joined(separator: ","))}"
            #expect(Self.error(reading: text)?.code == .duplicateKey)
        }
    }

    @Test(arguments: ["[", "{\"a\":"])
    func nestingHasAnEnd(opening: String) {
        let close = opening == "[" ? "]" : "}"
        func nested(_ depth: Int) -> String {
            String(repeating: opening, count: depth - 1) + (opening == "[" ? "[]" : "{}")
                + String(repeating: close, count: depth - 1)
        }
        #expect(Self.error(reading: nested(32)) == nil)
        #expect(Self.error(reading: nested(33))?.code == .tooDeep)
        #expect(Self.error(reading: nested(33))?.offset == 32 * opening.utf8.count)
        #expect(Self.error(reading: nested(2), limits: JSONLimits(depth: 1))?.code == .tooDeep)
        #expect(Self.error(reading: nested(1), limits: JSONLimits(depth: 0))?.code == .tooDeep)
        #expect(Self.error(reading: "1", limits: JSONLimits(depth: 0)) == nil)
        #expect(Self.error(reading: nested(512), limits: JSONLimits(depth: 512)) == nil)
        #expect(Self.error(reading: nested(513), limits: JSONLimits(depth: .max))?.code == .tooDeep)
        #expect(Self.error(reading: String(repeating: opening, count: 100_000))?.code == .tooDeep)
    }

    @Test func depthIsNotTheNumberOfBrackets() {
        #expect(Self.error(reading: "[" + String(repeating: "[[]],", count: 1000) + "{}]") == nil)
    }

    @Test func theNumberOfValuesHasAnEnd() {
        func array(_ count: Int) -> String {
            "[" + repeatElement("1", count: count - 1).joined(separator: ",") + "]"
        }
        #expect(Self.error(reading: array(10), limits: JSONLimits(values: 10)) == nil)
        #expect(Self.error(reading: array(11), limits: JSONLimits(values: 10))?.code == .tooManyValues)
        #expect(Self.error(reading: #"{"a":1,"b":[2]}"#, limits: JSONLimits(values: 4)) == nil)
        #expect(Self.error(reading: #"{"a":1,"b":[2]}"#, limits: JSONLimits(values: 3))?.code == .tooManyValues)
        #expect(Self.error(reading: array(100_000)) == nil)
        #expect(Self.error(reading: array(100_001))?.code == .tooManyValues)
    }

    @Test func theNumberOfBytesHasAnEnd() {
        let longest = "\"" + String(repeating: "a", count: (1 << 20) - 2) + "\""
        #expect(Self.error(reading: longest) == nil)
        #expect(Self.error(reading: longest + " ")?.code == .tooLarge)
        #expect(Self.error(reading: longest + " ")?.offset == 1 << 20)
        #expect(Self.error(reading: "10", limits: JSONLimits(bytes: 1))?.code == .tooLarge)
        #expect(Self.error(reading: longest + " ", limits: JSONLimits(bytes: .max)) == nil)
    }

    @Test func theErrorDoesNotRepeatTheDocument() {
        for text in [#"{"hunter2":hunter2}"#, #"{"hunter2":1,"hunter2":2}"#, #"["hunter2\x"]"#, "hunter2"] {
            let error = Self.error(reading: text)
            #expect(error.map { !"\($0)".contains("hunter2") } == true)
        }
        #expect(
            Self.error(reading: "[1,]").map { "\($0)" } == "invalidSyntax at byte 3: expected a value"
        )
    }
}
