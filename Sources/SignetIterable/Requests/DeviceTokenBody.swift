// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A push token that may reach a user from now on (`users/registerDeviceToken`).
struct DeviceTokenBody: Sendable, Hashable {
    /// The user that the token reaches.
    var user: IterableIdentity
    /// The token, in hexadecimal.
    var token: String
    /// The push service: `APNS` or `APNS_SANDBOX`.
    var platform: String
    /// The name of the app at the service.
    var applicationName: String
    /// The fields of the device.
    var fields: JSONObject
    /// The wall clock, seconds since 1970.
    var createdAt: Int64

    init(
        user: IterableIdentity,
        token: String,
        platform: String,
        applicationName: String,
        fields: JSONObject,
        createdAt: Int64
    ) {
        self.user = user
        self.token = token
        self.platform = platform
        self.applicationName = applicationName
        self.fields = fields
        self.createdAt = createdAt
    }

    /// The JSON text.
    func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("createdAt", self.createdAt)
        writer.key("device")
        writer.beginObject()
        writer.member("applicationName", self.applicationName)
        writer.member("dataFields", .object(self.fields))
        writer.member("platform", self.platform)
        writer.member("token", self.token)
        writer.endObject()
        self.user.writeEmail(to: &writer)
        self.user.writePreference(to: &writer)
        self.user.writeUserID(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

extension DeviceTokenBody: CustomStringConvertible {
    /// The platform, without the token.
    var description: String {
        "DeviceTokenBody(\(self.platform))"
    }
}
