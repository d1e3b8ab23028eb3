//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel
import SignetTransport

package import struct FoundationEssentials.UUID

/// Events of one user on their way (Events API v2, batch).
///
/// The same batch is the same bytes whenever it is written, so that a repeated one can be recognised.
package struct BatchBody: Sendable, Hashable {
    /// The batch's own id, kept across retries (`source_request_id`).
    package var batchID: UUID
    /// When the batch was made, milliseconds since 1970.
    package var milliseconds: Int64
    /// Which data set.
    package var environment: WorkspaceEnvironment
    /// Whose events.
    package var mpid: MPID
    /// The installation's permanent id; nil when it is not known any more.
    package var deviceApplicationStamp: UUID?
    /// The user's attributes.
    package var userAttributes: [String: AttributeValue]
    /// Attributes that the user had and has no more.
    package var deletedUserAttributes: [String]
    /// The user's identities; those of devices, and those that the Events API has no name for, stay behind.
    package var userIdentities: [IdentityType: String]
    /// What the user agreed to.
    package var consent: ConsentState?
    /// The version of the SDK.
    package var sdkVersion: String?
    /// The plan that the events were logged under.
    package var dataPlan: DataPlan?
    /// What brought the user to the app.
    package var attribution: Attribution?
    /// The app.
    package var application: ApplicationInformation?
    /// The device.
    package var device: DeviceInformation?
    /// The device's identities; those that the Events API has no name for, or takes no such value of, stay behind.
    package var deviceIdentities: [IdentityType: String]
    /// Where the user is.
    package var ip: IPAddress?

    package init(
        batchID: UUID,
        milliseconds: Int64,
        environment: WorkspaceEnvironment,
        mpid: MPID,
        deviceApplicationStamp: UUID?,
        userAttributes: [String: AttributeValue] = [:],
        deletedUserAttributes: [String] = [],
        userIdentities: [IdentityType: String] = [:],
        consent: ConsentState? = nil,
        sdkVersion: String? = nil,
        dataPlan: DataPlan? = nil,
        attribution: Attribution? = nil,
        application: ApplicationInformation? = nil,
        device: DeviceInformation? = nil,
        deviceIdentities: [IdentityType: String] = [:],
        ip: IPAddress? = nil
    ) {
        self.batchID = batchID
        self.milliseconds = milliseconds
        self.environment = environment
        self.mpid = mpid
        self.deviceApplicationStamp = deviceApplicationStamp
        self.userAttributes = userAttributes
        self.deletedUserAttributes = deletedUserAttributes
        self.userIdentities = userIdentities
        self.consent = consent
        self.sdkVersion = sdkVersion
        self.dataPlan = dataPlan
        self.attribution = attribution
        self.application = application
        self.device = device
        self.deviceIdentities = deviceIdentities
        self.ip = ip
    }

    /// The bytes of a batch without events; each event adds its own, and a comma between two.
    ///
    /// Counted by writing it: keep the number.
    package var overhead: Int {
        self.encoded(events: []).count
    }

    /// The JSON text.
    ///
    /// - Parameter events: What ``EventBody`` wrote, oldest first; taken over as it is.
    /// - Returns: The batch, events last.
    package func encoded(events: [[UInt8]]) -> [UInt8] {
        let size = events.reduce(into: 0) { $0 += $1.count + 1 }
        var writer = JSONWriter(reservingCapacity: size + 1024)
        writer.beginObject()
        writer.member("source_request_id", self.batchID)
        writer.member("timestamp_unixtime_ms", self.milliseconds)
        writer.member("environment", self.environment.rawValue)
        writer.member("mpid", self.mpid.rawValue)
        if let deviceApplicationStamp = self.deviceApplicationStamp {
            writer.member("mp_deviceid", deviceApplicationStamp)
        }
        if let sdkVersion = self.sdkVersion {
            writer.member("sdk_version", sdkVersion)
        }
        self.writeDataPlan(to: &writer)
        self.writeAttribution(to: &writer)
        self.application?.write(to: &writer)
        self.writeDevice(to: &writer)
        if let ip = self.ip { writer.member("ip", ip.description) }
        self.writeAttributes(to: &writer)
        self.writeDeletedAttributes(to: &writer)
        self.writeIdentities(to: &writer)
        if let consent = self.consent, !consent.isEmpty {
            writer.key("consent_state")
            consent.write(to: &writer)
        }
        writer.key("events")
        writer.beginArray()
        for event in events {
            writer.raw(event)
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private func writeDataPlan(to writer: inout JSONWriter) {
        guard let plan = self.dataPlan else { return }
        writer.key("context")
        writer.beginObject()
        writer.key("data_plan")
        writer.beginObject()
        writer.member("plan_id", plan.id)
        if let version = plan.version { writer.member("plan_version", Int64(version)) }
        writer.endObject()
        writer.endObject()
    }

    private func writeAttribution(to writer: inout JSONWriter) {
        guard let attribution = self.attribution else { return }
        writer.key("attribution_info")
        writer.beginObject()
        writer.member("service_provider", attribution.serviceProvider)
        writer.member("publisher", attribution.publisher)
        writer.member("campaign", attribution.campaign)
        writer.endObject()
    }

    // Unlike attributes of events, those of users keep their type.
    private func writeAttributes(to writer: inout JSONWriter) {
        guard !self.userAttributes.isEmpty else { return }
        writer.key("user_attributes")
        writer.beginObject()
        for (key, value) in self.userAttributes.sorted(by: { $0.key < $1.key }) {
            writer.key(key)
            Self.write(value, to: &writer)
        }
        writer.endObject()
    }

    private func writeDeletedAttributes(to writer: inout JSONWriter) {
        guard !self.deletedUserAttributes.isEmpty else { return }
        writer.key("deleted_user_attributes")
        writer.beginArray()
        for key in self.deletedUserAttributes { writer.string(key) }
        writer.endArray()
    }

    /// Writes a value of a user with its type; a moment is text.
    static func write(_ value: AttributeValue, to writer: inout JSONWriter) {
        switch value {
        case .string(let text): writer.string(text)
        case .integer(let number): writer.integer(number)
        case .double(let number): writer.double(number)
        case .bool(let flag): writer.bool(flag)
        case .date: writer.string(value.text)
        case .null: writer.null()
        case .list(let values):
            writer.beginArray()
            for value in values { Self.write(value, to: &writer) }
            writer.endArray()
        }
    }

    private func writeIdentities(to writer: inout JSONWriter) {
        var identities: [String: String] = [:]
        for (type, value) in self.userIdentities.sorted(by: { $0.key < $1.key }) where !type.isDevice {
            // Types that an app made may share a name; of those the first counts, always the same one.
            if let name = type.eventsName, identities[name] == nil {
                identities[name] = value
            }
        }
        guard !identities.isEmpty else { return }
        writer.key("user_identities")
        writer.beginObject()
        for (name, value) in identities.sorted(by: { $0.key < $1.key }) {
            writer.member(name, value)
        }
        writer.endObject()
    }
}

extension BatchBody: CustomStringConvertible {
    /// The id and the user, without attributes and identities.
    package var description: String {
        "BatchBody(\(self.batchID), \(self.mpid))"
    }
}
