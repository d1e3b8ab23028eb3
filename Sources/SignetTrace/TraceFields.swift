// SPDX-License-Identifier: Apache-2.0

import Signet

/// The members of one line of a trace, read by name and type.
struct TraceFields {
    /// An error in a member.
    struct Fault: Error, Hashable {
        let reason: String
    }

    private let object: JSONObject

    init(_ value: JSONValue) throws(Fault) {
        guard let object = value.object else { throw Fault(reason: "the line is not a JSON object") }
        self.object = object
    }

    func has(_ name: String) -> Bool {
        self.object[name] != nil
    }

    func string(_ name: String) throws(Fault) -> String {
        try self.value(name, "a string", \.string)
    }

    func optionalString(_ name: String) throws(Fault) -> String? {
        self.has(name) ? try self.string(name) : nil
    }

    func integer(_ name: String, in range: ClosedRange<Int64>) throws(Fault) -> Int64 {
        let number = try self.value(name, "a whole number") { $0.number?.int64 }
        guard range.contains(number) else {
            throw Fault(reason: "\"\(name)\" must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func double(_ name: String) throws(Fault) -> Double {
        try self.value(name, "a number") { $0.number?.double }
    }

    func optionalDouble(_ name: String) throws(Fault) -> Double? {
        self.has(name) ? try self.double(name) : nil
    }

    func strings(_ name: String) throws(Fault) -> [String] {
        try self.value(name, "an array of strings") { value in
            let strings = value.array?.map(\.string)
            return strings?.contains(nil) == false ? strings?.compactMap { $0 } : nil
        }
    }

    /// Reads a list of objects; empty when there is no such member.
    func objects(_ name: String) throws(Fault) -> [TraceFields] {
        guard self.has(name) else { return [] }
        let values = try self.value(name, "an array of objects", \.array)
        return try values.map { (value) throws(Fault) in
            guard value.object != nil else { throw Fault(reason: "\"\(name)\" must be an array of objects") }
            return try TraceFields(value)
        }
    }

    /// Reads event attributes: texts, numbers and Booleans; empty when there is no such member.
    func attributes(_ name: String) throws(Fault) -> Attributes {
        guard self.has(name) else { return [:] }
        return try self.value(name, "an object of strings, numbers and Booleans") { value in
            guard let object = value.object else { return nil }
            var attributes = Attributes()
            for (key, value) in object {
                guard let attribute = AttributeValue(value) else { return nil }
                attributes[key] = attribute
            }
            return attributes
        }
    }

    /// Reads identities by their names in IDSync requests; null removes one.
    func identities(_ name: String) throws(Fault) -> IdentityRequest {
        let object = try self.value(name, "an object of strings and nulls", \.object)
        var request = IdentityRequest()
        for (key, value) in object {
            guard value.isNull || value.string != nil else {
                throw Fault(reason: "\"\(name)\" must be an object of strings and nulls")
            }
            request[try Self.identityType(key, in: name)] = value.string
        }
        guard !request.identities.isEmpty else { throw Fault(reason: "\"\(name)\" names no identity") }
        return request
    }

    func identityTypes(_ name: String) throws(Fault) -> [IdentityType] {
        try self.strings(name).map { (key) throws(Fault) in try Self.identityType(key, in: name) }
    }

    private static func identityType(_ key: String, in name: String) throws(Fault) -> IdentityType {
        let type = IdentityType(wireName: key)
        guard IdentityType.known.contains(type) else {
            throw Fault(reason: "\"\(name)\" names \"\(key)\", which is not an identity type")
        }
        return type
    }

    private func value<Value>(
        _ name: String,
        _ expected: String,
        _ read: (JSONValue) -> Value?
    ) throws(Fault) -> Value {
        guard let member = self.object[name] else { throw Fault(reason: "\"\(name)\" is missing") }
        guard let value = read(member) else { throw Fault(reason: "\"\(name)\" must be \(expected)") }
        return value
    }
}

extension AttributeValue {
    fileprivate init?(_ value: JSONValue) {
        if let text = value.string {
            self = .string(text)
        } else if let truth = value.bool {
            self = .bool(truth)
        } else if let integer = value.number?.int64 {
            self = .integer(integer)
        } else if let number = value.number?.double {
            self = .double(number)
        } else {
            return nil
        }
    }
}
