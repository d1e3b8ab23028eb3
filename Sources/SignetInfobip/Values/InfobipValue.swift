// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

/// The value of a custom attribute of a person or an installation.
///
/// Infobip stores dates as texts: a value that was set as a date is returned as a text. ``day`` and ``moment`` read both, so
/// that a text is a date only where the app asks for one.
public enum InfobipValue: Sendable, Hashable {
    /// A text of at most 4096 characters.
    case string(String)
    /// A whole number; kept exact.
    case integer(Int64)
    /// A finite number.
    case double(Double)
    /// True or false.
    case bool(Bool)
    /// A day.
    case date(CalendarDay)
    /// A moment, to the second.
    case dateTime(Date)
    /// Objects that all have the same members of the same kinds.
    case list([InfobipItem])

    /// The value as a day, also when it is the text of a day; nil otherwise.
    public var day: CalendarDay? {
        switch self {
        case .date(let day): day
        case .string(let text): CalendarDay(text)
        default: nil
        }
    }

    /// The value as a moment, also when it is the text of a moment; nil otherwise.
    public var moment: Date? {
        switch self {
        case .dateTime(let date): date
        case .string(let text): InfobipMoment.date(text)
        default: nil
        }
    }
}

extension InfobipValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
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

    /// Makes a list of objects.
    public init(arrayLiteral elements: InfobipItem...) {
        self = .list(elements)
    }
}

extension InfobipValue: CustomStringConvertible, CustomReflectable {
    /// The kind of value, without the value.
    public var description: String {
        switch self {
        case .string: "string(<redacted>)"
        case .integer: "integer(<redacted>)"
        case .double: "double(<redacted>)"
        case .bool: "bool(<redacted>)"
        case .date: "date(<redacted>)"
        case .dateTime: "dateTime(<redacted>)"
        case .list(let items): "list(\(items.count) items)"
        }
    }

    /// A mirror without the value.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

/// One object of a list attribute: single values by name, nil where there is none.
///
/// ```swift
/// changes.customAttributes["basket"] = .set([["item": "boots", "price": 89.5, "gift": nil]])
/// ```
public struct InfobipItem: Sendable, Hashable {
    /// The members; nil is sent as null, and a list within a list is an error where it is used.
    public var members: [String: InfobipValue?]

    /// Makes an object.
    public init(_ members: [String: InfobipValue?] = [:]) {
        self.members = members
    }
}

extension InfobipItem: ExpressibleByDictionaryLiteral {
    /// Makes an object from a literal; of equal names the last one counts.
    public init(dictionaryLiteral elements: (String, InfobipValue?)...) {
        self.members = Dictionary(elements, uniquingKeysWith: { $1 })
    }
}

extension InfobipItem: CustomStringConvertible, CustomReflectable {
    /// The number of members, without names and values.
    public var description: String {
        "InfobipItem(\(self.members.count) members)"
    }

    /// A mirror without the members.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
