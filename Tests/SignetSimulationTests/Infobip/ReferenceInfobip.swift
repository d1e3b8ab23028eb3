// SPDX-License-Identifier: Apache-2.0

/// What the facts say of people and installations, once more and as plainly as can be: neither the emulator's code nor the
/// runtime's.
///
/// It follows the requests that have arrived, says what each is to be answered, and in the end what the people handler must know.
struct ReferenceInfobip: Sendable {
    struct Person: Sendable {
        var externalUserID: String?
        var phones: [String] = []
        var emails: [String] = []
        /// Standard and custom attributes.
        var fields: [String: String] = [:]
        var isCustomer = false
        var registrations: [String] = []
        /// The installations that have written on it, or on somebody who has become part of it.
        var writers: Set<Int> = []

        var isNamed: Bool {
            self.externalUserID != nil || !self.phones.isEmpty || !self.emails.isEmpty
        }

        var isNobody: Bool {
            !self.isNamed && !self.isCustomer
        }
    }

    struct Registration: Sendable {
        var person: Int
        let owner: Int
        var isPersonalized = false
        var isPrimary = false
        var fields: [String: String] = [:]
    }

    private(set) var infobip: [Int: Person] = [:]
    private(set) var registrations: [String: Registration] = [:]
    private var made = 0

    static let identityFields: Set<String> = ["externalUserId", "phones", "emails"]

    func person(of registration: String) -> Person? {
        self.registrations[registration].flatMap { self.infobip[$0.person] }
    }

    /// An installation has sent something about its person.
    mutating func write(_ registration: String, by installation: Int) {
        guard let person = self.registrations[registration]?.person else { return }
        self.infobip[person]?.writers.insert(installation)
    }

    /// What is known of an installation, or of its person, as texts.
    func fields(of registration: String, isInstallation: Bool) -> [String: String] {
        isInstallation ? self.registrations[registration]?.fields ?? [:] : self.person(of: registration)?.all ?? [:]
    }

    // MARK: - Registrations

    private mutating func newPerson() -> Int {
        self.made += 1
        self.infobip[self.made] = Person()
        return self.made
    }

    /// The registration that a push token has already.
    func registration(with token: String?) -> String? {
        self.registrations.first { token != nil && $0.value.fields["pushServiceToken"] == token }?.key
    }

    mutating func register(_ id: String, owner: Int, _ said: [String: String?]) {
        if self.registrations[id] == nil {
            let person = self.newPerson()
            self.infobip[person]?.registrations = [id]
            self.registrations[id] = Registration(person: person, owner: owner)
        }
        self.change(id, said)
    }

    mutating func change(_ id: String, _ said: [String: String?]) {
        for (key, value) in said where key != "isPrimary" { self.registrations[id]?.fields[key] = value }
        guard case .some(let text) = said["isPrimary"] else { return }
        self.setPrimary(id, text == "true")
    }

    private mutating func setPrimary(_ id: String, _ isPrimary: Bool) {
        if isPrimary {
            for other in self.person(of: id)?.registrations ?? [] { self.registrations[other]?.isPrimary = false }
        }
        self.registrations[id]?.isPrimary = isPrimary
    }

    mutating func end(_ id: String) {
        guard let registration = self.registrations.removeValue(forKey: id) else { return }
        self.leave(id, registration.person)
    }

    private mutating func leave(_ id: String, _ person: Int) {
        self.infobip[person]?.registrations.removeAll { $0 == id }
        guard let left = self.infobip[person], left.isNobody, left.registrations.isEmpty else { return }
        self.infobip[person] = nil
    }

    // MARK: - People

    private func owners(of said: [String: String?]) -> Set<Int> {
        let phones = Self.list(said["phones"])
        let emails = Self.list(said["emails"])
        let id = said["externalUserId"] ?? nil
        return Set(
            self.infobip.filter { _, person in
                person.phones.contains(where: phones.contains) || person.emails.contains(where: emails.contains)
                    || id != nil && person.externalUserID == id
            }.keys
        )
    }

    private static func list(_ text: String??) -> [String] {
        (text ?? nil)?.split(separator: ",").map(String.init) ?? []
    }

