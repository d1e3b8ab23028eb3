// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

public import struct FoundationEssentials.Date
public import struct SignetModel.MPID

/// A batch that the platform accepted.
public struct EmulatedBatch: Sendable, Hashable {
    /// `source_request_id`.
    public let requestID: String?
    /// The user of the batch: `mpid`, or the user that the identities of the batch resolved to.
    public let mpid: MPID
    /// `production` or `development`.
    public let environment: String
    /// The number of events.
    public let eventCount: Int
    /// The time of the first delivery.
    public let receivedAt: Date
    /// The number of deliveries; the events count once.
    public internal(set) var deliveries = 1
    /// True if another delivery under the same id had different content; the platform keeps the first.
    public internal(set) var contentChanged = false
    /// The whole batch, as first delivered.
    package let json: JSONObject

    /// `ip`.
    public var ip: String? { self.json["ip"]?.string }
    /// The text members of `device_info`, by name.
    public var deviceInfo: [String: String] { Self.texts(of: self.json["device_info"]) }
    /// The text members of `application_info`, by name.
    public var applicationInfo: [String: String] { Self.texts(of: self.json["application_info"]) }

    private static func texts(of value: JSONValue?) -> [String: String] {
        (value?.object ?? [:]).reduce(into: [:]) { texts, member in texts[member.key] = member.value.string }
    }
}

extension EmulatedBatch: CustomStringConvertible {
    /// The event count, the MPID and the deliveries, without the content.
    public var description: String {
        "EmulatedBatch(\(self.eventCount) events of \(self.mpid), \(self.deliveries) deliveries)"
    }
}

/// A batch that the platform refused.
public struct RefusedBatch: Sendable, Hashable {
    /// `source_request_id`, if it could be read.
    public let requestID: String?
    /// The violated rule, without values of the batch.
    public let reason: String
}
