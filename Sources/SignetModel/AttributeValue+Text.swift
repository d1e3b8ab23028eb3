// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.Date

extension AttributeValue {
    /// The value as `custom_attributes` of the Events API carries it, where every value is text; empty for `null`.
    public var text: String {
        switch self {
        case .string(let value): value
        case .integer(let value): String(value)
        case .double(let value): String(value)
        case .bool(let value): value ? "true" : "false"
        case .date(let value): Self.text(of: value)
        case .null: ""
        case .list(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
        }
    }

    /// Writes a moment in UTC to the second, such as `2023-11-14T22:13:20+0000`; clamped to the years 0 to 9999.
    private static func text(of date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        let bounded = Int64(seconds.isNaN ? 0 : min(max(seconds, -62_167_219_200), 253_402_300_799).rounded(.down))
        let day = (bounded - (bounded % 86_400 + 86_400) % 86_400) / 86_400
        let time = bounded - day * 86_400
        // Converts days to a Gregorian date, with years that begin in March (H. Hinnant, days_from_civil).
        let shifted = day + 719_468
        let era = (shifted - (shifted % 146_097 + 146_097) % 146_097) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func padded(_ number: Int64, _ length: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, length - digits.count)) + digits
        }
        let date = [padded(year, 4), padded(month, 2), padded(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, 2)]
        let clock = [time / 3600, time / 60 % 60, time % 60].map { padded($0, 2) }
        return date.joined(separator: "-") + "T" + clock.joined(separator: ":") + "+0000"
    }

    /// The value as JSON.
    private var json: String {
        switch self {
        case .string, .date: Self.quoted(self.text)
        case .double(let value) where !value.isFinite: "null"
        case .null: "null"
        case .integer, .double, .bool, .list: self.text
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case "\n": quoted += "\\n"
            case ..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
