// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The people of an application, with an index by contact; independent of requests.
struct InfobipDirectory: Sendable {
    private var infobip: [Int: InfobipPersonRecord] = [:]
    private var owners: [Contact: Int] = [:]
    private var made = 0

    /// A value that at most one person has.
    private enum Contact: Hashable {
        case phone(String)
        case email(String)
        case externalUserID(String)
    }

    /// All people in the order of creation.
    var all: [InfobipPersonRecord] {
        self.infobip.values.sorted { $0.key < $1.key }
    }

    subscript(key: Int) -> InfobipPersonRecord? {
        self.infobip[key]
    }

    /// Returns the keys of all people who have a value of an identity.
    func candidates(_ identity: InfobipPersonIdentity) -> Set<Int> {
        var keys = Set(identity.phones.compactMap { self.owners[.phone($0)] })
        keys.formUnion(identity.emails.compactMap { self.owners[.email(InfobipPersonRules.emailKey($0))] })
        if let key = identity.externalUserID.flatMap({ self.owners[.externalUserID($0)] }) {
            keys.insert(key)
        }
        return keys
    }

    /// Creates an empty lead.
    mutating func make(at now: Int64) -> Int {
        self.made += 1
        self.infobip[self.made] = InfobipPersonRecord(key: self.made, firstSeen: now)
        return self.made
    }

    /// Changes a person; returns false and changes nothing if the result would have a contact of another person.
    mutating func update(_ key: Int, _ body: (inout InfobipPersonRecord) -> Void) -> Bool {
        guard let old = self.infobip[key] else { return false }
        var new = old
        body(&new)
        let contacts = Self.contacts(of: new)
        guard contacts.allSatisfy({ self.owners[$0] ?? key == key }) else { return false }
        for contact in Self.contacts(of: old) {
            self.owners[contact] = nil
        }
        for contact in contacts {
            self.owners[contact] = key
        }
        self.infobip[key] = new
        return true
    }

    /// Stores an event of a person, in place because there may be many.
    mutating func append(_ event: EmulatedInfobipEvent, to key: Int) {
        self.infobip[key]?.append(event)
    }

    mutating func remove(_ key: Int) -> InfobipPersonRecord? {
        guard let profile = self.infobip.removeValue(forKey: key) else { return nil }
        for contact in Self.contacts(of: profile) {
            self.owners[contact] = nil
        }
        return profile
    }

    /// Deletes the events of requests up to a number.
    mutating func forgetEvents(upTo number: Int) {
        for key in Array(self.infobip.keys) { self.infobip[key]?.forgetEvents(upTo: number) }
    }

    private static func contacts(of profile: InfobipPersonRecord) -> [Contact] {
        profile.phones.map(Contact.phone) + profile.emails.map { .email(InfobipPersonRules.emailKey($0)) }
            + (profile.externalUserID.map { [.externalUserID($0)] } ?? [])
    }
}
