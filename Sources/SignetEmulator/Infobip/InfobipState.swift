// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The people and installations of an application, and the changes that each call makes.
struct InfobipState: Sendable {
    private(set) var directory = InfobipDirectory()
    private(set) var installations: [String: InstallationRecord] = [:]
    private let code: String
    private var made = 0
    // The installation that each push token reaches.
    private var addressees: [PushAddress: String] = [:]

    init(code: String) {
        self.code = code
    }

    /// The person of a registration.
    func person(of id: String) -> InfobipPersonRecord? {
        self.installations[id].flatMap { self.directory[$0.person] }
    }

    // MARK: Installations

    /// Registers an installation of a new, empty lead.
    ///
    /// A push token reaches one installation: a client that repeats the request after a lost answer gets the existing
    /// registration. No source says what the service does.
    mutating func register(_ fields: InstallationFields, universalID: String?, at now: Int64) -> String {
        if let same = PushAddress(fields.members).flatMap({ self.addressees[$0] }) {
            self.installations[same]?.registrations += 1
            self.update(same, fields)
            return same
        }
        self.made += 1
        let hash = SHA256.hash(Array("\(self.code) \(self.made)".utf8))
        let id = Hexadecimal.encode(Array(hash.prefix(16)))
        let person = self.directory.make(at: now)
        self.installations[id] = InstallationRecord(id: id, firstSeen: now, universalID: universalID, person: person)
        _ = self.directory.update(person) { $0.installations.append(id) }
        self.update(id, fields)
        return id
    }

    /// Changes an installation; at most one installation of a person is primary.
    mutating func update(_ id: String, _ fields: InstallationFields) {
        self.removeAddress(of: id)
        self.installations[id]?.apply(fields)
        if let address = self.installations[id].flatMap({ PushAddress($0.members) }) {
            self.addressees[address] = id
        }
        if let isPrimary = fields.isPrimary {
            self.setPrimary(id, isPrimary)
        }
    }

    private mutating func removeAddress(of id: String) {
        guard let address = self.installations[id].flatMap({ PushAddress($0.members) }),
            self.addressees[address] == id
        else { return }
        self.addressees[address] = nil
    }

    private mutating func setPrimary(_ id: String, _ isPrimary: Bool) {
        for other in self.person(of: id)?.installations ?? [] where isPrimary {
            self.installations[other]?.marks.remove(.primary)
        }
        if isPrimary {
            self.installations[id]?.marks.insert(.primary)
        } else {
            self.installations[id]?.marks.remove(.primary)
        }
    }

    /// Ends a registration, if it exists; an empty lead is removed with its last one.
    mutating func expire(_ id: String) {
        self.removeAddress(of: id)
        guard let record = self.installations.removeValue(forKey: id) else { return }
        self.take(id, from: record.person)
    }

    private mutating func take(_ id: String, from person: Int) {
        _ = self.directory.update(person) { $0.installations.removeAll { $0 == id } }
        if self.directory[person]?.isForgettable == true {
            _ = self.directory.remove(person)
        }
    }

    /// Deletes the events of requests up to a number.
    mutating func forgetEvents(upTo number: Int) {
        self.directory.forgetEvents(upTo: number)
    }

    mutating func take(_ report: SessionReport, of id: String) {
        self.installations[id]?.take(report)
    }

    mutating func take(_ events: [EmulatedInfobipEvent], of id: String, number: Int, at now: Int64) {
        guard let person = self.installations[id]?.person else { return }
        for event in events {
            var event = event
            event.number = number
            event.receivedAt = WallClock.date(milliseconds: now)
            self.directory.append(event, to: person)
        }
    }

    // MARK: People

    /// Changes the person of an installation; refused if another person has one of the new contacts.
    mutating func update(personOf id: String, _ fields: InfobipPersonFields) throws(Refusal) {
        guard let person = self.installations[id]?.person else { throw .noRegistration }
        try self.update(person) { $0.apply(fields) }
    }

    private mutating func update(_ person: Int, _ body: (inout InfobipPersonRecord) -> Void) throws(Refusal) {
        guard self.directory.update(person, body) else { throw .mergeInterrupted }
    }

