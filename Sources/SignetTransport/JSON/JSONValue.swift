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