    /// Changes a person.
    ///
    /// - Returns: The code of the refusal.
    mutating func changePerson(of id: String, _ said: [String: String?]) -> String? {
        guard let key = self.registrations[id]?.person else { return "NO_REGISTRATION" }
        guard self.owners(of: said).subtracting([key]).isEmpty else { return "USER_MERGE_INTERRUPTED" }
        self.describe(key, said)
        return nil
    }

    private mutating func describe(_ key: Int, _ said: [String: String?]) {
        for (field, value) in said {
            switch field {
            case "externalUserId": self.infobip[key]?.externalUserID = value
            case "phones": self.infobip[key]?.phones = Self.list(value)
            case "emails": self.infobip[key]?.emails = Self.list(value)
            default: self.infobip[key]?.fields[field] = value
            }
        }
    }

    mutating func depersonalize(_ id: String) {
        guard let person = self.registrations[id]?.person else { return }
        let lead = self.newPerson()
        self.leave(id, person)
        self.infobip[lead]?.registrations = [id]
        self.registrations[id]?.person = lead
        self.registrations[id]?.isPersonalized = false
        self.registrations[id]?.isPrimary = false
        let fields = self.registrations[id]?.fields ?? [:]
        self.registrations[id]?.fields = fields.filter { !$0.key.hasPrefix("own.") }
    }

    /// Says whose a registration is.
    ///
    /// - Returns: The code of the refusal; then nothing has changed.
    mutating func personalize(_ id: String, _ exchange: InfobipExchange) -> String? {
        guard let registration = self.registrations[id], let own = self.infobip[registration.person] else {
            return "NO_REGISTRATION"
        }
        let identity = exchange.identity
        var found = self.owners(of: identity)
        // Somebody of whom nobody has said who it is can become anybody.
        let isFree = !registration.isPersonalized && !own.isCustomer && own.registrations == [id] && !exchange.forces
        if isFree, found.count > 1 { found.remove(registration.person) }
        guard found.count < 2 else { return "AMBIGUOUS_PERSONALIZE_CANDIDATES" }
        guard isFree || exchange.forces || found == [registration.person] else { return "PERSONALIZATION_IMPOSSIBLE" }
        let ids = [
            found.first.flatMap { self.infobip[$0]?.externalUserID }, isFree ? own.externalUserID : nil,
            identity["externalUserId"] ?? nil,
        ]
        guard Set(ids.compactMap(\.self)).count < 2 else { return "USER_MERGE_INTERRUPTED" }
        let keepsAsLead = exchange.keepsAsLead
        if exchange.forces { self.depersonalize(id) }
        self.join(id, found.first)
        guard let key = self.registrations[id]?.person else { return nil }
        if let external = identity["externalUserId"] ?? nil { self.infobip[key]?.externalUserID = external }
        let (phones, emails) = (Self.list(identity["phones"]), Self.list(identity["emails"]))
        let known = self.infobip[key] ?? Person()
        self.infobip[key]?.phones = known.phones + phones.filter { !known.phones.contains($0) }
        self.infobip[key]?.emails = known.emails + emails.filter { !known.emails.contains($0) }
        self.describe(key, exchange.said)
        if !keepsAsLead { self.infobip[key]?.isCustomer = true }
        self.registrations[id]?.isPersonalized = true
        if exchange.becomesPrimary { self.setPrimary(id, true) }
        return nil
    }

    /// The lead of a registration becomes part of somebody who was there before: what both have stays that one's.
    private mutating func join(_ id: String, _ found: Int?) {
        guard let own = self.registrations[id]?.person, let found, found != own,
            let lead = self.infobip.removeValue(forKey: own)
        else { return }
        let known = self.infobip[found]?.externalUserID
        self.infobip[found]?.externalUserID = known ?? lead.externalUserID
        self.infobip[found]?.phones += lead.phones
        self.infobip[found]?.emails += lead.emails
        self.infobip[found]?.fields.merge(lead.fields) { known, _ in known }
        self.infobip[found]?.writers.formUnion(lead.writers)
        self.infobip[found]?.registrations.append(id)
        self.registrations[id]?.person = found
        self.registrations[id]?.isPrimary = false
    }
}
