// SPDX-License-Identifier: Apache-2.0

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
