// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The JSON of Infobip values.
enum InfobipJSON {
    /// A value as attributes hold it: a day is `yyyy-MM-dd`, a date and time is `yyyy-MM-ddTHH:mm:ssZ`.
    static func json(_ value: InfobipValue) -> JSONValue {
        switch value {
        case .string(let text): .string(text)
        case .integer(let number): .number(JSONNumber(number))
        case .double(let number): JSONNumber(number).map(JSONValue.number) ?? .null
        case .bool(let flag): .bool(flag)
        case .date(let day): .string(day.description)
        case .dateTime(let date): .string(InfobipMoment.text(date))
        case .list(let items): .array(items.map { .object(Self.object($0.members) { $0.map(Self.json) ?? .null }) })
        }
    }

    /// A value as events hold it: a day becomes its midnight, because events have dates with a time only.
    static func eventJSON(_ value: InfobipValue?) -> JSONValue {
        guard case .date(let day) = value else { return value.map(Self.json) ?? .null }
        return .string(day.description + "T00:00:00Z")
    }

    /// Members in alphabetical order, so that equal values always give equal bytes.
    static func object<Value>(_ members: [String: Value], _ json: (Value) -> JSONValue) -> JSONObject {
        var object = JSONObject()
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            object[key] = json(value)
        }
        return object
    }

    static func object(_ attributes: [String: InfobipValue]) -> JSONObject {
        Self.object(attributes, Self.json)
    }

    /// Changes of attributes: null for a cleared one, no member for an untouched one.
    static func object(_ changes: [String: Patch<InfobipValue>]) -> JSONObject {
        Self.object(changes.compactMapValues { Self.change($0, Self.json) }) { $0 }
    }

    /// A change: null for a cleared value, nil for an untouched one.
    static func change<Value>(_ change: Patch<Value>, _ json: (Value) -> JSONValue) -> JSONValue? {
        switch change {
        case .untouched: nil
        case .set(let value): json(value)
        case .clear: JSONValue.null
        }
    }

    /// A received value; nil for a null, and for a value without a type here.
    ///
    /// No text is guessed to be a date: ``InfobipValue/day`` and ``InfobipValue/moment`` convert it.
    static func value(_ json: JSONValue) -> InfobipValue? {
        switch json {
        case .string(let text):
            return .string(text)
        case .bool(let flag):
            return .bool(flag)
        case .number(let number):
            return number.int64.map(InfobipValue.integer) ?? number.double.map(InfobipValue.double)
        case .array(let elements):
            let items = elements.compactMap(\.object).map { object in
                InfobipItem(Dictionary(object.map { ($0.key, Self.value($0.value)) }, uniquingKeysWith: { $1 }))
            }
            return items.count == elements.count ? .list(items) : nil
        case .null, .object:
            return nil
        }
    }

    /// Received attributes; those without a value are left out.
    static func attributes(_ object: JSONObject?) -> [String: InfobipValue] {
        var attributes: [String: InfobipValue] = [:]
        for (key, value) in object ?? JSONObject() {
            attributes[key] = Self.value(value)
        }
        return attributes
    }

    /// Phone numbers as the service has them: digits without `+`.
    static func phones(_ phones: [String]) -> JSONValue {
        .array(phones.map { ["number": .string($0.hasPrefix("+") ? String($0.dropFirst()) : $0)] })
    }

    static func emails(_ emails: [String]) -> JSONValue {
        .array(emails.map { ["address": .string($0)] })
    }

    /// Tags in alphabetical order: a set has no order, and another order would be another list.
    static func tags(_ tags: Set<String>) -> JSONValue {
        .array(tags.sorted().map(JSONValue.string))
    }
}
