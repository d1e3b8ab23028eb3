// SPDX-License-Identifier: Apache-2.0

package import Signet
import SignetModel

import struct FoundationEssentials.Date

// The values of people and installations in the record of a profile; each keeps its kind.

extension RecordEncoder {
    /// Writes a change; nothing for an untouched value.
    fileprivate mutating func write<Value: RecordValue>(_ name: StaticString, change: Patch<Value>) {
        self.write(name, change.isTouched ? change : nil)
    }

    /// Writes values; nothing for none.
    mutating func write<Values: RecordValue & Collection>(_ name: StaticString, some values: Values) {
        self.write(name, values.isEmpty ? nil : values)
    }
}

extension RecordDecoder {
    fileprivate mutating func change<Value: RecordValue>(_ name: StaticString) throws(RecordDamage) -> Patch<Value> {
        try self.optional(name) ?? .untouched
    }
}

extension Patch: RecordValue where Value: RecordValue {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        if case .set(let value) = self { value.write(to: &encoder) } else { .null }
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        self = value.kind == .null ? .clear : .set(try Value(record: value))
    }
}

extension InfobipValue: RecordValue {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        switch self {
        case .string(let text): return text.write(to: &encoder)
        case .integer(let number): return number.write(to: &encoder)
        case .double(let number): return AttributeValue.double(number).write(to: &encoder)
        case .bool(let flag): return flag.write(to: &encoder)
        case .list(let items): return items.write(to: &encoder)
        case .date(let day): encoder.nest { $0.write("day", day) }
        case .dateTime(let date):
            // Counts from 2001, as `Date` does: counting from 1970 may lose the last bit of a fraction.
            encoder.nest { $0.write("at", AttributeValue.double(date.timeIntervalSinceReferenceDate)) }
        }
        return .record
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        switch value.kind {
        case .text: self = .string(try String(record: value))
        case .integer: self = .integer(try Int64(record: value))
        case .no, .yes: self = .bool(try Bool(record: value))
        case .list: self = .list(try [InfobipItem](record: value))
        case .record:
            var fields = try value.fields()
            if let day: CalendarDay = try fields.optional("day") {
                self = .date(day)
            } else {
                guard case .double(let seconds) = try fields.read("at") as AttributeValue else {
                    throw RecordDamage(field: "at")
                }
                self = .dateTime(Date(timeIntervalSinceReferenceDate: seconds))
            }
        default:
            guard case .double(let number) = try AttributeValue(record: value) else { throw RecordDamage(field: nil) }
            self = .double(number)
        }
    }
}

extension InfobipItem: RecordValue {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        self.members.mapValues { $0.map(Patch.set) ?? .clear }.write(to: &encoder)
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        self.init(try [String: Patch<InfobipValue>](record: value).mapValues { $0.apply(to: nil) })
    }
}

extension CalendarDay: RecordValue {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        self.description.write(to: &encoder)
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        guard let day = CalendarDay(try String(record: value)) else { throw RecordDamage(field: nil) }
        self = day
    }
}

extension RecordValue where Self: RawRepresentable, RawValue == String {
    package func write(to encoder: inout RecordEncoder) -> RecordKind {
        self.rawValue.write(to: &encoder)
    }

    package init(record value: RecordDecoder.Value) throws(RecordDamage) {
        guard let known = Self(rawValue: try String(record: value)) else { throw RecordDamage(field: nil) }
        self = known
    }
}

extension InfobipGender: RecordValue {}
extension InfobipPersonType: RecordValue {}

// MARK: - People

extension InfobipUserChanges: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("ext", change: self.externalUserID)
        encoder.write("first", change: self.firstName)
        encoder.write("middle", change: self.middleName)
        encoder.write("last", change: self.lastName)
        encoder.write("gender", change: self.gender)
        encoder.write("birthday", change: self.birthday)
        encoder.write("phones", change: self.phones)
        encoder.write("emails", change: self.emails)
        encoder.write("tags", change: self.tags.map { $0.sorted() })
        encoder.write("custom", some: self.customAttributes.filter(\.value.isTouched))
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.init()
        self.externalUserID = try decoder.change("ext")
        self.firstName = try decoder.change("first")
        self.middleName = try decoder.change("middle")
        self.lastName = try decoder.change("last")
        self.gender = try decoder.change("gender")
        self.birthday = try decoder.change("birthday")
        self.phones = try decoder.change("phones")
        self.emails = try decoder.change("emails")
        let tags: Patch<[String]> = try decoder.change("tags")
        self.tags = tags.map { Set($0) }
        self.customAttributes = try decoder.optional("custom") ?? [:]
    }
}

