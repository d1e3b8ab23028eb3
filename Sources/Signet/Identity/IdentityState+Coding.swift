// SPDX-License-Identifier: Apache-2.0

package import SignetModel

extension IdentityState: StoredRecord {
    static var subject: String { "an installation" }
    var expectedSize: Int { 128 + 512 * self.directory.entries.count }

    func encode(into encoder: inout RecordEncoder) {
        let directory = self.directory
        encoder.write("stamp", self.deviceApplicationStamp)
        encoder.write("number", self.number)
        encoder.write("created", directory.createdAt)
        encoder.write("context", self.context)
        encoder.write("attribution", self.attribution)
        encoder.write("integrations", self.integrations.values.isEmpty ? nil : self.integrations)
        encoder.write("consent", self.consent)
        encoder.write("consentAt", self.consentMoment == 0 ? nil : self.consentMoment)
        encoder.write("optedOut", flag: self.isOptedOut)
        encoder.write("optedOutAfter", self.optedOutAfter)
        encoder.write("identify", self.pendingIdentify?.stored())
        encoder.write("current", directory.current)
        encoder.write("first", directory.firstUser)
        encoder.write("vacantSince", directory.vacantSince)
        encoder.write("removals", directory.lastChange == 0 ? nil : directory.lastChange)
        encoder.write("pastAttributions", directory.pastAttributions.isEmpty ? nil : directory.pastAttributions)
        encoder.write(
            "anonymousAttributes",
            directory.anonymousAttributes.isEmpty ? nil : directory.anonymousAttributes
        )
        encoder.write("anonymousConsent", directory.anonymousConsent)
        encoder.write("unsentConsent", directory.unsentAnonymousConsent)
        encoder.write("devices", self.devices.values.isEmpty ? nil : self.devices.values)
        encoder.write(
            "users",
            directory.entries.sorted { $0.key < $1.key }.map { StoredUser(mpid: $0.key, entry: $0.value) }
        )
        encoder.write(self.unknown)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        let users: [StoredUser] = try decoder.read("users")
        try self.init(
            deviceApplicationStamp: decoder.read("stamp"),
            number: decoder.read("number"),
            directory: UserDirectory(
                createdAt: decoder.read("created"),
                entries: Dictionary(users.map { ($0.mpid, $0.entry) }) { $1 },
                current: decoder.optional("current"),
                firstUser: decoder.optional("first"),
                pastAttributions: decoder.optional("pastAttributions") ?? [],
                vacantSince: decoder.optional("vacantSince"),
                anonymousAttributes: decoder.optional("anonymousAttributes") ?? [:],
                anonymousConsent: decoder.optional("anonymousConsent"),
                unsentAnonymousConsent: decoder.optional("unsentConsent"),
                lastChange: decoder.optional("removals") ?? 0
            ),
            devices: DeviceIdentities(values: .init(deviceIdentities: decoder.optional("devices") ?? [:])),
            context: decoder.optional("context"),
            isOptedOut: decoder.flag("optedOut"),
            attribution: decoder.optional("attribution")
        )
        self.integrations = try decoder.optional("integrations") ?? IntegrationAttributes()
        self.consent = try decoder.optional("consent")
        // One of before there were moments counts from its newest answer on.
        self.consentMoment = try decoder.optional("consentAt") ?? self.consent.map { max(1, $0.newest ?? 1) } ?? 0
        self.optedOutAfter = try decoder.optional("optedOutAfter")
        let pending: StoredIdentify? = try decoder.optional("identify")
        self.pendingIdentify = pending.map { PendingIdentify($0) }
        self.unknown = try decoder.unread()
    }
}

extension StateStore {
    /// Writes the users of an installation, marked while the platform lacks facts about them.
    func put(_ state: IdentityState, of id: InstallationID) throws(SignetError) {
        try self.put(state.encoded(), for: StateKey.identity(id), isDue: state.owesFacts)
    }
}

/// A user of the directory with their MPID.
struct StoredUser: RecordFields {
    let mpid: MPID
    let entry: UserDirectory.Entry

    init(mpid: MPID, entry: UserDirectory.Entry) {
        (self.mpid, self.entry) = (mpid, entry)
    }

    func encode(into encoder: inout RecordEncoder) {
        encoder.write("mpid", self.mpid)
        encoder.write("firstSeen", self.entry.firstSeen)
        encoder.write("lastSeen", self.entry.lastSeen)
        encoder.write("loggedIn", flag: self.entry.isLoggedIn)
        encoder.write("wasKnown", flag: self.entry.wasKnown)
        encoder.write("ephemeral", flag: self.entry.isEphemeral)
        encoder.write("consent", self.entry.consent)
        encoder.write("unsentConsent", self.entry.unsentConsent)
        encoder.write("consentForEvents", self.entry.consentForEvents)
        encoder.write("identities", self.entry.identities)
        encoder.write("devices", self.entry.deviceIdentities.isEmpty ? nil : self.entry.deviceIdentities)
        encoder.write("attributes", self.entry.attributes.isEmpty ? nil : self.entry.attributes)
        encoder.write("changed", self.entry.changed.isEmpty ? nil : self.entry.changed)
        encoder.write("removed", self.entry.removals.isEmpty ? nil : self.entry.removals)
        encoder.write("accepted", self.entry.accepted == 0 ? nil : self.entry.accepted)
        encoder.write(self.entry.unknown)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.mpid = try decoder.read("mpid")
        var entry = try UserDirectory.Entry(firstSeen: decoder.read("firstSeen"), lastSeen: decoder.read("lastSeen"))
        entry.isLoggedIn = try decoder.flag("loggedIn")
        entry.wasKnown = try decoder.flag("wasKnown")
        entry.isEphemeral = try decoder.flag("ephemeral")
        entry.consent = try decoder.optional("consent")
        entry.unsentConsent = try decoder.optional("unsentConsent")
        entry.consentForEvents = try decoder.optional("consentForEvents")
        entry.identities = try decoder.read("identities")
        entry.deviceIdentities = .init(deviceIdentities: try decoder.optional("devices") ?? [:])
        entry.attributes = try decoder.optional("attributes") ?? [:]
        entry.changed = try decoder.optional("changed") ?? [:]
        entry.removals = try decoder.optional("removed") ?? [:]
        entry.accepted = try decoder.optional("accepted") ?? 0
        entry.unknown = try decoder.unread()
        self.entry = entry
    }
}

extension UserDirectory.StoredIdentity: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("value", self.value)
        encoder.write("since", self.firstSet)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(value: decoder.read("value"), firstSet: decoder.read("since"))
    }
}

extension AnonymousAttribution: RecordFields {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("upTo", self.upTo)
        encoder.write("mpid", self.mpid)
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(upTo: decoder.read("upTo"), mpid: decoder.optional("mpid"))
    }
}

extension Attribution: RecordFields {
    package func encode(into encoder: inout RecordEncoder) {
        encoder.write("provider", self.serviceProvider)
        encoder.write("publisher", self.publisher)
        encoder.write("campaign", self.campaign)
    }

    package init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        try self.init(
            serviceProvider: decoder.read("provider"),
            publisher: decoder.read("publisher"),
            campaign: decoder.read("campaign")
        )
    }
}

extension [IdentityType: String] {
    /// Makes device identities; types that only the app knows are the device's because of their place in the record.
    fileprivate init(deviceIdentities values: [String: String]) {
        self = [:]
        for (name, value) in values {
            let known = IdentityType(wireName: name)
            self[known.isDevice ? known : IdentityType(wireName: name, isDevice: true)] = value
        }
    }
}
