// SPDX-License-Identifier: Apache-2.0

package import struct FoundationEssentials.Date

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
