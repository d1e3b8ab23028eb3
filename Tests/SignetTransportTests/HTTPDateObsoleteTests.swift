// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import Testing

@Suite struct HTTPDateObsoleteTests {
    /// The example of RFC 9110, 5.6.7, in its three forms.
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func theThreeFormsAreTheSameMoment(_ text: String) {
        #expect(HTTPDate.parse(text, now: 784_111_777_000) == 784_111_777_000)
    }

    @Test func aYearOfTwoDigitsIsNotMoreThanFiftyYearsAhead() {
        let now: Int64 = 1_700_000_000_000
        #expect(HTTPDate.parse("Tuesday, 14-Nov-73 00:00:00 GMT", now: now) == 3_277_843_200_000)
        #expect(HTTPDate.parse("Thursday, 14-Nov-74 00:00:00 GMT", now: now) == 153_619_200_000)
        for now in [Int64.min, .max] { _ = HTTPDate.parse("Tuesday, 14-Nov-73 00:00:00 GMT", now: now) }
    }

    @Test(arguments: [
        "", "Sun Nov  6 08:49:37 94", "Sun Nov 06  08:49:37 1994", "Mon Nov  6 08:49:37 1994",
        "Sun Nov 31 08:49:37 1994", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 6-Nov-94 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 UTC", "Sunday 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-+4 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49 GMT", "Sunday, 06-Nov-94  08:49:37 GMT",
    ])
    func anythingElseIsNoDate(_ text: String) {
        #expect(HTTPDate.parse(text, now: 784_111_777_000) == nil)
    }
}
