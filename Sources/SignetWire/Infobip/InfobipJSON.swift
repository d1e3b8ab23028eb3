//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetTransport

/// The JSON of values of profiles.
enum InfobipJSON {
    /// A value as it travels in attributes: a day as `yyyy-MM-dd`, a moment as `yyyy-MM-ddTHH:mm:ssZ`.
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

    /// A value as it travels in events, where there are moments only.
    static func eventJSON(_ value: InfobipValue?) -> JSONValue {
        guard case .date(let day) = value else { return value.map(Self.json) ?? .null }
        return .string(day.description + "T00:00:00Z")
    }

    /// Members in alphabetical order, so that the same values are always the same bytes.
    static func object<Value>(_ members: [String: Value], _ json: (Value) -> JSONValue) -> JSONObject {
        var object = JSONObject()
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            object[key] = json(value)
        }
        return object
    }

    /// Attributes.
    static func object(_ attributes: [String: InfobipValue]) -> JSONObject {
        Self.object(attributes, Self.json)
    }

    /// Changes of attributes: null for what is cleared, nothing for what is untouched.
    static func object(_ changes: [String: Patch<InfobipValue>]) -> JSONObject {
        Self.object(changes.filter(\.value.isTouched)) { change in
            if case .set(let value) = change { Self.json(value) } else { .null }
        }
    }

    /// A value that came; nil for a null, which is none, and for what has no type here.
    ///
    /// No text is guessed to be a date: that is what ``InfobipValue/day`` and ``InfobipValue/moment`` are for.
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

    /// Attributes that came; those without a value are left out.
    static func attributes(_ object: JSONObject?) -> [String: InfobipValue] {
        var attributes: [String: InfobipValue] = [:]
        for (key, value) in object ?? JSONObject() {
            attributes[key] = Self.value(value)
        }
        return attributes
    }

    /// Numbers as the service has them: digits without `+`.
    static func phones(_ phones: [String]) -> JSONValue {
        .array(phones.map { ["number": .string($0.hasPrefix("+") ? String($0.dropFirst()) : $0)] })
    }

    /// Addresses.
    static func emails(_ emails: [String]) -> JSONValue {
        .array(emails.map { ["address": .string($0)] })
    }

    /// Tags in alphabetical order: a set has none of its own, and another order would be another list.
    static func tags(_ tags: Set<String>) -> JSONValue {
        .array(tags.sorted().map(JSONValue.string))
    }

    /// An object with its members in alphabetical order, and those of objects within.
    static func sorted(_ object: JSONObject) -> JSONObject {
        var sorted = JSONObject()
        for (key, value) in object.sorted(by: { $0.key < $1.key }) {
            sorted[key] = value.object.map { .object(Self.sorted($0)) } ?? value
        }
        return sorted
    }
}
