// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date

/// The value of an attribute of an event or of a user.
public enum AttributeValue: Sendable, Hashable {
    /// A text of at most 4096 characters.
    case string(String)
    /// A whole number; kept exact.
    case integer(Int64)
    /// A finite number; NaN and the infinities are refused where the value is used.
    case double(Double)
    /// True or false.
    case bool(Bool)
    /// A moment, to the second (RFC 3339).
    case date(Date)
    /// A name without a value: a tag of a user, `null` in an event.
    case null
    /// Several values; a user keeps the list, an event carries its JSON as text.
    case list([AttributeValue])
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
