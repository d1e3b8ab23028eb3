// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

extension AttributeValue {
    /// Writes the value with its type.
    ///
    /// A whole double keeps a fraction, so that it is read as a double. A date is read as text.
    func write(to writer: inout JSONWriter) {
        switch self {
        case .string(let text): writer.string(text)
        case .integer(let number): writer.integer(number)
        case .double(let number): writer.double(number)
        case .bool(let flag): writer.bool(flag)
        case .date: writer.string(self.text)
        case .null: writer.null()
        case .list(let values):
            writer.beginArray()
            for value in values { value.write(to: &writer) }
            writer.endArray()
        }
    }

    /// Reads a value with its type; nil for objects.
    init?(_ value: JSONValue) {
        if let text = value.string {
            self = .string(text)
        } else if let flag = value.bool {
            self = .bool(flag)
        } else if let number = value.number?.int64 {
            self = .integer(number)
        } else if let number = value.number?.double {
            self = .double(number)
        } else if let values = value.array {
            self = .list(values.compactMap { AttributeValue($0) })
        } else if value == .null {
            self = .null
        } else {
            return nil
        }
    }
}

extension [String: AttributeValue] {
    /// Reads the members of an object that are attribute values.
    init(attributes value: JSONValue?) {
        self = [:]
        for (key, member) in value?.object ?? [:] { self[key] = AttributeValue(member) }
    }
}
