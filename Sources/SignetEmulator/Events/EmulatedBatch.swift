//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import struct FoundationEssentials.Date
public import struct SignetModel.MPID
package import struct SignetTransport.JSONObject

/// A batch that the platform took.
public struct EmulatedBatch: Sendable, Hashable {
    /// `source_request_id`.
    public let requestID: String?
    /// The user it was counted for: `mpid`, or whom the identities of the batch led to.
    public let mpid: MPID
    /// `production` or `development`.
    public let environment: String
    /// How many events it held.
    public let eventCount: Int
    /// When it came first.
    public let receivedAt: Date
    /// How often it came; its events count once.
    public internal(set) var deliveries = 1
    /// Whether it came again under the same id with something else in it; the platform keeps the first.
    public internal(set) var contentChanged = false
    /// All of it, as it came first.
    package let json: JSONObject

    init(requestID: String?, mpid: MPID, environment: String, eventCount: Int, receivedAt: Date, json: JSONObject) {
        self.requestID = requestID
        self.mpid = mpid
        self.environment = environment
        self.eventCount = eventCount
        self.receivedAt = receivedAt
        self.json = json
    }
}

extension EmulatedBatch {
    /// `ip`.
    public var ip: String? {
        self.json["ip"]?.string
    }

    /// The texts of `device_info`, by their names there.
    public var deviceInfo: [String: String] {
        self.texts(of: "device_info")
    }

    /// The texts of `application_info`, by their names there.
    public var applicationInfo: [String: String] {
        self.texts(of: "application_info")
    }

    private func texts(of name: String) -> [String: String] {
        var texts: [String: String] = [:]
        for (key, value) in self.json[name]?.object ?? [:] { texts[key] = value.string }
        return texts
    }
}

extension EmulatedBatch: CustomStringConvertible {
    /// The sizes, without the content.
    public var description: String {
        "EmulatedBatch(\(self.eventCount) events of \(self.mpid), \(self.deliveries) deliveries)"
    }
}

/// A batch that the platform did not take.
public struct RefusedBatch: Sendable, Hashable {
    /// `source_request_id`, when it could be read.
    public let requestID: String?
    /// Which rule it broke; values of the batch are not repeated.
    public let reason: String
}
