// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

/// The app's description of the device at each start; it counts before the service has it.
struct InfobipDevice: Sendable, Hashable {
    /// The system of the device, without omitted fields.
    var system = InfobipInstallationSystem()
    /// True if the user allows notifications; nil if unknown.
    var notificationsEnabled: Bool?

    /// The installation with the values of this device; a value that the app does not give stays as the service has it.
    func applied(to profile: InfobipInstallation) -> InfobipInstallation {
        var profile = profile
        profile.notificationsEnabled = self.notificationsEnabled ?? profile.notificationsEnabled
        var system = self.system
        system.sdkVersion = system.sdkVersion ?? profile.system.sdkVersion
        system.appVersion = system.appVersion ?? profile.system.appVersion
        system.os = system.os ?? profile.system.os
        system.osVersion = system.osVersion ?? profile.system.osVersion
        system.deviceManufacturer = system.deviceManufacturer ?? profile.system.deviceManufacturer
        system.deviceModel = system.deviceModel ?? profile.system.deviceModel
        system.deviceName = system.deviceName ?? profile.system.deviceName
        system.deviceSecure = system.deviceSecure ?? profile.system.deviceSecure
        system.language = system.language ?? profile.system.language
        system.timeZoneOffset = system.timeZoneOffset ?? profile.system.timeZoneOffset
        profile.system = system
        return profile
    }
}

extension InfobipConfiguration {
    /// The description of the device that the service has, or is to have.
    var device: InfobipDevice {
        var device = InfobipDevice(system: self.effectiveSystem, notificationsEnabled: self.notificationsEnabled)
        guard self.omitsDeviceInformation else { return device }
        device.system.deviceModel = nil
        device.system.appVersion = nil
        device.system.deviceSecure = nil
        device.system.language = nil
        device.system.deviceName = nil
        device.system.timeZoneOffset = nil
        return device
    }
}
