// SPDX-License-Identifier: Apache-2.0

/// A snapshot of a person, as Infobip has it or with the app's own changes applied.
public struct InfobipUser: Sendable, Hashable {
    /// Lead or customer; nil until Infobip has reported it.
    public package(set) var type: InfobipPersonType?
    /// The app's own id of the person.
    public package(set) var externalUserID: String?
    /// The first name.
    public package(set) var firstName: String?
    /// The middle name.
    public package(set) var middleName: String?
    /// The last name.
    public package(set) var lastName: String?
    /// The gender.
    public package(set) var gender: InfobipGender?
    /// The birthday.
    public package(set) var birthday: CalendarDay?
    /// The phone numbers, in the order of Infobip.
    public package(set) var phones: [String] = []
    /// The e-mail addresses, in the order of Infobip.
    public package(set) var emails: [String] = []
    /// The tags.
    public package(set) var tags: Set<String> = []
    /// The attributes that the app defines; Infobip returns dates as texts.
    public package(set) var customAttributes: [String: InfobipValue] = [:]
    /// The installations of the person, including this one.
    public package(set) var installations: [InfobipInstallation] = []

    /// Makes an empty person.
    public init() {}

    /// Applies changes.
    package func applying(_ changes: InfobipUserChanges) -> InfobipUser {
        var profile = self
        profile.externalUserID = changes.externalUserID.apply(to: self.externalUserID)
        profile.firstName = changes.firstName.apply(to: self.firstName)
        profile.middleName = changes.middleName.apply(to: self.middleName)
        profile.lastName = changes.lastName.apply(to: self.lastName)
        profile.gender = changes.gender.apply(to: self.gender)
        profile.birthday = changes.birthday.apply(to: self.birthday)
        profile.phones = changes.phones.apply(to: self.phones) ?? []
        profile.emails = changes.emails.apply(to: self.emails) ?? []
        profile.tags = changes.tags.apply(to: self.tags) ?? []
        profile.customAttributes = changes.customAttributes.apply(to: self.customAttributes)
        return profile
    }
}

extension InfobipUser: CustomStringConvertible, CustomReflectable {
    /// The type and the counts, without names and values.
    public var description: String {
        let type = self.type?.rawValue ?? "of no type yet"
        return "InfobipUser(\(type), \(self.customAttributes.count) custom, \(self.installations.count) installations)"
    }

    /// A mirror without values.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}

/// The genders that Infobip accepts.
public enum InfobipGender: String, Sendable, Hashable, CaseIterable {
    /// `Male`.
    case male = "Male"
    /// `Female`.
    case female = "Female"
}

/// The type of a person, which Infobip decides and an app only reads.
public enum InfobipPersonType: String, Sendable, Hashable, CaseIterable {
    /// A person who may become a customer; every person begins as a lead.
    case lead = "LEAD"
    /// A person who was personalized and not kept as a lead.
    case customer = "CUSTOMER"
}
