// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

@testable import SignetInfobip

/// The service as the facts describe it, for one installation and as small as can be.
struct MiniInfobip: Hashable {
    struct Person: Hashable {
        var externalUserID: String?
        /// All names that it has had.
        var names: Set<String> = []
        /// The value of the one field, by the number of its call.
        var value: Int?
        /// All values that it has held.
        var received: Set<Int> = []
        var events: Set<Int> = []
    }

    private(set) var people: [Int: Person] = [:]
    private(set) var registration: String?
    private(set) var person = 0
    private(set) var isPersonalized = false
    private var made = 0

    var current: Person { self.people[self.person] ?? Person() }

    private mutating func lead() {
        self.made += 1
        self.person = self.made
        self.people[self.made] = Person()
        self.isPersonalized = false
    }

    mutating func register() {
        self.lead()
        self.registration = "r\(self.made)"
    }

    /// A nobody whose installation has left is gone.
    mutating func depersonalize() {
        if self.current.names.isEmpty { self.people[self.person] = nil }
        self.lead()
    }

    mutating func expire() {
        self.depersonalize()
        self.people[self.person] = nil
        self.registration = nil
    }

    mutating func rename() {
        guard let name = self.current.externalUserID else { return }
        self.people[self.person]?.externalUserID = name + "2"
        self.people[self.person]?.names.insert(name + "2")
    }

    mutating func save(_ value: Int) {
        self.people[self.person]?.value = value
        self.people[self.person]?.received.insert(value)
    }

    mutating func take(_ events: [Int]) {
        self.people[self.person]?.events.formUnion(events)
    }

    /// Returns true if it is done, false for `PERSONALIZATION_IMPOSSIBLE`.
    mutating func personalize(_ id: String, forces: Bool, value: Int?) -> Bool {
        let found = self.people.first { $0.value.externalUserID == id }?.key
        let isFree = !self.isPersonalized && self.current.externalUserID == nil
        guard isFree || forces || found == self.person else { return false }
        if forces { self.depersonalize() }
        if let found, found != self.person {
            let lead = self.current
            self.people[self.person] = nil
            self.person = found
            self.people[found]?.received.formUnion(lead.received)
            self.people[found]?.events.formUnion(lead.events)
            let value = self.current.value ?? lead.value
            self.people[found]?.value = value
        } else {
            self.people[self.person]?.externalUserID = id
            self.people[self.person]?.names.insert(id)
        }
        self.isPersonalized = true
        if let value { self.save(value) }
        return true
    }

    var user: InfobipUser {
        var user = InfobipUser()
        user.externalUserID = self.current.externalUserID
        user.firstName = self.current.value.map(String.init)
        user.type = self.isPersonalized ? .customer : .lead
        user.installations = [self.installation]
        return user
    }

    var installation: InfobipInstallation {
        var installation = InfobipInstallation()
        installation.pushRegistrationID = self.registration
        return installation
    }
}
