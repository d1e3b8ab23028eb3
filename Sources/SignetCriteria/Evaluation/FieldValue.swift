// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The value of a field, with its numbers read.
indirect enum FieldValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Any other number, including whole ones beyond 64 bits: the nearest Double.
    case double(Double)
    case string(ByteText)
    case list(FieldList)
    case object([ByteText: FieldValue])

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .number(let number):
            self = number.int64.map(FieldValue.integer) ?? .double(Double(number.text) ?? .nan)
        case .string(let text): self = .string(ByteText(text))
        case .array(let elements): self = .list(FieldList(elements.map { FieldValue($0) }))
        case .object(let object): self = .object(Self.fields(of: object))
        }
    }

    /// The members of an object by their names.
    static func fields(of object: JSONObject) -> [ByteText: FieldValue] {
        var fields: [ByteText: FieldValue] = [:]
        fields.reserveCapacity(object.count)
        for (key, value) in object {
            fields[ByteText(key)] = FieldValue(value)
        }
        return fields
    }
}

/// An array in a record, with the kind of its elements.
struct FieldList: Sendable {
    enum Kind: Sendable {
        case empty
        case numbers
        case strings
        case objects
        /// Booleans, arrays, nulls, or elements of several kinds.
        case other
    }

    let elements: [FieldValue]
    let kind: Kind

    init(_ elements: [FieldValue]) {
        self.elements = elements
        self.kind = elements.dropFirst().reduce(elements.first.map(Self.kind) ?? .empty) { kind, element in
            kind == Self.kind(of: element) ? kind : .other
        }
    }

    private static func kind(of element: FieldValue) -> Kind {
        switch element {
        case .integer, .double: .numbers
        case .string: .strings
        case .object: .objects
        case .null, .bool, .list: .other
        }
    }

    /// The elements if all of them are objects; empty for an empty array.
    var objects: [[ByteText: FieldValue]]? {
        guard self.kind == .objects || self.kind == .empty else { return nil }
        return self.elements.compactMap { if case .object(let fields) = $0 { fields } else { nil } }
    }
}
