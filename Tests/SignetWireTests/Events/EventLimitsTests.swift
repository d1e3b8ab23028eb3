//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire
import Testing

@Suite struct EventLimitsTests {
    func text(_ count: Int, of character: Character = "x") -> String {
        String(repeating: character, count: count)
    }

    func attributes(_ count: Int) -> [String: AttributeValue] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("k\($0)", 1) })
    }

    func code(_ event: Event) -> EventViolation.Code? {
        EventLimits.violation(of: event)?.code
    }

    @Test func theLimitsAreTheDocumentedOnes() {
        #expect(EventLimits.nameLength == 256)
        #expect(EventLimits.attributeCount == 100)
        #expect(EventLimits.keyLength == 256)
        #expect(EventLimits.valueLength == 4096)
    }

    @Test func whatIsAtALimitPasses() {
        #expect(self.code(.custom(self.text(256), attributes: self.attributes(100))) == nil)
        #expect(self.code(.screen(self.text(256))) == nil)
        #expect(self.code(.custom("n", attributes: [self.text(256): .string(self.text(4096))])) == nil)
        #expect(self.code(.custom("n", attributes: ["k": ""])) == nil)
        #expect(self.code(.custom("n", attributes: ["k": .double(.greatestFiniteMagnitude), "z": -0.0])) == nil)
        #expect(
            self.code(.custom(self.text(256, of: "é"), attributes: ["k": .string(self.text(4096, of: "é"))])) == nil
        )
    }

    @Test func whatIsOverALimitIsNamed() {
        #expect(self.code(.custom("")) == .emptyName)
        #expect(self.code(.screen("")) == .emptyName)
        #expect(self.code(.custom(self.text(257))) == .nameTooLong)
        #expect(self.code(.screen(self.text(1025))) == .nameTooLong)
        #expect(self.code(.custom("n", attributes: self.attributes(101))) == .tooManyAttributes)
        #expect(self.code(.custom("n", attributes: ["": 1])) == .emptyAttributeKey)
        #expect(self.code(.custom("n", attributes: [self.text(257): 1])) == .attributeKeyTooLong)
        #expect(self.code(.custom("n", attributes: ["k": .string(self.text(4097))])) == .attributeValueTooLong)
        #expect(self.code(.screen("n", attributes: ["k": .string(self.text(1 << 20))])) == .attributeValueTooLong)
        #expect(self.code(.custom("n", attributes: ["k": .double(.nan)])) == .attributeNotFinite)
        #expect(self.code(.custom("n", attributes: ["k": .double(.infinity)])) == .attributeNotFinite)
        #expect(self.code(.custom("n", attributes: ["k": .double(-.infinity)])) == .attributeNotFinite)
        #expect(self.code(.custom("n", attributes: ["k": .double(1e308 * 10)])) == .attributeNotFinite)
    }

    @Test func lengthsCountUTF16Units() {
        #expect(self.code(.custom(self.text(128, of: "😀"))) == nil)
        #expect(self.code(.custom(self.text(129, of: "😀"))) == .nameTooLong)
    }

    @Test func attributesOfPurchasesAreCheckedToo() {
        let purchase = Purchase(transactionID: "t", total: 1)
        #expect(self.code(.purchase(purchase, attributes: self.attributes(100))) == nil)
        #expect(self.code(.purchase(purchase, attributes: self.attributes(101))) == .tooManyAttributes)
    }

    @Test func theMessageSaysWhatIsGivenAndWhatIsAllowed() {
        #expect(
            EventLimits.violation(of: .custom(self.text(300)))?.message
                == "The event name has 300 characters; at most 256 are allowed."
        )
        #expect(
            EventLimits.violation(of: .screen(""))?.message
                == "The screen name is empty; 1 to 256 characters are allowed."
        )
        #expect(
            EventLimits.violation(of: .custom("n", attributes: self.attributes(101)))?.message
                == "The event has 101 attributes; at most 100 are allowed."
        )
        #expect(
            EventLimits.violation(of: .custom("n", attributes: ["price": .double(.nan)]))?.message
                == "The value of attribute \"price\" is NaN; only finite numbers are allowed."
        )
        #expect(
            EventLimits.violation(of: .custom("n", attributes: ["note": .string(self.text(5000))]))?.message
                == "The value of attribute \"note\" has 5000 characters; at most 4096 are allowed."
        )
    }

    @Test func theMessageNeverShowsAValueAndStaysOnOneLine() {
        let value = "secret" + self.text(5000)
        let message = EventLimits.violation(of: .custom("n", attributes: ["a\nlevel=error": .string(value)]))?.message
        #expect(message?.contains("secret") == false)
        #expect(message?.contains("\n") == false)
    }

    @Test func ofSeveralFaultsTheOneOfTheSmallestKeyIsTold() {
        let attributes: [String: AttributeValue] = [
            "c": .double(.nan), "a": 1, "b": .string(self.text(4097)), "d": .double(.infinity),
        ]
        for _ in 0..<20 {
            #expect(self.code(.custom("n", attributes: attributes)) == .attributeValueTooLong)
        }
    }
}
