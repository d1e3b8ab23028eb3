// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

extension ApplicationInformation {
    /// Writes the app (Events API v2, `application_info`).
    func write(to writer: inout JSONWriter) {
        writer.key("application_info")
        writer.beginObject()
        if let name = self.name { writer.member("application_name", name) }
        if let version = self.version { writer.member("application_version", version) }
        if let build = self.build { writer.member("application_build_number", build) }
        if let package = self.package { writer.member("package", package) }
        if let system = self.system { writer.member("os", system.description) }
        writer.endObject()
    }
}

extension BatchBody {
    /// The names of identities in `device_info`; `isUUID` marks those for which the JSON Schema takes only UUIDs.
    ///
    /// The platform would refuse the whole batch for another value.
    private static let deviceMembers: [(type: IdentityType, name: String, isUUID: Bool)] = [
        (.iosAdvertiserID, "ios_advertising_id", true), (.iosVendorID, "ios_idfv", true),
        (.pushToken, "push_token", false), (.androidAdvertisingID, "android_advertising_id", true),
        (.androidUUID, "android_uuid", false), (.ampID, "amp_id", false),
        (.rokuAdvertisingID, "roku_advertising_id", true), (.rokuPublisherID, "roku_publisher_id", true),
        (.fireAdvertisingID, "fire_advertising_id", true),
    ]

    /// Writes the device with its identities (Events API v2, `device_info`).
    func writeDevice(to writer: inout JSONWriter) {
        let identities = Self.deviceMembers.compactMap { member -> (String, String)? in
            guard let value = self.deviceIdentities[member.type], !member.isUUID || UUID(uuidString: value) != nil
            else { return nil }
            return (member.name, value)
        }
        guard self.device != nil || !identities.isEmpty else { return }
        writer.key("device_info")
        writer.beginObject()
        self.device?.writeMembers(to: &writer)
        for (name, value) in identities { writer.member(name, value) }
        writer.endObject()
    }
}

extension BatchBody {
    /// Writes the attributes for integrations (Events API v2, `integration_attributes`).
    func writeIntegrationAttributes(to writer: inout JSONWriter) {
        guard !self.integrationAttributes.isEmpty else { return }
        writer.key("integration_attributes")
        Self.write(self.integrationAttributes, to: &writer)
    }

    /// Writes the attributes of integrations as one object.
    static func write(_ integrations: [Int: [String: String]], to writer: inout JSONWriter) {
        writer.beginObject()
        for (integration, attributes) in integrations.sorted(by: { $0.key < $1.key }) {
            writer.key(String(integration))
            writer.beginObject()
            for (key, value) in attributes.sorted(by: { $0.key < $1.key }) { writer.member(key, value) }
            writer.endObject()
        }
        writer.endObject()
    }
}

extension DeviceInformation {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        if let text = self.manufacturer { writer.member("device_manufacturer", text) }
        if let text = self.model { writer.member("device_model", text) }
        if let text = self.systemVersion { writer.member("os_version", text) }
        if let text = self.processorArchitecture { writer.member("cpu_architecture", text) }
        if let text = self.localeLanguage { writer.member("locale_language", text) }
        if let text = self.localeCountry { writer.member("locale_country", text) }
        if let hours = self.timeZoneOffset { writer.member("timezone_offset", Int64(hours)) }
        if let text = self.userAgent { writer.member("http_header_user_agent", text) }
        if let width = self.screenWidth { writer.member("screen_width", Int64(width)) }
        if let height = self.screenHeight { writer.member("screen_height", Int64(height)) }
    }
}
