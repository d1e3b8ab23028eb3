// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

public import struct FoundationEssentials.Date
public import enum SignetModel.AttributeValue
public import struct SignetModel.Consent
public import struct SignetModel.ConsentState
public import struct SignetModel.IdentityType
public import struct SignetModel.MPID

/// A snapshot of the platform's data about one user.
public struct EmulatedUser: Sendable, Hashable, Identifiable {
    private let record: UserRecord
    /// True when the user has a login identity.
    public let isKnown: Bool

    init(_ record: UserRecord, isKnown: Bool) {
        self.record = record
        self.isKnown = isKnown
    }

    /// The platform's id of the user.
    public var mpid: MPID { self.record.mpid }
    /// The MPID.
    public var id: MPID { self.mpid }
    /// True when the user has no identity left, so that no identity request resolves to it again.
    public var isOrphaned: Bool { self.record.isOrphaned }
    /// The identities; only the best match strategy allows several values of a type.
    public var identities: [IdentityType: Set<String>] { self.record.identities }
    /// The anonymous user from which this one was created (profile link).
    public var source: MPID? { self.record.source }
    /// The time at which the user was created; after an alias, the time of its source.
    public var firstSeen: Date { WallClock.date(milliseconds: self.record.firstSeen) }
    /// The time at which a request or a batch last resolved to the user.
    public var lastSeen: Date { WallClock.date(milliseconds: self.record.lastSeen) }
    /// The attributes with a single value.
    public var attributes: [String: AttributeValue] { IterableFields.singleValues(of: self.record.attributes) }
    /// The attributes with a list of values.
    public var attributeLists: [String: [AttributeValue]] {
        self.record.attributes.reduce(into: [:]) { lists, attribute in
            lists[attribute.key] = attribute.value.array?.compactMap(AttributeValue.init)
        }
    }
    /// The attributes without a value (null on the wire).
    public var attributeTags: Set<String> {
        Set(self.record.attributes.filter { $1.array == nil && AttributeValue($1) == nil }.map(\.key))
    }
    /// The consent of the last batch that contained any; nil when none did.
    public var consent: ConsentState? { self.record.consent.map(ConsentState.init) }
    /// True when the user's last opt-out event opted out; nil without such an event.
    public var isOptedOut: Bool? { self.record.isOptedOut }
    /// All attributes.
    package var json: JSONObject { self.record.attributes }
}

extension EmulatedUser: CustomStringConvertible {
    /// The MPID and the kinds of identities, without their values.
    public var description: String {
        let kinds = self.identities.keys.sorted().map(\.wireName).joined(separator: ", ")
        let state = self.isOrphaned ? "orphaned" : self.isKnown ? "known" : "anonymous"
        return "EmulatedUser(\(self.mpid), \(state), identities: [\(kinds)])"
    }
}

extension AttributeValue {
    /// Whole numbers stay whole; null, lists and objects are not single values.
    init?(_ value: JSONValue) {
        switch value {
        case .string(let text):
            self = .string(text)
        case .bool(let value):
            self = .bool(value)
        case .number(let number):
            guard let value = number.int64.map(Self.integer) ?? number.double.map(Self.double) else { return nil }
            self = value
        case .null, .array, .object:
            return nil
        }
    }
}

extension ConsentState {
    /// Reads `consent_state` of a checked batch.
    init(_ batch: JSONObject) {
        var purposes: [String: Consent] = [:]
        for (purpose, value) in batch["gdpr"]?.object ?? JSONObject() { purposes[purpose] = Consent(value) }
        self.init(gdpr: purposes, ccpaDataSaleOptOut: batch["ccpa"]?["data_sale_opt_out"].map(Consent.init))
    }
}

extension Consent {
    fileprivate init(_ value: JSONValue) {
        self.init(
            value["consented"]?.bool ?? false,
            document: value["document"]?.string,
            timestamp: value["timestamp_unixtime_ms"]?.number?.int64.map { WallClock.date(milliseconds: $0) },
            location: value["location"]?.string,
            hardwareID: value["hardware_id"]?.string
        )
    }
}
