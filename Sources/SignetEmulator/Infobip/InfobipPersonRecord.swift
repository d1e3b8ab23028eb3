//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// A person of an application: a lead or a customer.
struct InfobipPersonRecord: Sendable {
    /// The place among the people of the application, by when they were made.
    let key: Int
    let firstSeen: Int64
    var isCustomer = false
    var externalUserID: String?
    var phones: [String] = []
    var emails: [String] = []
    /// First, middle and last name, gender, birthday, tags, by their names on the wire.
    var standard = JSONObject()
    var custom = JSONObject()
    /// The registrations, in the order in which they came to this person.
    var installations: [String] = []
    private(set) var events: [EmulatedInfobipEvent] = []
    /// The requests in which events came first, by what they say.
    var firstRequests: [EmulatedInfobipEvent: Int] = [:]
    /// The keys of those who became this one.
    var absorbed: [Int] = []

    /// Whether anything tells this person from others.
    var hasIdentity: Bool {
        self.externalUserID != nil || !self.phones.isEmpty || !self.emails.isEmpty
    }

    /// Whether nobody can come back to it when its last installation has gone.
    var isForgettable: Bool {
        !self.isCustomer && !self.hasIdentity && self.installations.isEmpty
    }

    /// Puts changes over what is known.
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

    /// Adds what an identity says to what is known: it finds a person, it does not describe one.
    mutating func add(_ identity: InfobipPersonIdentity) {
        self.externalUserID = identity.externalUserID ?? self.externalUserID
        self.phones += identity.phones.filter { !self.phones.contains($0) }
        let known = Set(self.emails.map(InfobipPersonRules.emailKey))
        self.emails += identity.emails.filter { !known.contains(InfobipPersonRules.emailKey($0)) }
    }

    /// Keeps an event; one that came with an earlier request is a repetition.
    mutating func append(_ event: EmulatedInfobipEvent) {
        var event = event
        let first = self.firstRequests[event.content] ?? event.number
        self.firstRequests[event.content] = first
        event.isRepetition = first != event.number
        self.events.append(event)
    }

    /// Forgets the events of requests up to a number; those that come again are no repetitions then.
    mutating func forgetEvents(upTo number: Int) {
        self.events.removeAll { $0.number <= number }
        self.firstRequests = self.firstRequests.filter { $0.value > number }
    }

    /// Takes over what a lead had; what both have stays this one's.
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
