// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The identity of a person for personalizing: at least one of phones, e-mail addresses and an external user id.
///
/// Fields that are left out stay unchanged; an identity never removes a value.
public struct InfobipIdentity: Sendable, Hashable {
    /// Phone numbers: digits with an optional `+`, 5 to 15 of them.
    public var phones: [String]
    /// E-mail addresses.
    public var emails: [String]
    /// The app's own id of the person; "null" in any spelling is refused.
    public var externalUserID: String?

    /// Makes an identity.
    public init(phones: [String] = [], emails: [String] = [], externalUserID: String? = nil) {
        self.phones = phones
        self.emails = emails
        self.externalUserID = externalUserID
    }
}

extension InfobipIdentity {
    /// Compares all texts.
    public static func == (lhs: InfobipIdentity, rhs: InfobipIdentity) -> Bool {
        lhs.texts == rhs.texts
    }

    /// Hashes all texts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.texts)
    }

    /// Two identities are the same when their bytes are, as for Infobip.
    private var texts: [[ByteText]] {
        [self.phones, self.emails, self.externalUserID.map { [$0] } ?? []].map { $0.map { ByteText($0) } }
    }
}

extension InfobipIdentity: CustomStringConvertible, CustomReflectable {
    /// The counts of phones and addresses, without values.
    public var description: String {
        let id = self.externalUserID == nil ? "no external id" : "an external id"
        return "InfobipIdentity(\(self.phones.count) phones, \(self.emails.count) emails, \(id))"
    }

    /// A mirror without values.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

/// The attributes of a person that personalizing sets, beside the identity.
///
/// A value replaces the one that Infobip has; nil leaves it unchanged. Only custom attributes can be cleared
/// this way.
public struct InfobipAttributes: Sendable, Hashable {
    /// At most 255 characters.
    public var firstName: String?
    /// At most 50 characters.
    public var middleName: String?
    /// At most 255 characters.
    public var lastName: String?
    /// The gender.
    public var gender: InfobipGender?
    /// The birthday.
    public var birthday: CalendarDay?
    /// The complete set of tags.
    public var tags: Set<String>?
    /// The attributes that the app defines, by name.
    public var customAttributes: [String: Patch<InfobipValue>] = [:]

    /// Makes empty attributes.
    public init() {}

    /// The same values as changes of a person.
    package var changes: InfobipUserChanges {
        func change<Value>(_ value: Value?) -> Patch<Value> {
            value.map(Patch.set) ?? .untouched
        }
        var changes = InfobipUserChanges()
        changes.firstName = change(self.firstName)
        changes.middleName = change(self.middleName)
        changes.lastName = change(self.lastName)
        changes.gender = change(self.gender)
        changes.birthday = change(self.birthday)
        changes.tags = change(self.tags)
        changes.customAttributes = self.customAttributes
        return changes
    }
}

extension InfobipAttributes: CustomStringConvertible, CustomReflectable {
    /// The number of custom attributes, without names and values.
    public var description: String {
        "InfobipAttributes(\(self.customAttributes.count) custom)"
    }

    /// A mirror without values.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
