// SPDX-License-Identifier: Apache-2.0

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
