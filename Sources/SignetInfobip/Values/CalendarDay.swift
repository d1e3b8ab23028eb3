// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

/// A day of the Gregorian calendar without a time, in the years 1 to 9999: a birthday, or a date of a profile.
public struct CalendarDay: Sendable, Hashable {
    /// The year.
    public let year: Int
    /// The month, from 1.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int

    private static let secondsInDay: Double = 86_400
    private static let daysToEpoch = 719_468
    private static let daysInEra = 146_097
    // 0001-01-01 and 9999-12-31.
    private static let range = -719_162...2_932_896

    /// Makes a day; nil if the day does not exist.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year)
        else {
            return nil
        }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day of a moment in Greenwich; beyond the years 1 to 9999, the nearest day in them.
    public init(_ date: Date) {
        let days = (date.timeIntervalSince1970 / Self.secondsInDay).rounded(.down)
        let isEarly = !(days >= Double(Self.range.lowerBound))
        self.init(
            daysSince1970: isEarly
                ? Self.range.lowerBound : Int(exactly: min(days, Double(Self.range.upperBound))) ?? 0
        )
    }

    /// Parses exactly `yyyy-MM-dd`; nil for other texts and for days that do not exist.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8...])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    // Counts years from March, so that the leap day is the last of its year; 400 years have 146097 days.
    // https://howardhinnant.github.io/date_algorithms.html
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

    var daysSince1970: Int {
        let yearFromMarch = self.month <= 2 ? self.year - 1 : self.year
        let era = (yearFromMarch >= 0 ? yearFromMarch : yearFromMarch - 399) / 400
        let yearOfEra = yearFromMarch - era * 400
        let monthFromMarch = self.month > 2 ? self.month - 3 : self.month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + self.day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysInEra + dayOfEra - Self.daysToEpoch
    }

    static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard digit &- UInt8(ascii: "0") < 10 else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }

    static func padded(_ value: Int, to width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CalendarDay: Comparable {
    /// Orders days by date.
    public static func < (first: CalendarDay, second: CalendarDay) -> Bool {
        (first.year, first.month, first.day) < (second.year, second.month, second.day)
    }
}

extension CalendarDay: CustomStringConvertible {
    /// The day as `yyyy-MM-dd`, in ASCII digits in every locale.
    public var description: String {
        Self.padded(self.year, to: 4) + "-" + Self.padded(self.month, to: 2) + "-" + Self.padded(self.day, to: 2)
    }
}

/// The text of a moment in a profile: `yyyy-MM-ddTHH:mm:ssZ`, in Greenwich, in whole seconds and ASCII digits.
package enum InfobipMoment {
    private static let secondsInDay: Int64 = 86_400
    // 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    private static let range: ClosedRange<Double> = -62_135_596_800...253_402_300_799

    /// True for moments that can be written: those in the years 1 to 9999.
    package static func isRepresentable(_ date: Date) -> Bool {
        Self.range.contains(date.timeIntervalSince1970.rounded(.down))
    }

    /// Writes a moment.
    ///
    /// - Parameter date: Rounded down to a second; one out of range becomes the nearest in it.
    /// - Returns: 20 characters.
    package static func text(_ date: Date) -> String {
        let value = date.timeIntervalSince1970.rounded(.down)
        let seconds = Int64(exactly: max(min(value, Self.range.upperBound), Self.range.lowerBound)) ?? 0
        let second = ((seconds % Self.secondsInDay) + Self.secondsInDay) % Self.secondsInDay
        let day = CalendarDay(daysSince1970: Int((seconds - second) / Self.secondsInDay))
        let clock = [second / 3600, second / 60 % 60, second % 60].map { CalendarDay.padded(Int($0), to: 2) }
        return day.description + "T" + clock.joined(separator: ":") + "Z"
    }

    /// Parses a moment; nil for every other text, including fractions and offsets.
    package static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count == 20, bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "Z"),
            let day = CalendarDay(String(decoding: bytes[..<10], as: UTF8.self)),
            let hour = CalendarDay.number(bytes[11..<13]), let minute = CalendarDay.number(bytes[14..<16]),
            let second = CalendarDay.number(bytes[17..<19]), hour < 24, minute < 60, second < 60
        else { return nil }
        let seconds = Int64(day.daysSince1970) * Self.secondsInDay + Int64(hour * 3600 + minute * 60 + second)
        return Date(timeIntervalSince1970: Double(seconds))
    }
}
