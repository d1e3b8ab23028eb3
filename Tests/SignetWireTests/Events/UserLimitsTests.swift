// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@Suite struct UserLimitsTests {
    private func text(_ count: Int) -> String {
        String(repeating: "x", count: count)
    }

    private func code(_ value: AttributeValue, key: String = "k") -> EventViolation.Code? {
        UserLimits.violation(ofAttribute: key, value: value)?.code
    }

    @Test func aListHasTheDocumentedLimits() {
        #expect(self.code(["a", 1, true, .null]) == nil)
        #expect(self.code(.list(Array(repeating: "x", count: 1000))) == nil)
        #expect(self.code(.list(Array(repeating: "x", count: 1001))) == .listTooLong)
        #expect(self.code([.string(self.text(512))]) == nil)
        #expect(self.code([.string(self.text(513))]) == .fieldTooLong)
        #expect(self.code([]) == .emptyList)
        #expect(self.code([["a"]]) == .nestedList)
        #expect(self.code([.double(.nan)]) == .attributeNotFinite)
        // Longer than one value may be, which a list of an event is and a list of a user is not.
        #expect(self.code(.list(Array(repeating: .string(self.text(500)), count: 20))) == nil)
        #expect(self.code(["a"], key: self.text(257)) == .attributeKeyTooLong)
        #expect(self.code(["a"], key: "") == .emptyAttributeKey)
    }

    @Test func otherValuesHaveTheLimitsOfEvents() {
        #expect(self.code(.null) == nil)
        #expect(self.code(.string(self.text(4096))) == nil)
        #expect(self.code(.string(self.text(4097))) == .attributeValueTooLong)
        #expect(self.code(.double(.infinity)) == .attributeNotFinite)
    }

    @Test func togetherTheyAreCountedAsTheyAreWritten() {
        // `{"k":["..."]}`: ten bytes beside the text of the entry.
        func code(_ length: Int) -> EventViolation.Code? {
            UserLimits.violation(of: ["k": [.string(self.text(length))]])?.code
        }
        #expect(code(UserLimits.attributeBytes - 10) == nil)
        #expect(code(UserLimits.attributeBytes - 9) == .attributesTooLong)
        let many = Dictionary(uniqueKeysWithValues: (0..<101).map { ("k\($0)", AttributeValue.null) })
        #expect(UserLimits.violation(of: many)?.code == .tooManyAttributes)
    }
}
