// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire
import Testing

@Suite struct EventLimitsTests {
    func text(_ count: Int, of character: Character = "x") -> String {
        String(repeating: character, count: count)
    }

    func attributes(_ count: Int) -> Attributes {
        Attributes((0..<count).map { ("k\($0)", 1) })
    }

    func code(_ event: Event) -> EventViolation.Code? {
        EventLimits.violation(of: event)?.code
    }

    @Test func listsHoldPlainValuesOnly() {
        #expect(self.code(.custom("n", attributes: ["k": [1, "two", true, .null, 0.5]])) == nil)
        #expect(self.code(.custom("n", attributes: ["k": [[1]]])) == .nestedList)
        #expect(self.code(.custom("n", attributes: ["k": [.double(.nan)]])) == .attributeNotFinite)
        let long = AttributeValue.list(Array(repeating: "0123456789", count: 400))
        #expect(self.code(.custom("n", attributes: ["k": long])) == .attributeValueTooLong)
    }

    @Test func whatAnyEventCanHaveHasLimits() {
        func code(_ change: (inout Event) -> Void) -> EventViolation.Code? {
            var event = Event.screen("s")
            change(&event)
            return self.code(event)
        }
        #expect(code { $0.location = Location(latitude: 90, longitude: -180, accuracy: 0) } == nil)
        #expect(code { $0.location = Location(latitude: 90.1, longitude: 0) } == .locationOutOfRange)
        #expect(code { $0.location = Location(latitude: 0, longitude: -180.5) } == .locationOutOfRange)
        #expect(code { $0.location = Location(latitude: .nan, longitude: 0) } == .locationOutOfRange)
        #expect(code { $0.location = Location(latitude: 0, longitude: 0, accuracy: .infinity) } == .numberNotFinite)
        #expect(code { $0.lifetimeValueChange = LifetimeValueChange(-3.5, attribute: self.text(256)) } == nil)
        #expect(code { $0.lifetimeValueChange = LifetimeValueChange(.nan) } == .numberNotFinite)
        #expect(code { $0.lifetimeValueChange = LifetimeValueChange(1, attribute: "") } == .emptyField)
        #expect(code { $0.category = self.text(4096) } == nil)
        #expect(code { $0.category = self.text(4097) } == .fieldTooLong)
        #expect(code { $0.customFlags = ["k": ""] } == nil)
        #expect(code { $0.customFlags = ["": "v"] } == .emptyField)
        #expect(code { $0.customFlags = ["k": self.text(4097)] } == .fieldTooLong)
        let many = Dictionary(uniqueKeysWithValues: (0..<101).map { ("k\($0)", "v") })
        #expect(code { $0.customFlags = many } == .tooManyFlags)
        var report = Event.crash(CrashReport(message: "m"))
        report.customFlags = ["k": "v"]
        #expect(self.code(report) == .flagsNotAllowed)
    }

    @Test func reportsMessagesAndMeasurementsHaveLimits() {
        #expect(self.code(.crash(CrashReport(message: ""))) == .emptyField)
        #expect(self.code(.crash(CrashReport(message: "m", className: self.text(4097)))) == .fieldTooLong)
        #expect(self.code(.networkPerformance(NetworkPerformance(url: "", responseCode: 200))) == .emptyField)
        #expect(self.code(.pushRegistration(PushRegistration(isRegistered: true, token: ""))) == .emptyField)
        let message = PushMessage(.action, token: "t", payload: "{}", actionIdentifier: self.text(100))
        #expect(self.code(.pushMessage(message)) == nil)
        var longer = message
        longer.actionIdentifier = self.text(101)
        #expect(self.code(.pushMessage(longer)) == .fieldTooLong)
        #expect(self.code(Event(content: .breadcrumb(label: self.text(257)))) == .nameTooLong)
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
        for blank in [" ", "\u{A0}", " \t\u{3000}", "\u{FEFF}"] {
            #expect(self.code(.custom(blank)) == .emptyName)
            #expect(self.code(.screen(blank)) == .emptyName)
            #expect(self.code(Event(content: .breadcrumb(label: blank), attributes: [:])) == .emptyName)
        }
        #expect(self.code(.custom(" n ")) == nil)
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

    @Test func ofSeveralFaultsTheFirstIsTold() {
        let attributes: Attributes = [
            "a": 1, "b": .string(self.text(4097)), "c": .double(.nan), "d": .double(.infinity),
        ]
        for _ in 0..<20 {
            #expect(self.code(.custom("n", attributes: attributes)) == .attributeValueTooLong)
        }
    }
}
