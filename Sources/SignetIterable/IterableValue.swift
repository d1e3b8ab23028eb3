// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetCriteria
public import SignetModel
import SignetTransport

/// One value of a visitor's record.
///
/// Each kind stays the same on disk and on the wire.
public enum IterableValue: Sendable, Hashable {
    /// A text.
    case string(String)
    /// A whole number; kept exact, and never `3.0`.
    case integer(Int64)
    /// A finite number.
    case double(Double)
    /// True or false; never 1 or 0.
    case bool(Bool)
    /// The absence of a value.
    case null
    /// Several values.
    case list([IterableValue])
    /// Values with names.
    case object([String: IterableValue])

    /// The deepest nesting of lists and objects.
    static let maximumDepth = 16

    /// Converts a value of an event or a user; a date becomes its text.
    public init(_ value: AttributeValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let integer): self = .integer(integer)
        case .double(let double): self = .double(double)
        case .bool(let bool): self = .bool(bool)
        case .date: self = .string(value.text)
        case .null: self = .null
        case .list(let values): self = .list(values.map { IterableValue($0) })
        }
    }

    /// The value as JSON; nil when it has a number that JSON cannot represent, or is nested too deep.
    func json(depth: Int = 0) -> JSONValue? {
        guard depth <= Self.maximumDepth else { return nil }
        switch self {
        case .string(let text): return .string(text)
        case .integer(let integer): return .number(JSONNumber(integer))
        case .double(let double): return JSONNumber(double).map(JSONValue.number)
        case .bool(let bool): return .bool(bool)
        case .null: return .null
        case .list(let values):
            let elements = values.compactMap { $0.json(depth: depth + 1) }
            return elements.count == values.count ? .array(elements) : nil
        case .object(let members):
            var object = JSONObject()
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                guard let json = value.json(depth: depth + 1) else { return nil }
                object[key] = json
            }
            return .object(object)
        }
    }
}

/// The fields of a visitor's record, by name.
///
/// Numbers must be finite, lists and objects nested at most 16 deep, and a record at most 64 KiB of JSON. Otherwise the
/// call throws `invalidArgument`.
public typealias IterableFields = [String: IterableValue]

extension [String: IterableValue] {
    /// The fields as JSON; nil when there are none.
    func json() throws(SignetError) -> JSONObject? {
        guard !self.isEmpty else { return nil }
        guard let object = IterableValue.object(self).json()?.object else {
            throw SignetError(
                .invalidArgument,
                "An Iterable field is not a finite number, or is nested more than \(IterableValue.maximumDepth) deep."
            )
        }
        return object
    }
}

extension IterableValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// Makes a text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes a whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// Makes a number with a fraction.
    public init(floatLiteral value: Double) { self = .double(value) }

    /// Makes a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Makes a list.
    public init(arrayLiteral elements: IterableValue...) { self = .list(elements) }

    /// Makes an object.
    ///
    /// The last value of a repeated name counts.
    public init(dictionaryLiteral elements: (String, IterableValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }

    /// Makes a null.
    public init(nilLiteral: ()) { self = .null }
}

extension IterableValue: CustomStringConvertible, CustomReflectable {
    /// The kind of value, without the value.
    public var description: String {
        switch self {
        case .string: "string(<redacted>)"
        case .integer: "integer(<redacted>)"
        case .double: "double(<redacted>)"
        case .bool: "bool(<redacted>)"
        case .null: "null"
        case .list(let values): "list(\(values.count) values)"
        case .object(let members): "object(\(members.count) members)"
        }
    }

    /// A mirror without the value.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
