// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A validator of JSON values: the part of JSON Schema that the batch schema needs.
///
/// Null means "absent" as in the schema, except for `string`, `oneOf` and required members.
indirect enum SchemaValidator: Sendable {
    /// A text, a number or a truth value, which the schema names String.
    case scalar
    /// Text.
    case string
    /// Text or null.
    case stringOrNull
    /// A whole number.
    case integer
    /// Any number.
    case number
    /// True or false.
    case bool
    /// Text in the form of a UUID.
    case uuid
    /// One of some words.
    case oneOf(Set<String>)
    /// A scalar, or an array of scalars.
    case scalarOrList
    /// An array of one shape.
    case list(SchemaValidator)
    /// An object with any names, and values of one shape.
    case map(SchemaValidator)
    /// An object with named members.
    case record(Record)
    /// Not checked.
    case anything

    /// The members of an object.
    struct Record: Sendable {
        var members: [String: SchemaValidator]
        /// Members that must be present and not null.
        var required: Set<String> = []
        /// Members that must be present, null or not.
        var present: Set<String> = []
        /// Members of other names are allowed while this is true.
        var isOpen = false
    }
}

extension SchemaValidator {
    /// Returns the violation, which names the value by its path without repeating it; nil for a valid value.
    func violation(by value: JSONValue, at path: String) -> String? {
        switch self {
        case .string:
            value.string == nil ? "'\(path)' must be a string" : nil
        case .oneOf(let words):
            value.string.map(words.contains) ?? false ? nil : "'\(path)' must be one of \(words.sorted())"
        case .list(let element):
            Self.violation(inList: value, of: element, at: path)
        case .map(let element):
            Self.violation(inMap: value, of: element, at: path)
        case .record(let record):
            record.violation(by: value, at: path)
        case .scalarOrList:
            value.array == nil
                ? SchemaValidator.scalar.violation(by: value, at: path)
                : Self.violation(inList: value, of: .scalar, at: path)
        case .stringOrNull, .scalar, .integer, .number, .bool, .uuid, .anything:
            value.isNull || self.admits(value) ? nil : "'\(path)' must be \(self.noun)"
        }
    }

    private func admits(_ value: JSONValue) -> Bool {
        switch self {
        case .stringOrNull: value.string != nil
        case .scalar: value.string != nil || value.number != nil || value.bool != nil
        case .integer: value.number?.int64 != nil
        case .number: value.number != nil
        case .bool: value.bool != nil
        case .uuid: value.string.map(Self.isUUID) ?? false
        default: true
        }
    }

    private var noun: String {
        switch self {
        case .stringOrNull: "a string or null"
        case .integer: "an integer"
        case .number: "a number"
        case .bool: "true or false"
        case .uuid: "a UUID"
        default: "a string, a number or a Boolean"
        }
    }

    private static func violation(inList value: JSONValue, of element: SchemaValidator, at path: String) -> String? {
        if value.isNull {
            return nil
        }
        guard let items = value.array else { return "'\(path)' must be an array" }
        for (position, item) in items.enumerated() {
            if let violation = element.violation(by: item, at: "\(path)[\(position)]") {
                return violation
            }
        }
        return nil
    }

    // The names in a map are the customer's own words, so the message omits them.
    private static func violation(inMap value: JSONValue, of element: SchemaValidator, at path: String) -> String? {
        if value.isNull {
            return nil
        }
        guard let object = value.object else { return "'\(path)' must be an object" }
        for member in object {
            if let violation = element.violation(by: member.value, at: "\(path).*") {
                return violation
            }
        }
        return nil
    }

    private static func isUUID(_ text: String) -> Bool {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return groups.map(\.count) == [8, 4, 4, 4, 12]
            && groups.joined().allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"):
                    true
                default:
                    false
                }
            }
    }
}

extension SchemaValidator.Record {
    fileprivate func violation(by value: JSONValue, at path: String) -> String? {
        if value.isNull {
            return nil
        }
        guard let object = value.object else { return "'\(path)' must be an object" }
        if let missing = self.required.sorted().first(where: { object[$0]?.isNull ?? true }) {
            return "'\(path).\(missing)' is missing"
        }
        if let missing = self.present.sorted().first(where: { object[$0] == nil }) {
            return "'\(path).\(missing)' is missing"
        }
        for (name, member) in object {
            guard let shape = self.members[name] else {
                if self.isOpen {
                    continue
                }
                return "'\(path)' holds a member that is not documented"
            }
            if let violation = shape.violation(by: member, at: "\(path).\(name)") {
                return violation
            }
        }
        return nil
    }
}
