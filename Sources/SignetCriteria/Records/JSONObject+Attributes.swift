// SPDX-License-Identifier: Apache-2.0

package import SignetModel
package import SignetTransport

extension JSONObject {
    /// Makes the fields of a record from an event's attributes, keeping their types; a date becomes its text.
    package init(_ attributes: Attributes) {
        self.init()
        for (key, value) in attributes {
            self[key] = JSONValue(value)
        }
    }
}

extension JSONValue {
    /// Makes a JSON value from an attribute's value, keeping its type.
    ///
    /// A date becomes its text, and a number that JSON cannot represent becomes `null`.
    package init(_ value: AttributeValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let integer): self = .number(JSONNumber(integer))
        case .double(let double): self = JSONNumber(double).map(JSONValue.number) ?? .null
        case .bool(let bool): self = .bool(bool)
        case .date: self = .string(value.text)
        case .null: self = .null
        case .list(let values): self = .array(values.map { JSONValue($0) })
        }
    }
}
