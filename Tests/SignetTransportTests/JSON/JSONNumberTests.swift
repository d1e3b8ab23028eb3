// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct JSONNumberTests {
    private static func number(_ text: String) throws -> JSONNumber {
        try #require(try JSONReader.read(Array(text.utf8)).number)
    }

    @Test(arguments: [
        ("0", 0), ("-0", 0), ("-1", -1), ("9007199254740993", 9_007_199_254_740_993),
        ("9223372036854775807", Int64.max),
        ("-9223372036854775808", Int64.min),
    ])
    func anIntegerOf64BitsIsExact(text: String, value: Int64) throws {
        #expect(try Self.number(text).int64 == value)
    }

    @Test(arguments: [
        "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1.0", "1e2", "0.5", "1E0", "-0.0",
        "123456789012345678901234567890",
    ])
    func aNumberThatIsNoPlainIntegerOf64BitsIsNone(text: String) throws {
        #expect(try Self.number(text).int64 == nil)
    }

    @Test func aNumberBeyondInt64KeepsItsText() throws {
        #expect(try Self.number("12345678901234567890").text == "12345678901234567890")
        #expect(try Self.number("12345678901234567890").double == 12_345_678_901_234_567_168)
    }

    @Test(arguments: [
        ("0", 0), ("0.1", 0.1), ("1e2", 100), ("-2.5E-3", -0.0025), ("1e-999", 0),
        ("4.9e-324", Double.leastNonzeroMagnitude),
        ("1.7976931348623157e308", Double.greatestFiniteMagnitude), ("9007199254740993", 9_007_199_254_740_992),
    ])
    func theNearestDoubleIsTaken(text: String, value: Double) throws {
        #expect(try Self.number(text).double == value)
    }

    @Test func minusZeroKeepsItsSign() throws {
        #expect(try Self.number("-0.0").double?.sign == .minus)
        #expect(JSONNumber(-0.0)?.text == "-0.0")
    }

    @Test(arguments: ["1e999", "-1e999", "1e99999999999999999999", "1.8e308"])
    func anInfiniteDoubleIsNone(text: String) throws {
        #expect(try Self.number(text).double == nil)
    }

    @Test(arguments: [Double.nan, .signalingNaN, .infinity, -.infinity])
    func thereIsNoNumberThatIsNotFinite(value: Double) {
        #expect(JSONNumber(value) == nil)
    }

    @Test(arguments: [Int64.min, -1, 0, 1, 9_007_199_254_740_993, Int64.max])
    func anIntegerComesBack(value: Int64) throws {
        #expect(JSONNumber(value).int64 == value)
        #expect(try Self.number(JSONNumber(value).text) == JSONNumber(value))
    }

    @Test func equalMeansTheSameText() throws {
        #expect(JSONNumber(Int64(1)) != JSONNumber(1.0))
        #expect(JSONNumber(1.0)?.text == "1.0")
        #expect(JSONNumber(Int64(1)).description == "1")
    }
}
