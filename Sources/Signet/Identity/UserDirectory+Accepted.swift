// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Facts of a user that a batch carries and that the platform had not accepted, with the numbers of their changes on
/// the installation.
struct NumberedFacts: Sendable, Hashable {
    /// The attributes that were set or removed; zero for one that the platform has had and gets again.
    var changes: [String: Int64] = [:]
    /// The consent; zero for one that the platform has had and gets again, nil for none.
    var consent: Int64?
    /// The version of the consent in the record of the user; nil for none.
    var version: UserConsent.Version?

    /// True if there are none.
    var isEmpty: Bool { !self.concernInstallation && self.version == nil }

    /// True if the installation has numbered some of them.
    var concernInstallation: Bool { !self.changes.isEmpty || self.consent != nil }

    /// True if there is a consent among them.
    var carryConsent: Bool { self.consent != nil || self.version != nil }

    /// True if a later batch with these facts has all that an earlier one has carried.
    func covers(_ other: NumberedFacts) -> Bool {
        (!other.carryConsent || self.carryConsent) && other.changes.keys.allSatisfy { self.changes[$0] != nil }
    }

    /// The highest number of a change of attributes.
    fileprivate var last: Int64 { self.changes.values.max() ?? 0 }
}

/// The meaning of an accepted batch for the facts of its user.
enum FactsAcceptance: Sendable, Hashable {
    /// The platform has what it is to have, as far as the batch is concerned.
    case inOrder
    /// The batch came after a newer one, and the platform has older facts again.
    case late
}

// A change is unsent until the platform has accepted it, whatever becomes of the batches that carry it.
extension UserDirectory {
    /// Notes facts that the platform has accepted.
    ///
    /// - Parameters:
    ///   - facts: The facts.
    ///   - mpid: The user.
    ///   - consent: Their meaning for the record of the user; nil for nothing.
    /// - Returns: Nil if nothing of that was unsent; late facts are unsent again, as they are now.
    mutating func accept(
        _ facts: NumberedFacts,
        of mpid: MPID,
        consent: FactsAcceptance? = nil
    ) -> FactsAcceptance? {
        guard var entry = self.entries[mpid] else { return nil }
        var acceptance: FactsAcceptance?
        let isLate = facts.last < entry.accepted
        for (key, number) in facts.changes.sorted(by: { $0.key < $1.key }) where number > 0 {
            if entry.changed[key] == number {
                entry.changed[key] = nil
                acceptance = acceptance ?? .inOrder
            } else if entry.removals[key] == number {
                entry.removals[key] = nil
                acceptance = acceptance ?? .inOrder
            } else if isLate, entry.changed[key] == nil, entry.removals[key] == nil {
                self.lastChange += 1
                if entry.attributes[key] == nil {
                    entry.removals[key] = self.lastChange
                } else {
                    entry.changed[key] = self.lastChange
                }
                acceptance = .late
            }
        }
        if acceptance != nil { entry.accepted = max(entry.accepted, facts.last) }
        if let consent = facts.consent, let unsent = entry.unsentConsent, unsent <= consent {
            (entry.unsentConsent, entry.consentForEvents) = (nil, nil)
            acceptance = acceptance ?? .inOrder
        }
        if acceptance != nil { self.entries[mpid] = entry }
        guard consent == .late else { return acceptance }
        self.oweConsent(of: mpid)
        return .late
    }

    /// Notes that a consent could not be brought without events: the next batch with events tries it.
    ///
    /// - Returns: True if it was to be brought.
    mutating func leaveConsentToEvents(of mpid: MPID, upTo number: Int64) -> Bool {
        guard let entry = self.entries[mpid], let unsent = entry.unsentConsent, unsent <= number,
            entry.consentForEvents != unsent
        else { return false }
        self.entries[mpid]?.consentForEvents = unsent
        return true
    }
}

// A batch and a dead letter have these fields among theirs.
extension NumberedFacts {
    func encode(into encoder: inout RecordEncoder) {
        encoder.write("ch", self.changes.isEmpty ? nil : self.changes)
        encoder.write("cn", self.consent)
        encoder.write("cv", self.version?.number)
        encoder.write("cs", self.version.map { Int64(bitPattern: $0.hash) })
    }

    init(from decoder: inout RecordDecoder) throws(RecordDamage) {
        self.changes = try decoder.optional("ch") ?? [:]
        self.consent = try decoder.optional("cn")
        let number: Int64? = try decoder.optional("cv")
        let hash: Int64? = try decoder.optional("cs")
        if let number, let hash {
            self.version = UserConsent.Version(number: number, hash: UInt64(bitPattern: hash))
        }
    }
}
