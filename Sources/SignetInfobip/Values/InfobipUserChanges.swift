// SPDX-License-Identifier: Apache-2.0

/// Changes of a person: each attribute is untouched, set or cleared.
///
/// ```swift
/// var changes = InfobipUserChanges()
/// changes.firstName = .set("Ann")
/// changes.middleName = .clear
/// changes.customAttributes["plan"] = .set("gold")
/// ```
public struct InfobipUserChanges: Sendable, Hashable {
    /// At most 256 characters; "null" in any spelling is refused, because Infobip takes it for no id.
    public var externalUserID = Patch<String>.untouched
    /// At most 255 characters.
    public var firstName = Patch<String>.untouched
    /// At most 50 characters.
    public var middleName = Patch<String>.untouched
    /// At most 255 characters.
    public var lastName = Patch<String>.untouched
    /// The gender.
    public var gender = Patch<InfobipGender>.untouched
    /// The birthday.
    public var birthday = Patch<CalendarDay>.untouched
    /// All phone numbers, at most 100: digits with an optional `+`, 5 to 15 of them.
    public var phones = Patch<[String]>.untouched
    /// All e-mail addresses, at most 100, of at most 255 characters.
    public var emails = Patch<[String]>.untouched
    /// All tags.
    public var tags = Patch<Set<String>>.untouched
    /// The attributes that the app defines, by name; attributes without a name here are untouched.
    public var customAttributes: [String: Patch<InfobipValue>] = [:]

    /// Makes empty changes.
    public init() {}

    /// True when nothing changes.
    public var isEmpty: Bool {
        self.normalized == InfobipUserChanges()
    }

    private var normalized: InfobipUserChanges {
        var changes = self
        changes.customAttributes = self.customAttributes.filter(\.value.isTouched)
        return changes
    }

    /// Merges these changes with later ones, which take precedence.
    package func then(_ later: InfobipUserChanges) -> InfobipUserChanges {
        var both = InfobipUserChanges()
        both.externalUserID = self.externalUserID.then(later.externalUserID)
        both.firstName = self.firstName.then(later.firstName)
        both.middleName = self.middleName.then(later.middleName)
        both.lastName = self.lastName.then(later.lastName)
        both.gender = self.gender.then(later.gender)
        both.birthday = self.birthday.then(later.birthday)
        both.phones = self.phones.then(later.phones)
        both.emails = self.emails.then(later.emails)
        both.tags = self.tags.then(later.tags)
        both.customAttributes = self.customAttributes.then(later.customAttributes)
        return both
    }
}

extension InfobipUserChanges: CustomStringConvertible, CustomReflectable {
    /// The number of custom attributes, without names and values.
    public var description: String {
        "InfobipUserChanges(\(self.customAttributes.count) custom)"
    }

    /// A mirror without values.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
