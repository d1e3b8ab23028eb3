// SPDX-License-Identifier: Apache-2.0

// The two obsolete forms of HTTP dates, which a recipient must read, too (RFC 9110, 5.6.7).
extension HTTPDate {
    private static let longWeekdays = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]

    /// Reads a date of an HTTP header in any of the three forms.
    ///
    /// - Parameters:
    ///   - text: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
    ///   - now: The wall clock, in milliseconds since 1970. A year of two digits is not more than 50 years ahead of it.
    /// - Returns: Milliseconds since 1970; nil for any other text, and for dates that do not exist.
    package static func parse(_ text: String, now: Int64) -> Int64? {
        Self.parse(text) ?? Self.parseASCTime(text) ?? Self.parseRFC850(text, now: now)
    }

    private static func parseASCTime(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        let blank = UInt8(ascii: " ")
        guard bytes.count == 24, bytes[3] == blank, bytes[7] == blank, bytes[10] == blank, bytes[19] == blank else {
            return nil
        }
        func part(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        // A day of one digit has a blank before it.
        let day = bytes[8] == blank ? "0" + part(9..<10) : part(8..<10)
        return Self.parse("\(part(0..<3)), \(day) \(part(4..<7)) \(part(20..<24)) \(part(11..<19)) GMT")
    }

    private static func parseRFC850(_ text: String, now: Int64) -> Int64? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].last == ",", parts[3] == "GMT",
            let weekday = Self.longWeekdays.first(where: { $0 == parts[0].dropLast() })
        else { return nil }
        let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        guard date.count == 3, date[2].utf8.count == 2, let year = Int(date[2]), year >= 0 else { return nil }
        // Within the years 1 to 9999.
        let days = min(max(now / 86_400_000, -719_162), 2_932_896)
        let current = CivilDate(daysSince1970: Int(days)).year
        let century = current - current % 100
        let candidates = [century + 100 + year, century + year, century - 100 + year]
        guard let full = candidates.first(where: { $0 - current <= 50 }) else { return nil }
        return Self.parse("\(weekday.prefix(3)), \(date[0]) \(date[1]) \(full) \(parts[2]) GMT")
    }
}
