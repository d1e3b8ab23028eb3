// SPDX-License-Identifier: Apache-2.0

package import SignetModel
import SignetTransport

package import struct FoundationEssentials.UUID

/// A batch of events of one user (Events API v2, batch).
///
/// Writing the same batch always gives the same bytes, so that a repeated one can be recognised.
package struct BatchBody: Sendable, Hashable {
    /// The batch's own id, kept across retries (`source_request_id`).
    package var batchID: UUID
    /// The time at which the batch was made, in milliseconds since 1970.
    package var milliseconds: Int64
    /// The data set of the workspace.
    package var environment: WorkspaceEnvironment
    /// The MPID of the user.
    package var mpid: MPID
    /// The installation's permanent id; nil when it is no longer known.
    package var deviceApplicationStamp: UUID?
    /// The user's attributes.
    package var userAttributes: [String: AttributeValue]
    /// The names of attributes that the user no longer has.
    package var deletedUserAttributes: [String]
    /// The user's identities; device identities, and those without a name in the Events API, are left out.
    package var userIdentities: [IdentityType: String]
    /// The user's consents; an empty state for those that were removed, nil for none.
    package var consent: ConsentState?
    /// The version of the SDK.
    package var sdkVersion: String?
    /// The plan that the events were logged under.
    package var dataPlan: DataPlan?
    /// The source that brought the user to the app.
    package var attribution: Attribution?
    /// The attributes for integrations of the platform, by the id of the integration.
    package var integrationAttributes: [Int: [String: String]]
    /// The app.
    package var application: ApplicationInformation?
    /// The device.
    package var device: DeviceInformation?
    /// The device's identities; those without a name in the Events API, or with a value it does not take, are left out.
    package var deviceIdentities: [IdentityType: String]
    /// The address of the user.
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
        integrationAttributes: [Int: [String: String]] = [:],
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
        self.integrationAttributes = integrationAttributes
        self.application = application
        self.device = device
        self.deviceIdentities = deviceIdentities
        self.ip = ip
    }

    /// Writes the batch as JSON.
    ///
    /// - Parameter events: Events from ``EventBody``, oldest first; copied unchanged.
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
        self.writeIntegrationAttributes(to: &writer)
        self.application?.write(to: &writer)
        self.writeDevice(to: &writer)
        if let ip = self.ip { writer.member("ip", ip.description) }
        self.writeAttributes(to: &writer)
        self.writeDeletedAttributes(to: &writer)
        self.writeIdentities(to: &writer)
        if let consent = self.consent {
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

    // Attributes of users keep their type, unlike those of events.
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

    /// Writes a value of a user attribute with its type; a moment becomes text.
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
            // Types that an app defines may share a name; the first in order of types counts.
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

extension BatchBody {
    /// Replaces the id in the head of a batch, which is its first member.
    ///
    /// - Returns: Nil for bytes that ``encoded(events:)`` did not write.
    package static func rename(_ head: [UInt8], to id: UUID) -> [UInt8]? {
        var writer = JSONWriter(reservingCapacity: 64)
        writer.beginObject()
        writer.member("source_request_id", id)
        let member = writer.bytes
        guard head.count > member.count, head[member.count] == UInt8(ascii: ","),
            head.prefix(Self.idStart.count).elementsEqual(Self.idStart)
        else { return nil }
        return member + head[member.count...]
    }

    /// Splits a batch into two.
    ///
    /// - Parameters:
    ///   - body: A batch, also one that the app has changed.
    ///   - counts: The number of events for each half.
    ///   - ids: The id of each half.
    /// - Returns: Nil if the batch has another number of events.
    package static func halves(
        of body: [UInt8],
        _ counts: (first: Int, second: Int),
        _ ids: (first: UUID, second: UUID)
    ) -> (first: [UInt8], second: [UInt8])? {
        guard var batch = JSONReader.value(body)?.object, let events = batch["events"]?.array,
            events.count == counts.first + counts.second
        else { return nil }
        batch["source_request_id"] = .string(ids.first.uuidString)
        batch["events"] = .array(Array(events.prefix(counts.first)))
        let first = JSONValue.object(batch).encoded()
        batch["source_request_id"] = .string(ids.second.uuidString)
        batch["events"] = .array(Array(events.suffix(counts.second)))
        return (first, JSONValue.object(batch).encoded())
    }

    private static let idStart = Array("{\"source_request_id\":\"".utf8)
}
