// SPDX-License-Identifier: Apache-2.0

import SignetTransport

public import struct FoundationEssentials.Date
public import enum SignetModel.AttributeValue
public import struct SignetModel.Consent
public import struct SignetModel.ConsentState
public import struct SignetModel.IdentityType
public import struct SignetModel.MPID

/// A snapshot of the platform's data about one user.
public struct EmulatedUser: Sendable, Hashable, Identifiable {
    /// The platform's id of the user.
    public let mpid: MPID
    /// True when the user has a login identity.
    public let isKnown: Bool
    /// True when the user has no identity left, so that no identity request resolves to it again.
    public let isOrphaned: Bool
    /// The identities; only the best match strategy allows several values of a type.
    public let identities: [IdentityType: Set<String>]
    /// The anonymous user from which this one was created (profile link).
    public let source: MPID?
    /// The time at which the user was created; after an alias, the time of its source.
    public let firstSeen: Date
    /// The time at which a request or a batch last resolved to the user.
    public let lastSeen: Date
    /// The attributes with a single value.
    public let attributes: [String: AttributeValue]
    /// The attributes with a list of values.
    public let attributeLists: [String: [AttributeValue]]
    /// The attributes without a value (null on the wire).
    public let attributeTags: Set<String>
    /// The consent of the last batch that contained any; nil when none did.
    public let consent: ConsentState?
    /// True when the user's last opt-out event opted out; nil without such an event.
    public let isOptedOut: Bool?

    /// The MPID.
    public var id: MPID {
        self.mpid
    }
}

extension EmulatedUser {
    init(_ profile: UserRecord, isKnown: Bool) {
        var attributes: [String: AttributeValue] = [:]
        var lists: [String: [AttributeValue]] = [:]
        var tags: Set<String> = []
        for (key, value) in profile.attributes {
            if let list = value.array {
                lists[key] = list.compactMap(AttributeValue.init)
            } else if let single = AttributeValue(value) {
                attributes[key] = single
            } else {
                tags.insert(key)
            }
        }
        self.init(
            mpid: profile.mpid,
            isKnown: isKnown,
            isOrphaned: profile.isOrphaned,
            identities: profile.identities,
            source: profile.source,
            firstSeen: WallClock.date(milliseconds: profile.firstSeen),
            lastSeen: WallClock.date(milliseconds: profile.lastSeen),
            attributes: attributes,
            attributeLists: lists,
            attributeTags: tags,
            consent: profile.consent.map(ConsentState.init),
            isOptedOut: profile.isOptedOut
        )
    }
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
