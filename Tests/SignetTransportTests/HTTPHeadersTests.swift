// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct HTTPHeadersTests {
    /// Headers with one field; nil when it was refused, which must leave no trace.
    private static func one(_ name: String, _ value: String) -> HTTPHeaders? {
        var headers = HTTPHeaders()
        let isAppended = headers.append(name: name, value: value)
        #expect(headers.count == (isAppended ? 1 : 0))
        return isAppended ? headers : nil
    }

    @Test func namesAreFoundWithoutCaseAndValuesKeepTheirOrder() {
        var headers = HTTPHeaders()
        headers.append(name: "Retry-After", value: "1")
        headers.append(name: "Date", value: "x")
        headers.append(name: "retry-after", value: "2")
        #expect(headers["RETRY-AFTER"] == "1")
        #expect(headers.values(of: "Retry-after") == ["1", "2"])
        #expect(headers["Retry"] == nil)
        #expect(headers.values(of: "") == [])
        #expect(headers.map(\.name) == ["Retry-After", "Date", "retry-after"])
        #expect(headers.count == 3)
    }

    /// Each character is inserted at the start, in the middle and at the end.
    @Test func noControlCharacterGetsIntoAValue() {
        for byte in UInt8(0)...127 where (byte < 0x20 && byte != 0x09) || byte == 0x7F {
            let character = Character(Unicode.Scalar(byte))
            for value in ["\(character)ab", "a\(character)b", "ab\(character)"] {
                #expect(Self.one("x-mp-key", value) == nil, "byte \(byte)")
            }
        }
    }

    @Test(arguments: [
        "ada@example.com\r\nX-Evil: 1", "a\nb", "a\rb", "\r\n\r\nGET / HTTP/1.1", "a\u{0}b", "\r\n", "a\r\n b",
    ])
    func aValueCannotStartAnotherHeader(value: String) {
        #expect(Self.one("Authorization", value) == nil)
    }

    @Test(arguments: ["", " ", "text with spaces\tand a tab", "\"quoted\"; q=0.5", "é 🙂", "~!@#$%^&*()"])
    func otherValuesPass(value: String) {
        #expect(Self.one("X-Test", value)?["x-test"] == value)
    }

    @Test func aNameIsATokenOfTheRFC() {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8(0)...127 {
            let character = Character(Unicode.Scalar(byte))
            for name in ["\(character)", "x\(character)", "\(character)x"] {
                #expect((Self.one(name, "1") != nil) == allowed.contains(byte), "byte \(byte)")
            }
        }
    }

    @Test(arguments: ["", "X-Test\r\nX-Evil", "X Test", "X-Test:", "Å", "x\u{301}", "：", "X-Test\u{2028}"])
    func otherNamesAreRefused(name: String) {
        #expect(Self.one(name, "1") == nil)
    }

    /// `@` and `` ` ``, `[` and `{` differ in the same bit as letters do, and are no letters.
    @Test func onlyLettersAreComparedWithoutCase() {
        var headers = HTTPHeaders()
        headers.append(name: "x`", value: "1")
        headers.append(name: "x^", value: "2")
        #expect(headers["x@"] == nil)
        #expect(headers["x~"] == nil)
        #expect(headers["X^"] == "2")
        #expect(headers["X`"] == "1")
    }
}