/// As the changes of an empty person.
extension InfobipIdentity: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        self.changes.encode(into: &encoder)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self = InfobipUser().applying(try InfobipUserChanges(from: &decoder)).identity
    }
}

/// As the changes of an empty person.
extension InfobipAttributes: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        self.changes.encode(into: &encoder)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        let changes = try InfobipUserChanges(from: &decoder)
        self.init()
        self.firstName = changes.firstName.apply(to: nil)
        self.middleName = changes.middleName.apply(to: nil)
        self.lastName = changes.lastName.apply(to: nil)
        self.gender = changes.gender.apply(to: nil)
        self.birthday = changes.birthday.apply(to: nil)
        self.tags = changes.tags.apply(to: nil)
        self.customAttributes = changes.customAttributes
    }
}

extension InfobipUser: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("type", self.type)
        self.asChanges.encode(into: &encoder)
        encoder.write("on", some: self.installations)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        let type: InfobipPersonType? = try decoder.optional("type")
        self = InfobipUser().applying(try InfobipUserChanges(from: &decoder))
        self.type = type
        self.installations = try decoder.optional("on") ?? []
    }
}

// MARK: - Installations

extension InfobipInstallationChanges: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("app", change: self.applicationUserID)
        encoder.write("primary", self.isPrimary)
        encoder.write("enabled", self.isPushRegistrationEnabled)
        encoder.write("custom", some: self.customAttributes.filter(\.value.isTouched))
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.init()
        self.applicationUserID = try decoder.change("app")
        self.isPrimary = try decoder.optional("primary")
        self.isPushRegistrationEnabled = try decoder.optional("enabled")
        self.customAttributes = try decoder.optional("custom") ?? [:]
    }
}

extension InfobipInstallation: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("id", self.pushRegistrationID)
        encoder.write("enabled", self.isPushRegistrationEnabled)
        encoder.write("primary", self.isPrimary)
        encoder.write("notify", self.notificationsEnabled)
        encoder.write("app", self.applicationUserID)
        encoder.write("custom", some: self.customAttributes)
        encoder.write("service", self.pushServiceType)
        encoder.write("token", self.pushServiceToken?.withExposed { $0 })
        encoder.write("system", self.system)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.init()
        self.pushRegistrationID = try decoder.optional("id")
        self.isPushRegistrationEnabled = try decoder.read("enabled")
        self.isPrimary = try decoder.read("primary")
        self.notificationsEnabled = try decoder.read("notify")
        self.applicationUserID = try decoder.optional("app")
        self.customAttributes = try decoder.optional("custom") ?? [:]
        self.pushServiceType = try decoder.optional("service")
        let token: String? = try decoder.optional("token")
        self.pushServiceToken = token.map { Secret($0) }
        self.system = try decoder.read("system")
    }
}

extension InfobipInstallationSystem: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("sdk", self.sdkVersion)
        encoder.write("app", self.appVersion)
        encoder.write("os", self.os)
        encoder.write("osVersion", self.osVersion)
        encoder.write("maker", self.deviceManufacturer)
        encoder.write("model", self.deviceModel)
        encoder.write("name", self.deviceName)
        encoder.write("secure", self.deviceSecure)
        encoder.write("language", self.language)
        encoder.write("zone", self.timeZoneOffset)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.init()
        self.sdkVersion = try decoder.optional("sdk")
        self.appVersion = try decoder.optional("app")
        self.os = try decoder.optional("os")
        self.osVersion = try decoder.optional("osVersion")
        self.deviceManufacturer = try decoder.optional("maker")
        self.deviceModel = try decoder.optional("model")
        self.deviceName = try decoder.optional("name")
        self.deviceSecure = try decoder.optional("secure")
        self.language = try decoder.optional("language")
        self.timeZoneOffset = try decoder.optional("zone")
    }
}
