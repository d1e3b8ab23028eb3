// SPDX-License-Identifier: Apache-2.0

/// Changes of an installation.
public struct InfobipInstallationChanges: Sendable, Hashable {
    /// The user of the installation among several apps with one user base.
    public var applicationUserID = Patch<String>.untouched
    /// True makes this the primary installation of its person; nil leaves it unchanged.
    public var isPrimary: Bool?
    /// True lets the installation receive push messages; nil leaves it unchanged.
    public var isPushRegistrationEnabled: Bool?
    /// The attributes that the app defines, by name; attributes without a name here are untouched.
    public var customAttributes: [String: Patch<InfobipValue>] = [:]

    /// Makes empty changes.
    public init() {}

    /// True when nothing changes.
    public var isEmpty: Bool {
        !self.applicationUserID.isTouched && self.isPrimary == nil && self.isPushRegistrationEnabled == nil
            && !self.customAttributes.values.contains(where: \.isTouched)
    }

    /// Merges these changes with later ones, which take precedence.
    package func then(_ later: InfobipInstallationChanges) -> InfobipInstallationChanges {
        var both = InfobipInstallationChanges()
        both.applicationUserID = self.applicationUserID.then(later.applicationUserID)
        both.isPrimary = later.isPrimary ?? self.isPrimary
        both.isPushRegistrationEnabled = later.isPushRegistrationEnabled ?? self.isPushRegistrationEnabled
        both.customAttributes = self.customAttributes.then(later.customAttributes)
        return both
    }
}

extension InfobipInstallationChanges: CustomStringConvertible, CustomReflectable {
    /// The number of custom attributes, without names and values.
    public var description: String {
        "InfobipInstallationChanges(\(self.customAttributes.count) custom)"
    }

    /// A mirror without values.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
