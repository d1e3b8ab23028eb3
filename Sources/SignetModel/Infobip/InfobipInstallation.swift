//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// An installation as the service knows it, or as an app sees it with its own changes: a value, taken at one moment.
public struct InfobipInstallation: Sendable, Hashable {
    /// The id that the service gave it; nil before it is registered.
    public package(set) var pushRegistrationID: String?
    /// Whether it is to get push messages.
    public package(set) var isPushRegistrationEnabled = true
    /// Whether it is the primary installation of its person.
    public package(set) var isPrimary = false
    /// Whether its user lets it show messages.
    public package(set) var notificationsEnabled = true
    /// Which user of several apps with one user base it is for.
    public package(set) var applicationUserID: String?
    /// The attributes that the app made up; dates are texts when they come from the service.
    public package(set) var customAttributes: [String: InfobipValue] = [:]
    /// Which push service reaches it.
    public package(set) var pushServiceType: String?
    /// The token of the push service, in lower case.
    public package(set) var pushServiceToken: Secret?
    /// What it runs on.
    public package(set) var system = InfobipInstallationSystem()

    /// Makes an installation that is not registered.
    public init() {}

    /// What the installation is with changes.
    package func applying(_ changes: InfobipInstallationChanges) -> InfobipInstallation {
        var profile = self
        profile.applicationUserID = changes.applicationUserID.apply(to: self.applicationUserID)
        profile.isPrimary = changes.isPrimary ?? self.isPrimary
        profile.isPushRegistrationEnabled = changes.isPushRegistrationEnabled ?? self.isPushRegistrationEnabled
        profile.customAttributes = changes.customAttributes.apply(to: self.customAttributes)
        return profile
    }
}

extension InfobipInstallation: CustomStringConvertible, CustomReflectable {
    /// The states, without ids and values.
    public var description: String {
        let state = self.pushRegistrationID == nil ? "not registered" : "registered"
        return "InstallationProfile(\(state)\(self.isPrimary ? ", primary" : ""))"
    }

    /// A mirror without values.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
