// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetModel
import SignetTransport

import struct FoundationEssentials.Date

/// A user of any of the services, in a common form for the live page.
struct KnownUser: Sendable {
    private enum Origin: Sendable {
        case identity(MPID)
        case iterable(EmulatedIterableUserID?)
        case infobip(Int)
    }

    /// The unique name on the page.
    let name: String
    let lastSeen: Date
    private let origin: Origin
    private let service: String
    private let state: String
    private let identities: [(type: String, value: String)]
    private let attributes: JSONValue
    private let firstSeen: Date
    private var consent: [(purpose: String, isGranted: Bool)] = []
    private var isOptedOut = false
    // The unknown users and leads that became part of this one.
    private var joined: [String] = []

    init(_ user: EmulatedUser) {
        self.name = user.mpid.description
        self.origin = .identity(user.mpid)
        self.service = "identity"
        self.state = user.isOrphaned ? "orphaned" : user.isKnown ? "known" : "anonymous"
        self.identities = user.identities.sorted { $0.key < $1.key }.flatMap { type, values in
            values.sorted().map { (type.wireName, $0) }
        }
        self.attributes = .object(user.json)
        self.firstSeen = user.firstSeen
        self.lastSeen = user.lastSeen
        self.consent = (user.consent?.gdpr ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value.isGiven) }
        self.isOptedOut = user.isOptedOut ?? false
        self.joined = user.source.map { [$0.description] } ?? []
    }

    init(_ visitor: EmulatedIterableUser) {
        self.name = "visitor-\(visitor.number)"
        let id = visitor.userID.map(EmulatedIterableUserID.userID) ?? visitor.email.map(EmulatedIterableUserID.email)
        self.origin = .iterable(id)
        self.service = "visitors"
        self.state = visitor.isUnknown ? "unknown" : "known"
        self.identities = [("userId", visitor.userID), ("email", visitor.email)].compactMap { type, value in
            value.map { (type, $0) }
        }
        self.attributes = .object(visitor.json)
        self.firstSeen = visitor.firstSeen
        self.lastSeen = visitor.firstSeen
        self.joined = visitor.mergedFrom.map(\.text)
    }

    init(_ person: EmulatedInfobipPerson) {
        self.name = "person-\(person.number)"
        self.origin = .infobip(person.number)
        self.service = "people"
        self.state = person.isCustomer ? "customer" : "lead"
        self.identities =
            (person.externalUserID.map { [("externalUserId", $0)] } ?? []) + person.phones.map { ("phone", $0) }
            + person.emails.map { ("email", $0) } + person.installations.map { ("installation", $0) }
        self.attributes = .object(person.json)
        self.firstSeen = person.firstSeen
        self.lastSeen = person.firstSeen
        self.joined = person.absorbed.map { "person-\($0)" }
    }

    /// The MPID of a user of the identity platform; nil for a user of another service.
    var mpid: MPID? {
        if case .identity(let mpid) = self.origin { mpid } else { nil }
    }

    /// The id of a user of Iterable's API.
    var iterableID: EmulatedIterableUserID? {
        if case .iterable(let id) = self.origin { id } else { nil }
    }

    /// The identities by which the services mean the same person: the app's own user id, and the addresses.
    var links: [PersonLink] {
        self.identities.compactMap { type, value in
            switch type {
            case "customerid", "userId", "externalUserId": .customer(value)
            case "email": .email(value)
            default: nil
            }
        }
    }

    /// Returns true when the name or an identity contains a text, given in lower case.
    func matches(_ needle: String) -> Bool {
        needle.isEmpty || self.name.lowercased().contains(needle)
            || self.identities.contains { $0.value.lowercased().contains(needle) }
    }

    /// Returns the events, oldest first.
    func events(in emulator: Emulator, _ choice: PageChoice) -> [KnownEvent] {
        switch self.origin {
        case .identity(let mpid): emulator.events(of: mpid).map(KnownEvent.init)
        case .iterable(let id): id.map { choice.iterable.events(of: $0).map(KnownEvent.init) } ?? []
        case .infobip(let number): choice.infobip.events(of: number).map(KnownEvent.init)
        }
    }

    /// Returns the batches of the events, which name the devices; the other services report no devices.
    func batches(in emulator: Emulator) -> [EmulatedBatch] {
        guard case .identity(let mpid) = self.origin else { return [] }
        return emulator.batches(of: mpid)
    }

    func writeSummary(to writer: inout JSONWriter) {
        writer.beginObject()
        self.writeMembers(to: &writer)
        writer.endObject()
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("name", self.name)
        writer.member("service", self.service)
        writer.member("state", self.state)
        writer.key("identities")
        writer.beginArray()
        for (type, value) in self.identities {
            writer.beginObject()
            writer.member("type", type)
            writer.member("value", value)
            writer.endObject()
        }
        writer.endArray()
        // Sent as text, because a script would round whole numbers beyond 2^53.
        writer.member("attributes", String(decoding: self.attributes.encoded(), as: UTF8.self))
        writer.key("consent")
        writer.beginArray()
        for (purpose, isGranted) in self.consent {
            writer.beginObject()
            writer.member("purpose", purpose)
            writer.member("isGranted", isGranted)
            writer.endObject()
        }
        writer.endArray()
        writer.member("isOptedOut", self.isOptedOut)
        writer.member("joined", .array(self.joined.map(JSONValue.string)))
        writer.member("firstSeen", self.firstSeen.milliseconds)
        writer.member("lastSeen", self.lastSeen.milliseconds)
    }
}

/// An identity that the services share.
enum PersonLink: Sendable, Hashable {
    /// The app's own id of a user: `customerid`, `userId`, `externalUserId`.
    case customer(String)
    /// An e-mail address.
    case email(String)
}

extension EmulatedIterableUserID {
    /// The address or the user id.
    var text: String {
        switch self {
        case .email(let email): email
        case .userID(let userID): userID
        }
    }
}
#endif
