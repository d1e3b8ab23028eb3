// SPDX-License-Identifier: Apache-2.0

/// The two spellings of a point in time in the `Date` header, for the years 1 to 9999.
///
/// Times are milliseconds since 1970 in UTC. The calendar is Gregorian throughout, without leap seconds, as in Unix
/// time. The arithmetic is the package's own, so that a time outside the range cannot trap a formatter.
package enum HTTPDate {
    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let secondsInDay: Int64 = 86400
    /// The seconds from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// Writes `Tue, 14 Nov 2023 22:13:20 GMT` (RFC 9110, 5.6.7).
    ///
    /// - Parameter milliseconds: Rounded down to a second; beyond the range, the nearest end of it is written.
    /// - Returns: 29 characters.
    package static func rfc1123(milliseconds: Int64) -> String {
        let (date, time) = Self.split(milliseconds)
        let weekday = Self.weekdays[Self.weekday(date.daysSince1970)]
        let day = Self.padded(date.day, to: 2)
        let year = Self.padded(date.year, to: 4)
        return "\(weekday), \(day) \(Self.months[date.month - 1]) \(year) \(Self.clock(time, separator: ":")) GMT"
    }

    /// Writes `20231114T221320Z` (ISO 8601, basic format).
    ///
    /// - Parameter milliseconds: Rounded down to a second; beyond the range, the nearest end of it is written.
    /// - Returns: 16 characters.
    package static func basicISO8601(milliseconds: Int64) -> String {
        let (date, time) = Self.split(milliseconds)
        let day = Self.padded(date.year, to: 4) + Self.padded(date.month, to: 2) + Self.padded(date.day, to: 2)
        return "\(day)T\(Self.clock(time, separator: ""))Z"
    }

    /// Reads either spelling, exactly as written above.
    ///
    /// - Returns: Milliseconds since 1970; nil for any other text, days that do not exist, a weekday that does not fit, a
    ///   leap second, and the year 0.
    package static func parse(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        switch bytes.count {
        case 16:
            return Self.parseBasic(bytes)
        case 29:
            return Self.parseRFC1123(bytes)
        default:
            return nil
        }
    }

    private static func parseBasic(_ bytes: [UInt8]) -> Int64? {
        guard bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z"),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[4..<6]),
            let date = CivilDate(year: year, month: month, day: Self.number(bytes[6..<8])),
            let seconds = Self.seconds(bytes[9..<11], bytes[11..<13], bytes[13..<15])
        else { return nil }
        return (Int64(date.daysSince1970) * Self.secondsInDay + seconds) * 1000
    }

    private static func parseRFC1123(_ bytes: [UInt8]) -> Int64? {
        let punctuation = [3: ",", 4: " ", 7: " ", 11: " ", 16: " ", 19: ":", 22: ":", 25: " "]
        guard punctuation.allSatisfy({ [bytes[$0]] == Array($1.utf8) }), bytes[26...].elementsEqual("GMT".utf8),
            let month = Self.months.firstIndex(where: { bytes[8..<11].elementsEqual($0.utf8) }),
            let year = Self.number(bytes[12..<16]),
            let date = CivilDate(year: year, month: month + 1, day: Self.number(bytes[5..<7])),
            bytes[0..<3].elementsEqual(Self.weekdays[Self.weekday(date.daysSince1970)].utf8),
            let seconds = Self.seconds(bytes[17..<19], bytes[20..<22], bytes[23..<25])
        else { return nil }
        return (Int64(date.daysSince1970) * Self.secondsInDay + seconds) * 1000
    }

    private static func split(_ milliseconds: Int64) -> (date: CivilDate, secondOfDay: Int) {
        let whole = milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
        let seconds = min(max(whole, Self.range.lowerBound), Self.range.upperBound)
        let secondOfDay = (seconds % Self.secondsInDay + Self.secondsInDay) % Self.secondsInDay
        let days = (seconds - secondOfDay) / Self.secondsInDay
        return (CivilDate(daysSince1970: Int(days)), Int(secondOfDay))
    }

    /// The day of the week, 0 for Monday; 1970-01-01 was a Thursday.
    private static func weekday(_ days: Int) -> Int {
        ((days + 3) % 7 + 7) % 7
    }

    private static func clock(_ secondOfDay: Int, separator: String) -> String {
        [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60]
            .map { Self.padded($0, to: 2) }
            .joined(separator: separator)
    }

    private static func padded(_ value: Int, to width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard digit &- UInt8(ascii: "0") < 10 else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }

    private static func seconds(
        _ hour: ArraySlice<UInt8>,
        _ minute: ArraySlice<UInt8>,
        _ second: ArraySlice<UInt8>
    ) -> Int64? {
        guard let hour = Self.number(hour), let minute = Self.number(minute), let second = Self.number(second),
            hour < 24, minute < 60, second < 60
        else { return nil }
        return Int64(hour * 3600 + minute * 60 + second)
    }
}

/// A day of the Gregorian calendar, with its distance in days from 1970-01-01.
///
/// Years are counted from March, so that the leap day is the last of its year; 400 years have 146097 days.
/// Source of the method: https://howardhinnant.github.io/date_algorithms.html
package struct CivilDate: Sendable, Hashable {
    package let year: Int
    package let month: Int
    package let day: Int

    /// Days from 0000-03-01 to 1970-01-01.
    private static let daysToEpoch = 719_468
    private static let daysInEra = 146_097

    /// Makes a date that exists, in the years 1 to 9999.
    package init?(year: Int, month: Int, day: Int?) {
        guard let day, (1...9999).contains(year), (1...12).contains(month),
            (1...Self.days(in: month, of: year)).contains(day)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Makes the date of a day number.
    package init(daysSince1970 days: Int) {
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
    package var daysSince1970: Int {
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
