// SPDX-License-Identifier: Apache-2.0

import SignetTransport

public import struct FoundationEssentials.Date

/// A day of the Gregorian calendar without a time, in the years 1 to 9999: a birthday, or a date of a profile.
public struct CalendarDay: Sendable, Hashable {
    private let date: CivilDate

    private static let secondsInDay: Double = 86_400
    // 0001-01-01 and 9999-12-31.
    private static let range = -719_162...2_932_896

    /// Makes a day; nil if the day does not exist.
    public init?(year: Int, month: Int, day: Int) {
        guard let date = CivilDate(year: year, month: month, day: day) else { return nil }
        self.date = date
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

    init(daysSince1970 days: Int) {
        self.date = CivilDate(daysSince1970: days)
    }

    /// The year.
    public var year: Int { self.date.year }
    /// The month, from 1.
    public var month: Int { self.date.month }
    /// The day of the month, from 1.
    public var day: Int { self.date.day }

    var daysSince1970: Int {
        self.date.daysSince1970
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
