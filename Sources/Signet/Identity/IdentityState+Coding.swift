// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

// The record on disk: JSON with a version, so that later versions can recognize it.
extension IdentityState {
    /// Version 1 had no consent and no removals, so its code would lose them.
    private static let version: Int64 = 2

    /// Encodes the record as JSON; equal states have equal bytes.
    func encoded() -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.beginObject()
        writer.member("version", Self.version)
        writer.member("stamp", self.deviceApplicationStamp.uuidString)
        writer.member("number", Int64(self.number))
        writer.member("created", self.directory.createdAt)
        writer.member("optedOut", self.isOptedOut)
        if let context = self.context { writer.member("context", context) }
        if let attribution = self.attribution {
            writer.key("attribution")
            writer.beginArray()
            writer.string(attribution.serviceProvider)
            writer.string(attribution.publisher)
            writer.string(attribution.campaign)
            writer.endArray()
        }
        if let consent = self.consent {
            writer.key("consent")
            consent.writeRecord(to: &writer)
        }
        if let last = self.optedOutAfter { writer.member("optedOutAfter", Int64(clamping: last)) }
        if self.directory.lastRemoval > 0 { writer.member("removals", self.directory.lastRemoval) }
        if let consent = self.directory.anonymousConsent {
            writer.key("orphanedConsent")
            consent.writeRecord(to: &writer)
        }
        if let current = self.directory.current { writer.member("current", current.description) }
        if let first = self.directory.firstUser { writer.member("first", first.description) }
        if let since = self.directory.vacantSince { writer.member("vacantSince", since) }
        if !self.directory.pastAttributions.isEmpty {
            writer.key("inherited")
            Self.write(self.directory.pastAttributions, to: &writer)
        }
        writer.key("devices")
        Self.write(self.devices.values.map { ($0.key.wireName, $0.value) }, to: &writer) { $1.string($0) }
        writer.key("orphanedAttributes")
        Self.write(Array(self.directory.anonymousAttributes), to: &writer) { $0.write(to: &$1) }
        writer.key("users")
        Self.write(self.directory.entries.map { ($0.key.description, $0.value) }, to: &writer) { $0.write(to: &$1) }
        writer.endObject()
        return writer.bytes
    }

    /// Writes pairs of the last event and its user; zero for an erased user.
    private static func write(_ pastAttributions: [AnonymousAttribution], to writer: inout JSONWriter) {
        writer.beginArray()
        for anonymousAttribution in pastAttributions {
            writer.beginArray()
            writer.integer(Int64(clamping: anonymousAttribution.upTo))
            writer.integer(anonymousAttribution.mpid?.rawValue ?? 0)
            writer.endArray()
        }
        writer.endArray()
    }

    fileprivate static func write<Value>(
        _ members: [(key: String, value: Value)],
        to writer: inout JSONWriter,
        _ body: (Value, inout JSONWriter) -> Void
    ) {
        writer.beginObject()
        for member in members.sorted(by: { $0.key < $1.key }) {
            writer.key(member.key)
            body(member.value, &writer)
        }
        writer.endObject()
    }

    /// Reads the JSON on disk.
    ///
    /// - Throws: `newerFormat` for the record of a newer version, `diskFailed` for anything that is not a record.
    init(decoding bytes: [UInt8]) throws(SignetError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(bytes, limits: JSONLimits(bytes: 16 << 20, depth: 8, values: 1_000_000))
        } catch {
            throw SignetError(.diskFailed, "The record of an installation cannot be read.", cause: error)
        }
        guard let version = value["version"]?.number?.int64, version >= 1 else {
            throw SignetError(.diskFailed, "The record of an installation has no version.")
        }
        guard version <= Self.version else {
            throw SignetError(
                .newerFormat,
                "A newer version of Signet wrote the record of an installation. Use that version."
            )
        }
        guard let stamp = value["stamp"]?.string.flatMap(UUID.init(uuidString:)),
            let created = value["created"]?.number?.int64, let users = value["users"]?.object
        else {
            throw SignetError(.diskFailed, "The record of an installation lacks its stamp, creation time or users.")
        }
        var entries: [MPID: UserDirectory.Entry] = [:]
        for (key, user) in users {
            guard let mpid = MPID(key), let entry = UserDirectory.Entry(user) else {
                throw SignetError(.diskFailed, "The record of an installation holds a user that cannot be read.")
            }
            entries[mpid] = entry
        }
        self.init(
            deviceApplicationStamp: stamp,
            number: value["number"]?.number?.int64.flatMap(UInt32.init(exactly:)) ?? 0,
            directory: UserDirectory(
                createdAt: created,
                entries: entries,
                current: value["current"]?.string.flatMap { MPID($0) },
                firstUser: value["first"]?.string.flatMap { MPID($0) },
                pastAttributions: try Self.pastAttributions(value["inherited"]),
                vacantSince: value["vacantSince"]?.number?.int64,
                anonymousAttributes: [String: AttributeValue](attributes: value["orphanedAttributes"]),
                anonymousConsent: try Self.consent(value["orphanedConsent"]),
                lastRemoval: value["removals"]?.number?.int64 ?? 0
            ),
            devices: DeviceIdentities(values: Self.deviceIdentities(value["devices"])),
            context: value["context"]?.string,
            isOptedOut: value["optedOut"]?.bool ?? false,
            attribution: Self.attribution(value["attribution"])
        )
        self.consent = try Self.consent(value["consent"])
        // Earlier records stored the token that the platform has for the current user only.
        if let token = value["deliveredPushToken"]?.string, let current = self.directory.current {
            self.directory.tell([.pushToken: token], of: current)
        }
        self.optedOutAfter = value["optedOutAfter"]?.number?.int64.flatMap(UInt64.init(exactly:))
    }

    /// Reads a consent; throws for an unreadable one, because it must not count as no consent.
    private static func consent(_ value: JSONValue?) throws(SignetError) -> ConsentState? {
        guard let value else { return nil }
        guard let consent = ConsentState(record: value) else {
            throw SignetError(.diskFailed, "The record of an installation holds a consent that cannot be read.")
        }
        return consent
    }

    private static func pastAttributions(_ value: JSONValue?) throws(SignetError) -> [AnonymousAttribution] {
        var pastAttributions: [AnonymousAttribution] = []
        for pair in value?.array ?? [] {
            guard let pair = pair.array, pair.count == 2, let upTo = pair[0].number?.int64, upTo >= 0,
                let mpid = pair[1].number?.int64
            else {
                throw SignetError(
                    .diskFailed,
                    "The record of an installation does not name the user of its anonymous events."
                )
            }
            pastAttributions.append(AnonymousAttribution(upTo: UInt64(upTo), mpid: MPID(rawValue: mpid)))
        }
        return pastAttributions
    }

    private static func attribution(_ value: JSONValue?) -> Attribution? {
        let texts = (value?.array ?? []).compactMap(\.string)
        guard texts.count == 3 else { return nil }
        return Attribution(serviceProvider: texts[0], publisher: texts[1], campaign: texts[2])
    }

    /// Reads device identities; types that only the app knows count as the device's because of their place in the record.
    fileprivate static func deviceIdentities(_ value: JSONValue?) -> [IdentityType: String] {
        var identities: [IdentityType: String] = [:]
        for (key, value) in value?.object ?? [:] {
            let known = IdentityType(wireName: key)
            identities[known.isDevice ? known : IdentityType(wireName: key, isDevice: true)] = value.string
        }
        return identities
    }
}

