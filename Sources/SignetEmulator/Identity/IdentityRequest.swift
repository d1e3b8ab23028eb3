// SPDX-License-Identifier: Apache-2.0

import SignetTransport

import struct SignetModel.IdentityType
import struct SignetModel.MPID

/// A checked identify, login, logout or search request.
struct IdentityRequest: Sendable {
    /// Never empty.
    let identities: [IdentityType: String]
    let previous: MPID?
    /// `request_timestamp_ms`.
    var sentAt: Int64?
    var options: Options = .returnsMatches

    struct Options: OptionSet, Sendable {
        let rawValue: UInt8

        /// `read_only`: the answer names the user, but nothing changes.
        static let readOnly = Options(rawValue: 1)
        /// `return_matches`; the platform returns matches without being asked.
        static let returnsMatches = Options(rawValue: 2)
    }

    private static let members = ClientMembers.common.union(["previous_mpid", "known_identities"])

    init(identities: [IdentityType: String], previous: MPID?) {
        self.identities = identities
        self.previous = previous
    }

    init(_ body: JSONValue, target: RequestTarget) throws(Refusal) {
        let members = try ObjectReader(body, allowed: Self.members)
        self.sentAt = try ClientMembers.check(members)
        self.previous = try Self.previous(members)
        self.identities = try Self.identities(members)
        if try target.flag("read_only") == true { self.options.insert(.readOnly) }
        if try target.flag("return_matches") == false { self.options.remove(.returnsMatches) }
    }

    // Documented as a decimal string; one of the platform's own clients sends a number.
    private static func previous(_ members: ObjectReader) throws(Refusal) -> MPID? {
        guard let value = members.value("previous_mpid") else { return nil }
        let mpid: MPID? =
            if let text = value.string {
                MPID(text)
            } else {
                value.number?.int64.flatMap(MPID.init(rawValue:))
            }
        guard let mpid else { throw members.wrong("previous_mpid", "a decimal number that is not zero") }
        return mpid
    }

    // One of the platform's own clients sends null for an identity that is not set; it is ignored.
    private static func identities(_ members: ObjectReader) throws(Refusal) -> [IdentityType: String] {
        guard let value = members.value("known_identities") else { throw members.missing("known_identities") }
        let known = try ObjectReader(value, path: "known_identities", allowed: IdentityName.wireNames)
        var identities: [IdentityType: String] = [:]
        for name in IdentityName.wireNames {
            guard let type = IdentityName.identityType(wireName: name), let text = try known.text(name) else {
                continue
            }
            guard !text.isEmpty else { throw known.wrong(name, "a string that is not empty") }
            identities[type] = text
        }
        guard !identities.isEmpty else {
            throw .badRequest("'known_identities' must hold at least one identity.")
        }
        return identities
    }
}

/// The members that all identity requests may have.
enum ClientMembers {
    static let common: Set<String> = [
        "client_sdk", "context", "environment", "request_id", "request_timestamp_ms",
    ]

    private static let platforms = [
        "ios", "android", "web", "tvos", "roku", "alexa", "smart_tv", "fire", "xbox", "other",
    ]

    /// Checks the members.
    ///
    /// - Returns: `request_timestamp_ms`; nil if the request has none.
    static func check(_ members: ObjectReader) throws(Refusal) -> Int64? {
        try members.checkEnvironment()
        // The context is opaque: any text is accepted.
        _ = try members.text("context")
        _ = try members.text("request_id")
        let sentAt = try members.integer("request_timestamp_ms")
        guard let value = members.value("client_sdk") else { return sentAt }
        let client = try ObjectReader(value, path: "client_sdk", allowed: ["platform", "sdk_vendor", "sdk_version"])
        _ = try client.text("platform", oneOf: Self.platforms)
        _ = try client.text("sdk_vendor")
        _ = try client.text("sdk_version")
        return sentAt
    }
}

/// A checked modify request.
struct ModifyRequest: Sendable {
    /// One identity set, changed or removed.
    struct Change: Sendable {
        let type: IdentityType
        /// Nil when the identity is new.
        let old: String?
        /// Nil when the identity is removed.
        let new: String?
    }

    let mpid: MPID
    /// `request_timestamp_ms`.
    let sentAt: Int64?
    /// In the order of the request; never empty.
    let changes: [Change]

    private static let members = ClientMembers.common.union(["identity_changes"])

    init(_ body: JSONValue, target: RequestTarget) throws(Refusal) {
        guard target.segments.count == 3, let mpid = MPID(String(target.segments[1])) else {
            throw .badRequest("The path must name an MPID: a decimal number that is not zero.")
        }
        let members = try ObjectReader(body, allowed: Self.members)
        let sentAt = try ClientMembers.check(members)
        guard let value = members.value("identity_changes") else { throw members.missing("identity_changes") }
        guard let items = value.array, !items.isEmpty else {
            throw members.wrong("identity_changes", "an array of at least one change")
        }
        var changes: [Change] = []
        for (position, item) in items.enumerated() {
            changes.append(try Self.change(item, path: "identity_changes[\(position)]"))
        }
        self.mpid = mpid
        self.sentAt = sentAt
        self.changes = changes
    }

    // All three members are required, but may be null; a change from null to null is refused.
    private static func change(_ item: JSONValue, path: String) throws(Refusal) -> Change {
        let names = ["identity_type", "old_value", "new_value"]
        let members = try ObjectReader(item, path: path, allowed: Set(names))
        for name in names where !members.holds(name) {
            throw members.missing(name)
        }
        guard let name = try members.text("identity_type"), let type = IdentityName.identityType(wireName: name) else {
            throw members.wrong("identity_type", "the name of an identity type")
        }
        let old = try members.text("old_value")
        let new = try members.text("new_value")
        guard old != nil || new != nil else {
            throw .badRequest("'\(path)' changes nothing: both values are null.")
        }
        guard new != "" else { throw members.wrong("new_value", "null or a string that is not empty") }
        return Change(type: type, old: old, new: new)
    }
}
