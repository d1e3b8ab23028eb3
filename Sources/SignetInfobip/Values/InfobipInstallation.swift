// SPDX-License-Identifier: Apache-2.0

public import SignetModel

/// A snapshot of an installation, as Infobip has it or with the app's own changes applied.
public struct InfobipInstallation: Sendable, Hashable {
    /// The id that Infobip assigns; nil before registration.
    public package(set) var pushRegistrationID: String?
    /// True when the installation receives push messages.
    public package(set) var isPushRegistrationEnabled = true
    /// True when this is the primary installation of its person.
    public package(set) var isPrimary = false
    /// True when the user allows the installation to show messages.
    public package(set) var notificationsEnabled = true
    /// The user of the installation among several apps with one user base.
    public package(set) var applicationUserID: String?
    /// The attributes that the app defines; Infobip returns dates as texts.
    public package(set) var customAttributes: [String: InfobipValue] = [:]
    /// The push service that reaches the installation.
    public package(set) var pushServiceType: String?
    /// The token of the push service, in lower case.
    public package(set) var pushServiceToken: Secret?
    /// The system that the installation runs on.
    public package(set) var system = InfobipInstallationSystem()

    /// Makes an unregistered installation.
    public init() {}

    /// Applies changes.
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
    /// The registration state, without ids and values.
    public var description: String {
        let state = self.pushRegistrationID == nil ? "not registered" : "registered"
        return "InfobipInstallation(\(state)\(self.isPrimary ? ", primary" : ""))"
    }

    /// A mirror without values.
    public var customMirror: Mirror {
        Mirror(self, children: EmptyCollection<Mirror.Child>())
    }
}
