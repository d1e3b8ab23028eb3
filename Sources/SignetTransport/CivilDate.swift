// SPDX-License-Identifier: Apache-2.0

/// A day of the Gregorian calendar, with its distance in days from 1970-01-01.
///
/// Years are counted from March, so that the leap day is the last of its year; 400 years have 146097 days.
/// Source of the method: https://howardhinnant.github.io/date_algorithms.html
struct CivilDate: Hashable {
    let year: Int
    let month: Int
    let day: Int

    /// Days from 0000-03-01 to 1970-01-01.
    private static let daysToEpoch = 719_468
    private static let daysInEra = 146_097

    /// Makes a date that exists, in the years 1 to 9999.
    init?(year: Int, month: Int, day: Int?) {
        guard let day, (1...9999).contains(year), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Makes the date of a day number.
    init(daysSince1970 days: Int) {
        let shifted = days + Self.daysToEpoch
        let era = (shifted >= 0 ? shifted : shifted - Self.daysInEra + 1) / Self.daysInEra
        let dayOfEra = shifted - era * Self.daysInEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        self.month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.year = yearOfEra + era * 400 + (self.month <= 2 ? 1 : 0)
    }

    /// The day number; negative before 1970.
    var daysSince1970: Int {
        let yearFromMarch = self.month <= 2 ? self.year - 1 : self.year
        let era = yearFromMarch / 400
        let yearOfEra = yearFromMarch - era * 400
        let monthFromMarch = self.month > 2 ? self.month - 3 : self.month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + self.day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysInEra + dayOfEra - Self.daysToEpoch
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2:
            year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11:
            30
        default:
            31
        }
    }
}