    /// Creates a person, as the portal does.
    mutating func makePerson(_ identity: InfobipPersonIdentity, isCustomer: Bool, at now: Int64) throws(Refusal) -> Int
    {
        guard self.directory.candidates(identity).isEmpty else { throw .mergeInterrupted }
        let person = self.directory.make(at: now)
        try self.update(person) { profile in
            profile.add(identity)
            profile.kind = isCustomer ? .customer : .lead
        }
        return person
    }

    /// Changes a person, as the portal does.
    mutating func updatePerson(_ key: Int, _ fields: InfobipPersonFields) throws(Refusal) {
        guard self.directory[key] != nil else { throw .noRegistration }
        try self.update(key) { $0.apply(fields) }
    }

    /// Moves an installation to a new lead, without custom attributes and not primary.
    mutating func depersonalize(_ id: String, at now: Int64) {
        guard let person = self.installations[id]?.person else { return }
        let lead = self.directory.make(at: now)
        self.take(id, from: person)
        _ = self.directory.update(lead) { $0.installations.append(id) }
        self.installations[id]?.person = lead
        self.installations[id]?.marks = []
        self.installations[id]?.custom = JSONObject()
    }

    /// Assigns an installation to a person; nothing changes if it is refused.
    mutating func personalize(
        _ id: String,
        _ personalization: InfobipCall.Personalization,
        at now: Int64
    ) throws(Refusal) {
        let found = try self.target(of: id, personalization)
        if personalization.options.contains(.forces) {
            self.depersonalize(id, at: now)
        }
        guard let own = self.installations[id]?.person else { throw .noRegistration }
        let target = found ?? own
        let lead = target == own ? nil : self.directory.remove(own)
        try self.update(target) { profile in
            if let lead {
                profile.absorb(lead)
                profile.installations.append(id)
            }
            profile.add(personalization.identity)
            personalization.fields.map { profile.apply($0) }
            if !personalization.options.contains(.keepsAsLead) { profile.kind = .customer }
        }
        self.installations[id]?.person = target
        self.installations[id]?.marks.insert(.personalized)
        if lead != nil {
            // It was primary only among the lead's installations.
            self.installations[id]?.marks.remove(.primary)
        }
        if personalization.options.contains(.becomesPrimary) {
            self.setPrimary(id, true)
        }
    }

    /// Works as personalizing, but a person that is found stays a lead or a customer.
    mutating func repersonalize(
        _ id: String,
        _ personalization: InfobipCall.Personalization,
        at now: Int64
    ) throws(Refusal) {
        var personalization = personalization
        if !self.directory.candidates(personalization.identity).isEmpty {
            personalization.options.insert(.keepsAsLead)
        }
        try self.personalize(id, personalization, at: now)
    }

    // A lead with this one installation that was never personalized is merged into the found person, or, if nil is
    // returned, gets the identity itself. Any other person stays, unless forced: then there is a new lead.
    private func target(
        of id: String,
        _ personalization: InfobipCall.Personalization
    ) throws(Refusal) -> Int? {
        guard let record = self.installations[id], let own = self.directory[record.person] else {
            throw .noRegistration
        }
        let identity = personalization.identity
        let candidates = self.directory.candidates(identity)
        let isLead = !record.isPersonalized && own.kind == .lead && own.installations == [id]
        let lead = isLead && !personalization.options.contains(.forces) ? own : nil
        // The installation's own lead does not compete with another candidate: it is merged into it.
        let found = lead != nil && candidates.count > 1 ? candidates.subtracting([own.key]) : candidates
        guard found.count < 2 else { throw .ambiguousCandidates }
        guard lead != nil || personalization.options.contains(.forces) || found == [own.key] else {
            throw .personalizationImpossible
        }
        var outcome = found.first.flatMap { self.directory[$0] } ?? lead ?? InfobipPersonRecord(key: 0, firstSeen: 0)
        // A person has one external id: a different id means a different person.
        let ids = [outcome.externalUserID, lead?.externalUserID, identity.externalUserID]
        guard Set(ids.compactMap(\.self)).count < 2 else { throw .mergeInterrupted }
        if let lead, lead.key != outcome.key {
            outcome.absorb(lead)
        }
        outcome.add(identity)
        guard max(outcome.phones.count, outcome.emails.count) <= InfobipPersonRules.contacts else {
            throw .formatInvalid("phones and emails", shouldBe: "at most \(InfobipPersonRules.contacts) each")
        }
        return found.first
    }
}