extension UserDirectory.Entry {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("loggedIn", self.isLoggedIn)
        writer.member("ephemeral", self.isEphemeral)
        writer.member("firstSeen", self.firstSeen)
        writer.member("lastSeen", self.lastSeen)
        writer.key("identities")
        IdentityState.write(self.identities.map { ($0.key.wireName, $0.value) }, to: &writer) { identity, writer in
            writer.beginArray()
            writer.string(identity.value)
            writer.integer(identity.firstSet)
            writer.endArray()
        }
        if !self.deviceIdentities.isEmpty {
            writer.key("devices")
            IdentityState.write(self.deviceIdentities.map { ($0.key.wireName, $0.value) }, to: &writer) {
                $1.string($0)
            }
        }
        writer.key("attributes")
        IdentityState.write(Array(self.attributes), to: &writer) { $0.write(to: &$1) }
        if !self.removals.isEmpty {
            writer.key("removed")
            IdentityState.write(Array(self.removals), to: &writer) { $1.integer($0) }
        }
        if let consent = self.consent {
            writer.key("consent")
            consent.writeRecord(to: &writer)
        }
        writer.endObject()
    }

    fileprivate init?(_ value: JSONValue) {
        guard let firstSeen = value["firstSeen"]?.number?.int64, let lastSeen = value["lastSeen"]?.number?.int64 else {
            return nil
        }
        self.init(firstSeen: firstSeen, lastSeen: lastSeen)
        self.isLoggedIn = value["loggedIn"]?.bool ?? false
        self.isEphemeral = value["ephemeral"]?.bool ?? false
        self.attributes = [String: AttributeValue](attributes: value["attributes"])
        self.deviceIdentities = IdentityState.deviceIdentities(value["devices"])
        for (key, number) in value["removed"]?.object ?? [:] { self.removals[key] = number.number?.int64 }
        if let value = value["consent"] {
            guard let consent = ConsentState(record: value) else { return nil }
            self.consent = consent
        }
        for (key, identity) in value["identities"]?.object ?? [:] {
            guard let pair = identity.array, pair.count == 2, let text = pair[0].string,
                let firstSet = pair[1].number?.int64
            else { return nil }
            self.identities[IdentityType(wireName: key)] = .init(value: text, firstSet: firstSet)
        }
    }
}
