// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A person of an application: a lead or a customer.
struct InfobipPersonRecord: Sendable, Hashable {
    /// The position among the people of the application, in order of creation.
    let key: Int
    let firstSeen: Int64
    var kind = Kind.lead
    var externalUserID: String?
    var phones: [String] = []
    var emails: [String] = []
    /// First, middle and last name, gender, birthday, tags, by their names on the wire.
    var standard = JSONObject()
    var custom = JSONObject()
    /// The registrations, in the order in which this person got them.
    var installations: [String] = []
    private(set) var events: [EmulatedInfobipEvent] = []
    /// The number of the first request with each event content.
    var firstRequests: [EmulatedInfobipEvent: Int] = [:]
    /// The keys of the leads that were merged into this person.
    var absorbed: [Int] = []

    /// The kind of a person, by its name on the wire.
    enum Kind: String, Sendable, Hashable {
        case lead = "LEAD"
        case customer = "CUSTOMER"
    }

    /// True when the person has an external id, a phone or an email.
    var hasIdentity: Bool {
        self.externalUserID != nil || !self.phones.isEmpty || !self.emails.isEmpty
    }

    /// True for a lead without identity and installations, which no request can reach again.
    var isForgettable: Bool {
        self.kind == .lead && !self.hasIdentity && self.installations.isEmpty
    }

    /// Applies changes to the stored fields.
    mutating func apply(_ fields: InfobipPersonFields) {
        if let value = fields.externalUserID {
            self.externalUserID = value.string
        }
        self.phones = fields.phones ?? self.phones
        self.emails = fields.emails ?? self.emails
        for (key, value) in fields.standard {
            self.standard[key] = value.isNull ? JSONValue?.none : value
        }
        fields.custom.apply(to: &self.custom)
    }

    /// Adds the values of an identity.
    ///
    /// An identity finds a person and does not describe it, so nothing is removed.
    mutating func add(_ identity: InfobipPersonIdentity) {
        self.externalUserID = identity.externalUserID ?? self.externalUserID
        self.phones += identity.phones.filter { !self.phones.contains($0) }
        let known = Set(self.emails.map(InfobipPersonRules.emailKey))
        self.emails += identity.emails.filter { !known.contains(InfobipPersonRules.emailKey($0)) }
    }

    /// Stores an event; it is a repetition if an earlier request had the same content.
    mutating func append(_ event: EmulatedInfobipEvent) {
        var event = event
        let first = self.firstRequests[event.content] ?? event.number
        self.firstRequests[event.content] = first
        event.isRepetition = first != event.number
        self.events.append(event)
    }

    /// Deletes the events of requests up to a number; later copies of them are not repetitions.
    mutating func forgetEvents(upTo number: Int) {
        self.events.removeAll { $0.number <= number }
        self.firstRequests = self.firstRequests.filter { $0.value > number }
    }

    /// Merges a lead into this person, whose own values win.
    mutating func absorb(_ lead: InfobipPersonRecord) {
        self.externalUserID = self.externalUserID ?? lead.externalUserID
        self.phones += lead.phones
        self.emails += lead.emails
        for (key, value) in lead.standard where self.standard[key] == nil {
            self.standard[key] = value
        }
        for (key, value) in lead.custom where self.custom[key] == nil {
            self.custom[key] = value
        }
        self.events = (self.events + lead.events).sorted { $0.number < $1.number }
        self.firstRequests.merge(lead.firstRequests, uniquingKeysWith: min)
        self.absorbed += lead.absorbed + [lead.key]
    }
}

/// The changes that a request makes to a person; unnamed fields stay.
struct InfobipPersonFields: Sendable {
    /// The standard fields by their names on the wire; null removes a field.
    var standard = JSONObject()
    /// The external id; null removes it.
    var externalUserID: JSONValue?
    /// The whole list; empty to remove it.
    var phones: [String]?
    /// The whole list; empty to remove it.
    var emails: [String]?
    var custom = CustomAttributes.Change.set([:])

    private static let attributes: Set<String> = [
        "firstName", "middleName", "lastName", "gender", "birthday", "tags", "customAttributes",
    ]
    private static let identity: Set<String> = ["externalUserId", "phones", "emails"]
    // The names with their maximum lengths (People API).
    private static let names = [("firstName", 255), ("middleName", 50), ("lastName", 255)]

