// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import Testing

@testable import SignetInfobip

struct CalendarDayTests {
    @Test(arguments: [
        (0.0, "1970-01-01", "1970-01-01T00:00:00Z"), (1_483_210_500, "2016-12-31", "2016-12-31T18:55:00Z"),
        (-0.5, "1969-12-31", "1969-12-31T23:59:59Z"), (951_782_399.9, "2000-02-28", "2000-02-28T23:59:59Z"),
        (951_782_400, "2000-02-29", "2000-02-29T00:00:00Z"), (4_107_542_400, "2100-03-01", "2100-03-01T00:00:00Z"),
        (-62_135_596_800, "0001-01-01", "0001-01-01T00:00:00Z"), (1e300, "9999-12-31", "9999-12-31T23:59:59Z"),
        (-1e300, "0001-01-01", "0001-01-01T00:00:00Z"),
    ])
    func aMomentHasADayAndAText(seconds: Double, day: String, moment: String) {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(CalendarDay(date).description == day)
        #expect(InfobipMoment.text(date) == moment)
        #expect(CalendarDay(day)?.description == day)
        #expect(InfobipMoment.date(moment).map(InfobipMoment.text) == moment)
    }

    @Test func whatIsNoNumberDoesNotTrap() {
        let date = Date(timeIntervalSince1970: .nan)
        #expect(CalendarDay(date).description == "0001-01-01")
        #expect(InfobipMoment.text(date).count == 20)
        #expect(!InfobipMoment.isRepresentable(date))
    }

    @Test(arguments: [
        "", "2020-1-5", " 2020-01-15", "20-01-15", "2020-13-45", "2020-02-30", "2020-01-15x", "1234", "2019-02-29",
        "2020-01-15T10:00:00Z", "0000-01-01", "2020-00-01", "2020-01-00", "٢٠٢٠-٠١-١٥", "2020/01/15", "-020-01-15",
    ])
    func otherTextsAreNoDays(text: String) {
        #expect(CalendarDay(text) == nil)
    }

    @Test(arguments: [
        "", "2020-01-15", "2020-01-15T10:00:00", "2020-01-15T10:00:00+03:00", "2020-01-15T10:00:00.5Z",
        "2020-01-15T10:00Z", "2020-01-15T24:00:00Z", "2020-01-15T10:60:00Z", "2020-01-15 10:00:00Z",
        "2020-02-30T10:00:00Z", "2020-01-15T10:00:00z",
    ])
    func otherTextsAreNoMoments(text: String) {
        #expect(InfobipMoment.date(text) == nil)
    }

    @Test func daysAreInOrder() throws {
        let days = try ["1999-12-31", "2000-01-01", "2000-02-01"].map { try #require(CalendarDay($0)) }
        #expect(days.sorted() == days)
        #expect(CalendarDay(year: 2000, month: 2, day: 30) == nil)
        #expect(CalendarDay(year: 10_000, month: 1, day: 1) == nil)
        #expect(CalendarDay(year: 1990, month: 2, day: 28)?.description == "1990-02-28")
    }
}
