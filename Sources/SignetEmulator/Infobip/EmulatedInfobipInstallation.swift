//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import struct FoundationEssentials.Date
public import enum SignetModel.AttributeValue
package import struct SignetTransport.JSONObject

/// What Infobip's API knows of one registration: a value, taken at one moment.
public struct EmulatedInfobipInstallation: Sendable, Hashable {
    /// A session of an installation, as it was reported.
    public struct Session: Sendable, Hashable {
        /// When it began.
        public let start: Date
        /// When it ended; nil as long as that was not reported.
        public let end: Date?
    }

    /// `pushRegId`.
    public let id: String
    /// `installationid` of the request that registered it.
    public let universalID: String?
    /// The number of its person.
    public let person: Int
    /// Whether somebody was named for it.
    public let isPersonalized: Bool
    /// `isPrimary`.
    public let isPrimary: Bool
    /// `regEnabled`.
    public let isEnabled: Bool
    /// `pushServiceToken`.
    public let pushToken: String?
    /// `applicationUserId`.
    public let applicationUserID: String?
    /// Those custom attributes that are single values.
    public let attributes: [String: AttributeValue]
    /// All members that are not above and are single values, by their names on the wire.
    public let system: [String: AttributeValue]
    /// The sessions that were reported, by their start.
    public let sessions: [Session]
    /// How often it was registered; more than once when a client asked again.
    public let registrations: Int
    /// When it was registered first.
    public let firstSeen: Date
    /// All custom attributes.
    package let json: JSONObject
}

extension EmulatedInfobipInstallation {
    private static let named = ["regEnabled", "pushServiceToken", "applicationUserId"]

    init(_ record: InstallationRecord) {
        let sessions = record.sessions.sorted { $0.key < $1.key }.map { start, end in
            Session(start: WallClock.date(milliseconds: start), end: end.map(WallClock.date))
        }
        self.init(
            id: record.id,
            universalID: record.universalID,
            person: record.person,
            isPersonalized: record.isPersonalized,
            isPrimary: record.isPrimary,
            isEnabled: record.members["regEnabled"]?.bool ?? true,
            pushToken: record.members["pushServiceToken"]?.string,
            applicationUserID: record.members["applicationUserId"]?.string,
            attributes: IterableFields.singleValues(of: record.custom),
            system: IterableFields.singleValues(of: record.members).filter { !Self.named.contains($0.key) },
            sessions: sessions,
            registrations: record.registrations,
            firstSeen: WallClock.date(milliseconds: record.firstSeen),
            json: record.custom
        )
    }

    /// The custom attributes as JSON, lists of objects among them.
    public var attributesJSON: String {
        IterableFields.text(of: self.json)
    }
}

extension EmulatedInfobipInstallation: CustomStringConvertible {
    /// The states, without ids and content.
    public var description: String {
        "EmulatedInstallation(\(self.isPersonalized ? "personalized" : "nobody's")\(self.isPrimary ? ", primary" : ""))"
    }
}
