// SPDX-License-Identifier: Apache-2.0

#if Tool
import SignetModel
import SignetTransport

extension JSONValue {
    /// Converts an attribute for the live page; dates become milliseconds since 1970.
    init(_ value: AttributeValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .number(JSONNumber(number))
        case .double(let number): self = JSONNumber(number).map(JSONValue.number) ?? .null
        case .bool(let value): self = .bool(value)
        case .date(let date):
            self = .number(JSONNumber(date.milliseconds))
        case .null: self = .null
        case .list(let values): self = .array(values.map(JSONValue.init))
        }
    }
}
#endif
