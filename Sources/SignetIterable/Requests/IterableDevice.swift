// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The device that consent and an unknown user come from (`deviceInfo`).
struct IterableDevice: Sendable, Hashable {
    /// A UUID of the installation.
    var deviceID: String
    /// The kind of device.
    var platform: String
    /// The bundle id of the app; empty when there is none.
    var appPackageName: String

    init(deviceID: String, platform: String, appPackageName: String = "") {
        self.deviceID = deviceID
        self.platform = platform
        self.appPackageName = appPackageName
    }

    /// Writes the member of a body.
    func write(to writer: inout JSONWriter) {
        writer.key("deviceInfo")
        writer.beginObject()
        writer.member("appPackageName", self.appPackageName)
        writer.member("deviceId", self.deviceID)
        writer.member("platform", self.platform)
        writer.endObject()
    }
}
