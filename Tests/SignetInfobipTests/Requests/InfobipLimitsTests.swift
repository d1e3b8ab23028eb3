// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetTransport
import SignetWire
import Testing

@testable import SignetInfobip

@Suite struct InfobipLimitsTests {
    private static func text(_ length: Int) -> String {
        String(repeating: "x", count: length)
    }

    private static func violations(_ change: (inout InfobipUserChanges) -> Void) -> [InfobipViolation] {
        var changes = InfobipUserChanges()
        change(&changes)
        return InfobipLimits.violations(of: changes)
    }

    private static func rules(_ value: InfobipValue) -> [InfobipViolation.Rule] {
        Self.violations { $0.customAttributes = ["a": .set(value)] }.map(\.rule)
    }

    @Test func whatIsJustWithinTheLimitsPasses() {
        let found = Self.violations {
            $0.firstName = .set(Self.text(255))
            $0.middleName = .set(Self.text(50))
            $0.lastName = .set(Self.text(255))
            $0.externalUserID = .set(Self.text(256))
            $0.emails = .set(Array(repeating: "a@" + Self.text(253), count: 100))
            $0.phones = .set(Array(repeating: "+123456789012345", count: 100))
            $0.customAttributes = ["s": .set(.string(Self.text(4096))), "l": .set([]), "c": .clear]
        }
        #expect(found.isEmpty)
    }

    @Test func allThatIsBrokenIsReportedTogether() {
        let found = Self.violations {
            $0.firstName = .set(Self.text(256))
            $0.middleName = .set(Self.text(51))
            $0.lastName = .set(Self.text(256))
            $0.externalUserID = .set(Self.text(257))
            $0.emails = .set(Array(repeating: "a@b", count: 100) + ["a@" + Self.text(254)])
            $0.phones = .set(Array(repeating: "12345", count: 100) + ["1234"])
            $0.customAttributes = ["s": .set(.string(Self.text(4097))), "t": .set(.double(.nan))]
        }
        #expect(
            found.map { "\($0.field): \($0.rule)" } == [
                "firstName: maximumLength(255)", "middleName: maximumLength(50)", "lastName: maximumLength(255)",
                "externalUserID: maximumLength(256)", "phones: maximumCount(100)", "phones[100]: phone",
                "emails: maximumCount(100)", "emails[100]: maximumLength(255)",
                "customAttributes.s: maximumLength(4096)", "customAttributes.t: finite",
            ]
        )
        #expect(found.allSatisfy { !$0.description.contains("xxx") })
    }

    @Test(arguments: ["null", "NULL", "nUlL"])
    func nullInAnySpellingIsNoExternalID(text: String) {
        #expect(Self.violations { $0.externalUserID = .set(text) }.map(\.rule) == [.notNull])
        #expect(InfobipLimits.violations(of: InfobipIdentity(externalUserID: text)).map(\.rule) == [.notNull])
    }

    @Test(arguments: ["", "+", "1234", "1234567890123456", "12 345", "++12345", "12345+", "١٢٣٤٥", "+12345\n", "1e345"])
    func whatIsNoPhoneIsRefused(phone: String) {
        #expect(Self.violations { $0.phones = .set([phone]) }.map(\.rule) == [.phone])
    }

    @Test(arguments: ["", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\u{0}", "a@b\r\n", "a@\u{2028}b", "a@b\u{7F}"])
    func whatIsNoAddressIsRefused(email: String) {
        #expect(Self.violations { $0.emails = .set([email]) }.map(\.rule) == [.email])
    }

    @Test func anIdentitySaysSomething() {
        #expect(InfobipLimits.violations(of: InfobipIdentity()).map(\.rule) == [.anyIdentity])
        #expect(InfobipLimits.violations(of: InfobipIdentity(externalUserID: "")).map(\.rule) == [.notEmpty])
        #expect(InfobipLimits.violations(of: InfobipIdentity(phones: ["12345"])).isEmpty)
        var attributes = InfobipAttributes()
        attributes.middleName = Self.text(51)
        let found = InfobipLimits.violations(of: InfobipIdentity(phones: ["1"]), attributes)
        #expect(found.map(\.rule) == [.phone, .maximumLength(50)])
    }

    @Test func listsHaveObjectsOfOneShape() throws {
        let day = try #require(CalendarDay("2020-01-15"))
        #expect(Self.rules([["a": 1, "d": .date(day), "n": nil], ["a": 2.5, "d": .date(day), "n": nil]]).isEmpty)
        #expect(Self.rules([["a": 1], ["a": "1"]]) == [.sameShape])
        #expect(Self.rules([["a": 1], ["b": 1]]) == [.sameShape])
        #expect(Self.rules([["a": 1], ["a": 1, "b": 1]]) == [.sameShape])
        #expect(Self.rules([["a": 1], ["a": nil]]) == [.sameShape])
        #expect(Self.rules([["a": .date(day)], ["a": "2020-01-15"]]) == [.sameShape])
        #expect(Self.rules([["a": [["b": 1]]]]) == [.flatItems])
        #expect(Self.rules([[:]]) == [.flatItems])
        #expect(Self.rules([["a": .double(.infinity)]]) == [.finite])
        // Of a list the JSON is measured, dates in it too: {"a":"…"} in brackets is ten more than its text.
        #expect(Self.rules([["a": .string(Self.text(4086))]]).isEmpty)
        #expect(Self.rules([["a": .string(Self.text(4087))]]) == [.maximumLength(4096)])
    }

    @Test func momentsHaveYearsOfFourDigits() {
        #expect(Self.rules(.dateTime(Date(timeIntervalSince1970: 253_402_300_799.5))).isEmpty)
        for seconds in [253_402_300_800, -62_135_596_801, .infinity, .nan] {
            #expect(Self.rules(.dateTime(Date(timeIntervalSince1970: seconds))) == [.representableDate])
        }
    }

    @Test func eventsHaveAnIdAndSingleValues() {
        let event = InfobipEvent("", properties: ["l": [], "n": .double(.nan), "ok": 1, "none": nil])
        #expect(
            InfobipLimits.violations(of: event).map { "\($0.field): \($0.rule)" } == [
                "definitionID: notEmpty", "properties.l: singleValue", "properties.n: finite",
            ]
        )
    }

    @Test func anInstallationIsCheckedToo() {
        var changes = InfobipInstallationChanges()
        changes.customAttributes = ["": .set(1), "a": .set([["x": 1], ["x": true]]), "u": .untouched]
        #expect(InfobipLimits.violations(of: changes).map(\.rule) == [.notEmpty, .sameShape])
    }
}
