// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

/// The documented limits and forms of Infobip data.
///
/// All are checked together, before anything is stored or sent.
enum InfobipLimits {
    private static let nameLength = 255
    private static let middleNameLength = 50
    private static let externalUserIDLength = 256
    private static let emailLength = 255
    private static let contacts = 100
    private static let valueLength = 4096
    private static let phoneDigits = 5...15

    /// The limits on an answer: a person has thousands of installations.
    static let answer = JSONLimits(bytes: 1 << 22, values: 1_000_000)
    /// The most bytes of several events in one request.
    static let eventBytes = 256 << 10

    /// All violations in changes of a person.
    ///
    /// A contact that the service has named is good enough for it, whatever its form.
    static func violations(of changes: InfobipUserChanges, known user: InfobipUser = .init()) -> [InfobipViolation] {
        var found: [InfobipViolation] = []
        for (field, change, limit) in [
            ("firstName", changes.firstName, Self.nameLength),
            ("middleName", changes.middleName, Self.middleNameLength),
            ("lastName", changes.lastName, Self.nameLength),
        ] {
            if case .set(let text) = change {
                found += Self.length(text, field, limit)
            }
        }
        if case .set(let id) = changes.externalUserID {
            found += Self.externalUserID(id)
        }
        if case .set(let phones) = changes.phones {
            found += Self.phones(phones, known: Set(user.phones))
        }
        if case .set(let emails) = changes.emails {
            found += Self.emails(emails, known: Set(user.emails))
        }
        return found + Self.attributes(changes.customAttributes)
    }

    /// All violations in changes of an installation.
    static func violations(of changes: InfobipInstallationChanges) -> [InfobipViolation] {
        Self.attributes(changes.customAttributes)
    }

    /// All violations in an identity, and in its attributes.
    static func violations(
        of identity: InfobipIdentity,
        _ attributes: InfobipAttributes? = nil
    ) -> [InfobipViolation] {
        var found: [InfobipViolation] = []
        if identity.phones.isEmpty, identity.emails.isEmpty, identity.externalUserID == nil {
            found.append(InfobipViolation("identity", .anyIdentity))
        }
        found += identity.externalUserID.map(Self.externalUserID) ?? []
        found += Self.phones(identity.phones) + Self.emails(identity.emails)
        return found + (attributes.map { Self.violations(of: $0.changes) } ?? [])
    }

    /// All violations in an event.
    static func violations(of event: InfobipEvent) -> [InfobipViolation] {
        var found = SettingTextFault.isBlank(event.definitionID) ? [InfobipViolation("definitionID", .notEmpty)] : []
        for (key, value) in event.properties.sorted(by: { $0.key < $1.key }) {
            let field = "properties." + key
            if case .list = value {
                found.append(InfobipViolation(field, .singleValue))
            } else if let value {
                found += Self.value(value, field)
            }
        }
        return found
    }

    // Counts UTF-16 code units: no other way of counting gives more, so a text that passes here passes at the service.
    private static func length(_ text: String, _ field: String, _ limit: Int) -> [InfobipViolation] {
        text.utf16.count > limit ? [InfobipViolation(field, .maximumLength(limit))] : []
    }

    private static func externalUserID(_ id: String) -> [InfobipViolation] {
        var found = Self.length(id, "externalUserID", Self.externalUserIDLength)
        if id.isEmpty {
            found.append(InfobipViolation("externalUserID", .notEmpty))
        }
        if id.lowercased() == "null" {
            found.append(InfobipViolation("externalUserID", .notNull))
        }
        return found
    }

    private static func phones(_ phones: [String], known: Set<String> = []) -> [InfobipViolation] {
        var found = phones.count > Self.contacts ? [InfobipViolation("phones", .maximumCount(Self.contacts))] : []
        for (position, phone) in phones.enumerated() where !known.contains(phone) {
            let digits = phone.utf8.first == UInt8(ascii: "+") ? phone.utf8.dropFirst() : phone.utf8[...]
            let isPhone = digits.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } && Self.phoneDigits.contains(digits.count)
            if !isPhone {
                found.append(InfobipViolation("phones[\(position)]", .phone))
            }
        }
        return found
    }

    private static func emails(_ emails: [String], known: Set<String> = []) -> [InfobipViolation] {
        var found = emails.count > Self.contacts ? [InfobipViolation("emails", .maximumCount(Self.contacts))] : []
        for (position, email) in emails.enumerated() where !known.contains(email) {
            // Scalars, because a character may be an @ with a combining mark.
            let parts = email.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
            let isClean = email.unicodeScalars.allSatisfy { scalar in
                scalar.value > 0x20 && !(0x7F...0xA0).contains(scalar.value) && !scalar.properties.isWhitespace
            }
            if parts.count != 2 || parts.contains(where: \.isEmpty) || !isClean {
                found.append(InfobipViolation("emails[\(position)]", .email))
            }
            found += Self.length(email, "emails[\(position)]", Self.emailLength)
        }
        return found
    }

    private static func attributes(_ changes: [String: Patch<InfobipValue>]) -> [InfobipViolation] {
        var found: [InfobipViolation] = []
        for (key, change) in changes.sorted(by: { $0.key < $1.key }) where change.isTouched {
            if key.isEmpty {
                found.append(InfobipViolation("customAttributes", .notEmpty))
            }
            if case .set(let value) = change {
                found += Self.value(value, "customAttributes." + key)
            }
        }
        return found
    }

    private static func value(_ value: InfobipValue, _ field: String) -> [InfobipViolation] {
        switch value {
        case .string(let text):
            return Self.length(text, field, Self.valueLength)
        case .double(let number):
            return number.isFinite ? [] : [InfobipViolation(field, .finite)]
        case .dateTime(let date):
            return InfobipMoment.isRepresentable(date) ? [] : [InfobipViolation(field, .representableDate)]
        case .integer, .bool, .date:
            return []
        case .list(let items):
            return Self.list(items, field)
        }
    }

    // Measures the JSON that is sent, with its dates converted: measuring unconverted ones can crash.
    private static func list(_ items: [InfobipItem], _ field: String) -> [InfobipViolation] {
        var found: [InfobipViolation] = []
        for item in items {
            for (key, value) in item.members.sorted(by: { $0.key < $1.key }) {
                guard let value else { continue }
                if case .list = value {
                    found.append(InfobipViolation(field, .flatItems))
                } else {
                    found += Self.value(value, field + "." + key)
                }
            }
        }
        if items.contains(where: \.members.isEmpty) {
            found.append(InfobipViolation(field, .flatItems))
        }
        let shapes = items.map { $0.members.mapValues(Self.kind) }
        if shapes.contains(where: { $0 != shapes.first }) {
            found.append(InfobipViolation(field, .sameShape))
        }
        let text = String(decoding: InfobipJSON.json(.list(items)).encoded(), as: UTF8.self)
        return found + Self.length(text, field, Self.valueLength)
    }

    // A null is a kind of its own. Whole numbers and other numbers are one kind.
    private static func kind(_ value: InfobipValue?) -> Int {
        switch value {
        case nil: 0
        case .string: 1
        case .integer, .double: 2
        case .bool: 3
        case .date: 4
        case .dateTime: 5
        case .list: 6
        }
    }
}
