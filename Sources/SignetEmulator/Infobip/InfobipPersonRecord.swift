// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A person of an application: a lead or a customer.
struct InfobipPersonRecord: Sendable {
    /// The position among the people of the application, in order of creation.
    let key: Int
    let firstSeen: Int64
    var isCustomer = false
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

    /// True when the person has an external id, a phone or an email.
    var hasIdentity: Bool {
        self.externalUserID != nil || !self.phones.isEmpty || !self.emails.isEmpty
    }

    /// True for a lead without identity and installations, which no request can reach again.
    var isForgettable: Bool {
        !self.isCustomer && !self.hasIdentity && self.installations.isEmpty
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
