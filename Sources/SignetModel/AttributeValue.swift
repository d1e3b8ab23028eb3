// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date
public import struct FoundationEssentials.Decimal

/// The value of an attribute of an event or of a user.
///
/// Two texts are the same when their bytes are, as on the wire.
public enum AttributeValue: Sendable, Hashable {
    /// A text of at most 4096 characters.
    case string(String)
    /// A whole number; kept exact.
    case integer(Int64)
    /// A finite number; NaN and the infinities are refused where the value is used.
    case double(Double)
    /// True or false.
    case bool(Bool)
    /// A moment, to the second; sent in ISO 8601, in UTC: `2023-11-14T22:13:20+0000`, as the vendor's SDKs do.
    case date(Date)
    /// A name without a value: a tag of a user, `null` in an event.
    case null
    /// Several values; a user keeps the list, an event carries its JSON as text.
    case list([AttributeValue])
}

extension AttributeValue {
    /// Compares values of the same kind.
    public static func == (lhs: AttributeValue, rhs: AttributeValue) -> Bool {
        switch (lhs, rhs) {
        // Not `==`, for which a letter with its mark is the same in either form of Unicode.
        case (.string(let lhs), .string(let rhs)): lhs.utf8.elementsEqual(rhs.utf8)
        case (.integer(let lhs), .integer(let rhs)): lhs == rhs
        case (.double(let lhs), .double(let rhs)): lhs == rhs
        case (.bool(let lhs), .bool(let rhs)): lhs == rhs
        case (.date(let lhs), .date(let rhs)): lhs == rhs
        case (.null, .null): true
        case (.list(let lhs), .list(let rhs)): lhs == rhs
        case (.string, _), (.integer, _), (.double, _), (.bool, _), (.date, _), (.null, _), (.list, _): false
        }
    }

    /// Hashes the kind and the value.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .string(let text):
            hasher.combine(0)
            hasher.combine(text.utf8.count)
            for byte in text.utf8 { hasher.combine(byte) }
        case .integer(let value):
            hasher.combine(1)
            hasher.combine(value)
        case .double(let value):
            hasher.combine(2)
            hasher.combine(value)
        case .bool(let value):
            hasher.combine(3)
            hasher.combine(value)
        case .date(let value):
            hasher.combine(4)
            hasher.combine(value)
        case .null: hasher.combine(5)
        case .list(let values):
            hasher.combine(6)
            hasher.combine(values)
        }
    }
}

extension AttributeValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
    /// Makes a text.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Makes a whole number.
    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }

    /// Makes a number.
    public init(floatLiteral value: Double) {
        self = .double(value)
    }

    /// Makes a Boolean.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// Makes a list.
    public init(arrayLiteral elements: AttributeValue...) {
        self = .list(elements)
    }
}

extension AttributeValue: CustomStringConvertible, CustomReflectable {
    /// The kind of value, without the value.
    public var description: String {
        switch self {
        case .string: "string(<redacted>)"
        case .integer: "integer(<redacted>)"
        case .double: "double(<redacted>)"
        case .bool: "bool(<redacted>)"
        case .date: "date(<redacted>)"
        case .null: "null"
        case .list(let values): "list(\(values.count) values)"
        }
    }

    /// A mirror without the value.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

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

    /// Adds two numbers as decimals: 0.1 and 0.2 make 0.3, unlike in binary fractions.
    ///
    /// Whole numbers are added exactly. If one is a double, the sum is the double nearest to the decimal sum; for numbers that
    /// differ by more than 38 digits, or beyond 10^127, it is the sum of IEEE 754.
    ///
    /// - Returns: The sum; nil when a value is not a number, or the sum is out of range.
    package func adding(_ other: AttributeValue) -> AttributeValue? {
        if case .integer(let first) = self, case .integer(let second) = other {
            let (sum, overflow) = first.addingReportingOverflow(second)
            return overflow ? nil : .integer(sum)
        }
        guard let first = self.double, let second = other.double else { return nil }
        let sum = self.decimal.flatMap { first in other.decimal.flatMap { Double("\(first + $0)") } } ?? first + second
        return sum.isFinite ? .double(sum) : nil
    }

    /// True for `integer` and `double`.
    package var isNumber: Bool {
        self.double != nil
    }

    private var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .string, .bool, .date, .list, .null: nil
        }
    }

    private var decimal: Decimal? {
        switch self {
        case .integer(let number): Decimal(number)
        case .double(let number): Decimal(asWritten: number)
        case .string, .bool, .date, .list, .null: nil
        }
    }
}
