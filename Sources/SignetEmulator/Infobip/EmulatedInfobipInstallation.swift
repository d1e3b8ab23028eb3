// SPDX-License-Identifier: Apache-2.0

public import struct FoundationEssentials.Date
public import enum SignetModel.AttributeValue
package import struct SignetTransport.JSONObject

/// A snapshot of the data of Infobip's API about one registration.
public struct EmulatedInfobipInstallation: Sendable, Hashable {
    /// A session of an installation, as reported.
    public struct Session: Sendable, Hashable {
        /// The time at which it began.
        public let start: Date
        /// The time at which it ended; nil until the end is reported.
        public let end: Date?
    }

    /// `pushRegId`.
    public let id: String
    /// `installationid` of the request that registered it.
    public let universalID: String?
    /// The number of its person.
    public let person: Int
    /// True once a person was named for it.
    public let isPersonalized: Bool
    /// `isPrimary`.
    public let isPrimary: Bool
    /// `regEnabled`.
    public let isEnabled: Bool
    /// `pushServiceToken`.
    public let pushToken: String?
    /// `applicationUserId`.
    public let applicationUserID: String?
    /// The custom attributes with single values.
    public let attributes: [String: AttributeValue]
    /// All other members with single values, by their names on the wire.
    public let system: [String: AttributeValue]
    /// The reported sessions, sorted by start.
    public let sessions: [Session]
    /// The number of registrations; above one when a client repeated the request.
    public let registrations: Int
    /// The time of the first registration.
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

    /// The custom attributes as JSON, lists of objects included.
    public var attributesJSON: String {
        IterableFields.text(of: self.json)
    }
}

extension EmulatedInfobipInstallation: CustomStringConvertible {
    /// The states, without ids and content.
    public var description: String {
        let state = self.isPersonalized ? "personalized" : "not personalized"
        return "EmulatedInstallation(\(state)\(self.isPrimary ? ", primary" : ""))"
    }
}
