// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@Suite struct RetryAfterTests {
    /// Tue, 14 Nov 2023 22:13:20 GMT.
    static let now = Samples.milliseconds

    func delay(_ values: String...) -> Duration? {
        var headers = HTTPHeaders()
        for value in values {
            headers.append(name: "Retry-After", value: value)
        }
        return RetryAfter.delay(headers, now: Self.now)
    }

    @Test(arguments: [
        ("42", Duration.seconds(42)), ("123.5", .milliseconds(123_500)), ("0", .zero), ("0.25", .milliseconds(250)),
        ("0.000000001999", .nanoseconds(1)), (" 7 ", .seconds(7)), ("007", .seconds(7)),
        ("86399.999999999", .seconds(86_399) + .nanoseconds(999_999_999)), ("86400", .seconds(86_400)),
        ("86400.5", .seconds(86_400)), ("999999", .seconds(86_400)), ("1000000000", .seconds(86_400)),
        ("99999999999999999999999999999999", .seconds(86_400)),
    ])
    func secondsAreReadAndCapped(_ value: String, _ expected: Duration) {
        #expect(self.delay(value) == expected)
    }

    @Test(arguments: [
        ("Tue, 14 Nov 2023 22:13:20 GMT", Duration.zero), ("Tue, 14 Nov 2023 22:14:20 GMT", .seconds(60)),
        ("Wed, 15 Nov 2023 22:13:20 GMT", .seconds(86_400)), ("Fri, 14 Nov 2025 22:13:20 GMT", .seconds(86_400)),
    ])
    func datesAreReadAndCapped(_ value: String, _ expected: Duration) {
        #expect(self.delay(value) == expected)
    }

    /// RFC 850 and asctime: RFC 9110, 5.6.7, wants all three forms read.
    @Test(arguments: [
        ("Tuesday, 14-Nov-23 22:14:20 GMT", Duration.seconds(60)), ("Tue Nov 14 22:14:20 2023", .seconds(60)),
        ("Wednesday, 15-Nov-23 22:13:20 GMT", .seconds(86_400)), ("Fri Dec  1 00:00:00 2023", .seconds(86_400)),
    ])
    func obsoleteDatesAreReadToo(_ value: String, _ expected: Duration) {
        #expect(self.delay(value) == expected)
    }

    // The vendors' SDKs fall back to two hours here; our caller decides that.
    @Test(arguments: [
        "", " ", "abc", "-1", "-0", "+5", "1e9", "0x10", "nan", "inf", "5.", ".5", "1.2.3", "5s", "5 5", "٥", "1,",
        "Tuesday, 14-Nov-23 22:13:19 GMT", "Tue Nov 14 22:13:19 2023", "Monday, 14-Nov-23 22:14:20 GMT",
        "Tuesday, 14-Nov-2023 22:14:20 GMT", "Tue Nov 14 22:14:20 23", "Tue Nov 4 22:14:20 2023",
        "Tue, 14 Nov 2023 22:13:19 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "Tue, 14 Nov 2023", "yesterday",
    ])
    func whatIsNoWaitIsNil(_ value: String) {
        #expect(self.delay(value) == nil)
    }

    @Test func noHeaderIsNil() {
        #expect(self.delay() == nil)
    }

    @Test func ofTwoHeadersTheLongerWaitCounts() {
        #expect(self.delay("5", "60") == .seconds(60))
        #expect(self.delay("60", "5") == .seconds(60))
        #expect(self.delay("abc", "5") == .seconds(5))
        #expect(self.delay("5", "Tue, 14 Nov 2023 22:14:20 GMT") == .seconds(60))
        #expect(self.delay("5, 60") == .seconds(60))
    }

    @Test func aClockAtTheEndOfTimeDoesNotTrap() {
        let headers = Samples.headers(("Retry-After", "Tue, 14 Nov 2023 22:13:20 GMT"))
        #expect(RetryAfter.delay(headers, now: .max) == nil)
        #expect(RetryAfter.delay(headers, now: .min) == nil)
        #expect(RetryAfter.delay(headers, now: -1) == .seconds(86_400))
    }
}