    /// Reads the body of a change; `type` and `instances` are read-only and refused.
    init(change body: JSONValue, lists: ListAttributes?) throws(Refusal) {
        try self.init(body, place: "The body", allowed: Self.attributes.union(Self.identity), lists: lists)
        guard body.object?.isEmpty == false else { throw .formatInvalid("The body changes nothing") }
    }

    /// Reads `userAttributes`, which cannot remove a standard attribute: null is refused.
    init(attributes value: JSONValue, lists: ListAttributes?) throws(Refusal) {
        try self.init(value, place: "userAttributes", allowed: Self.attributes, lists: lists)
        for (key, value) in value.object ?? JSONObject() where value.isNull {
            throw .formatInvalid(key, shouldBe: "given or left out")
        }
    }

    private init(_ value: JSONValue, place: String, allowed: Set<String>, lists: ListAttributes?) throws(Refusal) {
        guard let object = value.object else { throw .formatInvalid(place, shouldBe: "an object") }
        guard object.keys.allSatisfy(allowed.contains) else {
            throw .formatInvalid("\(place) may hold \(allowed.sorted()) only")
        }
        try self.readStandard(object)
        if let id = object["externalUserId"] {
            self.externalUserID = try InfobipPersonRules.externalUserID(id).map(JSONValue.string) ?? .null
        }
        self.phones = try object["phones"].map { value throws(Refusal) in try InfobipPersonRules.phones(value) }
        self.emails = try object["emails"].map { value throws(Refusal) in try InfobipPersonRules.emails(value) }
        if let value = object["customAttributes"] {
            self.custom = try CustomAttributes.Change(value, lists: lists)
        }
    }

    private mutating func readStandard(_ object: JSONObject) throws(Refusal) {
        for (name, limit) in Self.names {
            guard let value = object[name] else { continue }
            self.standard[name] = try InfobipPersonRules.name(value, name, limit: limit)
        }
        if let value = object["gender"] {
            guard value.isNull || value == "Male" || value == "Female" else {
                throw .formatInvalid("gender", shouldBe: "Male or Female")
            }
            self.standard["gender"] = value
        }
        if let value = object["birthday"] {
            guard value.isNull || value.string.map(InfobipPersonRules.isDay) ?? false else {
                throw .formatInvalid("birthday", shouldBe: "a date, yyyy-MM-dd")
            }
            self.standard["birthday"] = value
        }
        if let value = object["tags"] {
            guard value.isNull || value.array?.allSatisfy({ $0.string != nil }) ?? false else {
                throw .formatInvalid("tags", shouldBe: "an array of strings")
            }
            self.standard["tags"] = value.array?.isEmpty == true ? .null : value
        }
    }

    /// True when the change has data that the portal's switch forbids.
    ///
    /// No source lists such data. Here it is names, gender, birthday, phones and emails that are set, not removed.
    var isSensitive: Bool {
        let named = self.standard.contains { key, value in key != "tags" && !value.isNull }
        return named || self.phones?.isEmpty == false || self.emails?.isEmpty == false
    }
}

/// The identity of a person in a request.
struct InfobipPersonIdentity: Sendable {
    let externalUserID: String?
    let phones: [String]
    let emails: [String]

    private static let members: Set<String> = ["phones", "emails", "externalUserId"]

    /// Reads `userIdentity`.
    init(_ value: JSONValue?) throws(Refusal) {
        guard let object = value?.object else { throw .formatInvalid("userIdentity", shouldBe: "an object") }
        guard object.keys.allSatisfy(Self.members.contains) else {
            throw .formatInvalid("userIdentity may hold \(Self.members.sorted()) only")
        }
        self.externalUserID = try InfobipPersonRules.externalUserID(object["externalUserId"] ?? .null)
        self.phones = try InfobipPersonRules.phones(object["phones"] ?? .null)
        self.emails = try InfobipPersonRules.emails(object["emails"] ?? .null)
        guard self.externalUserID != nil || !self.phones.isEmpty || !self.emails.isEmpty else {
            throw .identityInvalid
        }
    }
}
