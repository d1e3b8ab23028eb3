// SPDX-License-Identifier: Apache-2.0

/// One JSON value, read from a response or to be written.
///
/// Numbers keep their text and objects keep the order of their members, so reading and writing lose nothing. Strings
/// are equal when their bytes are; see ``ByteText``.
package enum JSONValue: Sendable {
    /// The literal `null`.
    case null
    /// The literals `true` and `false`.
    case bool(Bool)
    /// A number, as text.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object(JSONObject)

    /// True for `null`.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The Boolean, or nil when this is something else.
    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, or nil when this is something else.
    package var number: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The string, or nil when this is something else.
    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, or nil when this is something else.
    package var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The object, or nil when this is something else.
    package var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member of a name, or nil when there is none or this is no object.
    package subscript(key: String) -> JSONValue? {
        if case .object(let value) = self { value[key] } else { nil }
    }

    /// Encodes the value without white space.
    ///
    /// - Returns: The UTF-8 text.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }
}

extension JSONValue: Hashable {
    package static func == (lhs: JSONValue, rhs: JSONValue) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.bool(let lhs), .bool(let rhs)): lhs == rhs
        case (.number(let lhs), .number(let rhs)): lhs == rhs
        case (.string(let lhs), .string(let rhs)): ByteText.isSame(lhs, rhs)
        case (.array(let lhs), .array(let rhs)): lhs == rhs
        case (.object(let lhs), .object(let rhs)): lhs == rhs
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(ByteText(value))
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) {
        self = .number(JSONNumber(value))
    }
}

extension JSONValue: ExpressibleByFloatLiteral {
    /// Makes a number; a literal too large for a Double becomes `null`, because JSON has no infinity.
    package init(floatLiteral value: Double) {
        self = JSONNumber(value).map(JSONValue.number) ?? .null
    }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSONValue: ExpressibleByNilLiteral {
    package init(nilLiteral: ()) {
        self = .null
    }
}

extension JSONValue: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Makes an object; the last value of a repeated key wins.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements {
            object[key] = value
        }
        self = .object(object)
    }
}

/// A JSON number, kept as the text that was read or will be written.
///
/// Two numbers are equal when their text is: `1` and `1.0` are not.
package struct JSONNumber: Sendable, Hashable {
    /// The number in the grammar of RFC 8259, section 6.
    package let text: String

    /// Makes an integer.
    package init(_ value: Int64) {
        self.text = String(value)
    }

    /// Makes the shortest text that reads back as the same Double; nil for NaN and the infinities.
    package init?(_ value: Double) {
        guard value.isFinite else { return nil }
        self.text = value.description
    }

    /// Takes text whose grammar the reader has checked.
    init(checkedText: String) {
        self.text = checkedText
    }

    /// The exact integer, or nil when the text has a fraction or an exponent or is beyond 64 bits.
    package var int64: Int64? {
        Int64(self.text)
    }

    /// The nearest Double, or nil when that would be infinite.
    package var double: Double? {
        guard let value = Double(self.text), value.isFinite else { return nil }
        return value
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The text.
    package var description: String {
        self.text
    }
}
