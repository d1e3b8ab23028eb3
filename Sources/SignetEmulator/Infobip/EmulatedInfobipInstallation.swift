// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

public import struct FoundationEssentials.Date
public import enum SignetModel.AttributeValue

/// A snapshot of the data of Infobip's API about one registration.
public struct EmulatedInfobipInstallation: Sendable, Hashable {
    /// A session of an installation, as reported.
    public struct Session: Sendable, Hashable {
        /// The time at which it began.
        public let start: Date
        /// The time at which it ended; nil until the end is reported.
        public let end: Date?
    }

    private let record: InstallationRecord
    private static let named = ["regEnabled", "pushServiceToken", "applicationUserId"]

    init(_ record: InstallationRecord) {
        self.record = record
    }

    /// `pushRegId`.
    public var id: String { self.record.id }
    /// `installationid` of the request that registered it.
    public var universalID: String? { self.record.universalID }
    /// The number of its person.
    public var person: Int { self.record.person }
    /// True once a person was named for it.
    public var isPersonalized: Bool { self.record.isPersonalized }
    /// `isPrimary`.
    public var isPrimary: Bool { self.record.isPrimary }
    /// `regEnabled`.
    public var isEnabled: Bool { self.record.members["regEnabled"]?.bool ?? true }
    /// `pushServiceToken`.
    public var pushToken: String? { self.record.members["pushServiceToken"]?.string }
    /// `applicationUserId`.
    public var applicationUserID: String? { self.record.members["applicationUserId"]?.string }
    /// The custom attributes with single values.
    public var attributes: [String: AttributeValue] { IterableFields.singleValues(of: self.json) }
    /// All other members with single values, by their names on the wire.
    public var system: [String: AttributeValue] {
        IterableFields.singleValues(of: self.record.members).filter { !Self.named.contains($0.key) }
    }
    /// The reported sessions, sorted by start.
    public var sessions: [Session] {
        self.record.sessions.sorted { $0.key < $1.key }.map { start, end in
            Session(start: WallClock.date(milliseconds: start), end: end.map(WallClock.date))
        }
    }
    /// The number of registrations; above one when a client repeated the request.
    public var registrations: Int { self.record.registrations }
    /// The time of the first registration.
    public var firstSeen: Date { WallClock.date(milliseconds: self.record.firstSeen) }
    /// The custom attributes as JSON, lists of objects included.
    public var attributesJSON: String { IterableFields.text(of: self.json) }
    /// All custom attributes.
    package var json: JSONObject { self.record.custom }
}

extension EmulatedInfobipInstallation: CustomStringConvertible {
    /// The states, without ids and content.
    public var description: String {
        let state = self.isPersonalized ? "personalized" : "not personalized"
        return "EmulatedInstallation(\(state)\(self.isPrimary ? ", primary" : ""))"
    }
}
