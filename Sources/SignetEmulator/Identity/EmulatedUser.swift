//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

public import struct FoundationEssentials.Date
public import enum SignetModel.AttributeValue
public import struct SignetModel.ConsentState
public import struct SignetModel.IdentityType
public import struct SignetModel.MPID

/// What the platform knows of one user: a value, taken at one moment.
public struct EmulatedUser: Sendable, Hashable, Identifiable {
    /// The platform's name of the user.
    public let mpid: MPID
    /// Whether the user has a login identity.
    public let isKnown: Bool
    /// Whether the user has no identity left, so that no identity request ever resolves to it again.
    public let isOrphaned: Bool
    /// The identities; more than one value of a type only under the best match strategy.
    public let identities: [IdentityType: Set<String>]
    /// The anonymous user that this one came from (profile link).
    public let source: MPID?
    /// When the user was made; after an alias, when its source was.
    public let firstSeen: Date
    /// When a request or a batch last resolved to the user.
    public let lastSeen: Date
    /// The attributes that have one value.
    public let attributes: [String: AttributeValue]
    /// The attributes that have a list of values.
    public let attributeLists: [String: [AttributeValue]]
    /// The attributes that are there without a value (null on the wire).
    public let attributeTags: Set<String>
    /// What the last batch that said anything of consent said; nil when none did.
    public let consent: ConsentState?
    /// Whether the last opt-out event of the user opted out; nil when there was none.
    public let isOptedOut: Bool?

    /// The MPID.
    public var id: MPID {
        self.mpid
    }
}

extension EmulatedUser {
    init(_ profile: InfobipProfile, isKnown: Bool) {
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
    /// A whole number stays whole; null, lists and objects are no single value.
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
