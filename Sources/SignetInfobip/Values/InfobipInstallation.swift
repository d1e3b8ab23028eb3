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

/// The system that an installation runs on; unknown fields are nil.
public struct InfobipInstallationSystem: Sendable, Hashable {
    /// The version of this library.
    public var sdkVersion: String?
    /// The version of the app.
    public var appVersion: String?
    /// The operating system.
    public var os: String?
    /// The version of the operating system.
    public var osVersion: String?
    /// The manufacturer of the device.
    public var deviceManufacturer: String?
    /// The model of the device.
    public var deviceModel: String?
    /// The name that its owner gave the device.
    public var deviceName: String?
    /// True when the device can authenticate its owner.
    public var deviceSecure: Bool?
    /// The language, such as `hr`.
    public var language: String?
    /// The offset of the device's clock from Greenwich, such as `GMT+03:30`.
    public var timeZoneOffset: String?

    /// Makes an empty value.
    public init() {}

    /// Formats an offset: `GMT+00:00` in Greenwich, `GMT±hh:mm` elsewhere.
    ///
    /// - Parameter seconds: Seconds east of Greenwich; those beyond whole minutes are dropped.
    /// - Returns: Nine characters; offsets are limited to 99 hours and 59 minutes.
    public static func timeZoneOffset(seconds: Int) -> String {
        let minutes = min(seconds.magnitude / 60, 99 * 60 + 59)
        let hours = CalendarDay.padded(Int(minutes / 60), to: 2)
        return "GMT\(seconds < 0 && minutes > 0 ? "-" : "+")\(hours):\(CalendarDay.padded(Int(minutes % 60), to: 2))"
    }
}
