//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What is to change of an installation.
public struct InfobipInstallationChanges: Sendable, Hashable {
    /// Which user of several apps with one user base this installation is for.
    public var applicationUserID = Patch<String>.untouched
    /// Whether it is the primary installation of its person; nil leaves it.
    public var isPrimary: Bool?
    /// Whether it is to get push messages; nil leaves it.
    public var isPushRegistrationEnabled: Bool?
    /// The attributes that the app made up, by their names; those without a name here are untouched.
    public var customAttributes: [String: Patch<InfobipValue>] = [:]

    /// Makes changes that change nothing.
    public init() {}

    /// Whether nothing changes.
    public var isEmpty: Bool {
        !self.applicationUserID.isTouched && self.isPrimary == nil && self.isPushRegistrationEnabled == nil
            && !self.customAttributes.values.contains(where: \.isTouched)
    }

    /// These changes and later ones together: of what both change, the later ones count.
    package func then(_ later: InfobipInstallationChanges) -> InfobipInstallationChanges {
        var both = InfobipInstallationChanges()
        both.applicationUserID = self.applicationUserID.then(later.applicationUserID)
        both.isPrimary = later.isPrimary ?? self.isPrimary
        both.isPushRegistrationEnabled = later.isPushRegistrationEnabled ?? self.isPushRegistrationEnabled
        both.customAttributes = self.customAttributes.then(later.customAttributes)
        return both
    }

    /// What is left when changes have been carried out: those that came, or came again, meanwhile.
    package func without(_ done: InfobipInstallationChanges) -> InfobipInstallationChanges {
        var left = InfobipInstallationChanges()
        left.applicationUserID = self.applicationUserID.without(done.applicationUserID)
        left.isPrimary = self.isPrimary == done.isPrimary ? nil : self.isPrimary
        let isEnabled = self.isPushRegistrationEnabled
        left.isPushRegistrationEnabled = isEnabled == done.isPushRegistrationEnabled ? nil : isEnabled
        left.customAttributes = self.customAttributes.without(done.customAttributes)
        return left
    }
}

extension InfobipInstallationChanges: CustomStringConvertible, CustomReflectable {
    /// The number of custom attributes, without names and values.
    public var description: String {
        "InstallationProfileChanges(\(self.customAttributes.count) custom)"
    }

    /// A mirror without values.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
