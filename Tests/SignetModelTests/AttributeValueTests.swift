// SPDX-License-Identifier: Apache-2.0

import SignetModel
import Testing

@Suite struct AttributeValueTests {
    @Test func literalsMakeTheValueTheyLookLike() {
        let values: [AttributeValue] = ["text", 7, 0.5, true]
        #expect(values == [.string("text"), .integer(7), .double(0.5), .bool(true)])
        // A whole number is not a number with a fraction, and true is not one.
        #expect(AttributeValue.integer(1) != .double(1))
        #expect(AttributeValue.integer(1) != .bool(true))
    }

    @Test func textsAreTheSameByTheirBytes() {
        let (composed, decomposed) = ("Jos\u{E9}", "Jose\u{301}")
        #expect(AttributeValue.string(composed) == .string(composed))
        #expect(AttributeValue.string(composed) != .string(decomposed))
        #expect(AttributeValue.list([.string(composed)]) != .list([.string(decomposed)]))
        #expect(
            Set([AttributeValue.string(composed), .string(decomposed), .string(composed), .null, .null]).count == 3
        )
    }

    @Test func eachHasTheTextThatBatchesCarry() {
        let texts: [(AttributeValue, String)] = [
            ("007", "007"), ("", ""), (.integer(.max), "9223372036854775807"), (.integer(.min), "-9223372036854775808"),
            (9_007_199_254_740_993, "9007199254740993"), (0.5, "0.5"), (.double(-0.0), "-0.0"),
            (.double(1e300), "1e+300"),
            (true, "true"), (false, "false"),
        ]
        for (value, text) in texts { #expect(value.text == text) }
    }
}
