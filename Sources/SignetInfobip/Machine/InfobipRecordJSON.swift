// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport

import struct FoundationEssentials.Date

/// The JSON of Infobip values on disk, which keeps the kind of each value.
enum InfobipRecordJSON {
    static func json(_ value: InfobipValue) -> JSONValue {
        switch value {
        case .string(let text): ["s", .string(text)]
        case .integer(let number): ["i", .number(JSONNumber(number))]
        case .double(let number): ["n", JSONNumber(number).map(JSONValue.number) ?? .null]
        case .bool(let flag): ["b", .bool(flag)]
        case .date(let day): ["d", .string(day.description)]
        // Counts from 2001, as `Date` does: counting from 1970 may lose the last bit of a fraction.
        case .dateTime(let date): ["m", JSONNumber(date.timeIntervalSinceReferenceDate).map(JSONValue.number) ?? .null]
        case .list(let items): ["l", .array(items.map { Self.object($0.members) { $0.map(Self.json) ?? .null } })]
        }
    }

    static func value(_ json: JSONValue) -> InfobipValue? {
        guard let parts = json.array, parts.count == 2, let kind = parts[0].string else { return nil }
        switch kind {
        case "s": return parts[1].string.map(InfobipValue.string)
        case "i": return parts[1].number?.int64.map(InfobipValue.integer)
        case "n": return parts[1].number?.double.map(InfobipValue.double)
        case "b": return parts[1].bool.map(InfobipValue.bool)
        case "d": return parts[1].string.flatMap { CalendarDay($0) }.map(InfobipValue.date)
        case "m": return parts[1].number?.double.map { .dateTime(Date(timeIntervalSinceReferenceDate: $0)) }
        case "l":
            let objects = parts[1].array?.compactMap(\.object) ?? []
            return .list(objects.map { InfobipItem(Dictionary($0.map { ($0.key, Self.value($0.value)) }) { $1 }) })
        default: return nil
        }
    }

    static func object<Value>(_ members: [String: Value], _ json: (Value) -> JSONValue?) -> JSONValue {
        var object = JSONObject()
        for (key, value) in members.sorted(by: { $0.key < $1.key }) { object[key] = json(value) }
        return .object(object)
    }

    static func members<Value>(_ json: JSONValue?, _ value: (JSONValue) -> Value?) -> [String: Value] {
        var members: [String: Value] = [:]
        for (key, json) in json?.object ?? JSONObject() { members[key] = value(json) }
        return members
    }

    /// A change: nil if untouched, else an array that is empty or holds the value.
    static func json<Value>(_ change: Patch<Value>, _ json: (Value) -> JSONValue) -> JSONValue? {
        switch change {
        case .untouched: nil
        case .clear: []
        case .set(let value): [json(value)]
        }
    }

    static func change<Value>(_ json: JSONValue?, _ value: (JSONValue) -> Value?) -> Patch<Value> {
        guard let parts = json?.array else { return .untouched }
        guard let first = parts.first else { return .clear }
        return value(first).map(Patch.set) ?? .untouched
    }

    static func strings(_ strings: some Sequence<String>) -> JSONValue {
        .array(strings.map(JSONValue.string))
    }

    static func strings(_ json: JSONValue?) -> [String] {
        json?.array?.compactMap(\.string) ?? []
    }
}

extension InfobipUserChanges {
    /// The changes on disk; nil for none.
    var record: JSONValue? {
        guard !self.isEmpty else { return nil }
        typealias Record = InfobipRecordJSON
        var object = JSONObject()
        object["ext"] = Record.json(self.externalUserID, JSONValue.string)
        object["first"] = Record.json(self.firstName, JSONValue.string)
        object["middle"] = Record.json(self.middleName, JSONValue.string)
        object["last"] = Record.json(self.lastName, JSONValue.string)
        object["gender"] = Record.json(self.gender) { .string($0.rawValue) }
        object["birthday"] = Record.json(self.birthday) { .string($0.description) }
        object["phones"] = Record.json(self.phones) { Record.strings($0) }
        object["emails"] = Record.json(self.emails) { Record.strings($0) }
        object["tags"] = Record.json(self.tags) { Record.strings($0.sorted()) }
        object["custom"] = Record.object(self.customAttributes) { Record.json($0) { Record.json($0) } }
        return .object(object)
    }

    /// Reads changes from disk.
    init(record: JSONValue?) {
        typealias Record = InfobipRecordJSON
        self.init()
        self.externalUserID = Record.change(record?["ext"], \.string)
        self.firstName = Record.change(record?["first"], \.string)
        self.middleName = Record.change(record?["middle"], \.string)
        self.lastName = Record.change(record?["last"], \.string)
        self.gender = Record.change(record?["gender"]) { $0.string.flatMap(InfobipGender.init) }
        self.birthday = Record.change(record?["birthday"]) { $0.string.flatMap { CalendarDay($0) } }
        self.phones = Record.change(record?["phones"]) { Record.strings($0) }
        self.emails = Record.change(record?["emails"]) { Record.strings($0) }
        self.tags = Record.change(record?["tags"]) { Set(Record.strings($0)) }
        self.customAttributes = Record.members(record?["custom"]) { Record.change($0) { Record.value($0) } }
    }
}

extension InfobipInstallationChanges {
    /// The changes on disk; nil for none.
    var record: JSONValue? {
        guard !self.isEmpty else { return nil }
        typealias Record = InfobipRecordJSON
        var object = JSONObject()
        object["app"] = Record.json(self.applicationUserID, JSONValue.string)
        object["primary"] = self.isPrimary.map(JSONValue.bool)
        object["enabled"] = self.isPushRegistrationEnabled.map(JSONValue.bool)
        object["custom"] = Record.object(self.customAttributes) { Record.json($0) { Record.json($0) } }
        return .object(object)
    }

    /// Reads changes from disk.
    init(record: JSONValue?) {
        typealias Record = InfobipRecordJSON
        self.init()
        self.applicationUserID = Record.change(record?["app"], \.string)
        self.isPrimary = record?["primary"]?.bool
        self.isPushRegistrationEnabled = record?["enabled"]?.bool
        self.customAttributes = Record.members(record?["custom"]) { Record.change($0) { Record.value($0) } }
    }
}
