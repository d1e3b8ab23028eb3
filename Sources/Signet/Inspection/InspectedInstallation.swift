// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport

import struct FoundationEssentials.UUID

/// The records of a directory about one installation.
struct InspectedInstallation {
    let id: InstallationID?
    /// Nil if another store has the installation, or the record is damaged.
    let identity: IdentityState?
    /// The sessions as of the last record; the journal has the events since.
    let sessions: SessionRecord
    private let number: UInt32
    private let store: StateStore

    init(_ number: UInt32, _ store: StateStore) throws(SignetError) {
        (self.number, self.store) = (number, store)
        var id: InstallationID?
        if let bytes = try store.readable(StateKey.number(number)) {
            do throws(SignetError) {
                id = try NumberRecord(either: bytes).id
            } catch {
                guard error.isDamage else { throw error }
            }
        }
        self.id = id
        guard let id else {
            (self.identity, self.sessions) = (nil, .empty)
            return
        }
        self.identity = try store.readable(StateKey.identity(id)).flatMap { IdentityState($0) }
        self.sessions = try store.readable(StateKey.session(id)).flatMap { SessionRecord($0) } ?? .empty
    }

    /// The facts about the installation.
    func facts() throws(SignetError) -> EventExplanation.InstallationFacts {
        var facts = EventExplanation.InstallationFacts(id: self.id, number: self.number)
        facts.deviceApplicationStamp = self.identity?.deviceApplicationStamp
        facts.createdAt = self.identity?.directory.createdAt
        if let identity = self.identity { facts.optOut = EventExplanation.OptOut(of: identity) }
        guard let id = self.id, let record = try self.store.readable(StateKey.launch(id)).flatMap({ LaunchRecord($0) })
        else { return facts }
        facts.launch = EventExplanation.LaunchFacts(
            count: record.launches,
            last: record.lastLaunch,
            version: record.version
        )
        return facts
    }

    /// The consent that counts for the user's events now, whether the platform has it or not.
    ///
    /// Of the installation's and the user's it is the later one, as on a server: files do not say what batches carry.
    func consent(of mpid: MPID?) throws(SignetError) -> EventExplanation.ConsentFacts {
        guard let identity = self.identity else { return EventExplanation.ConsentFacts() }
        let latest = try mpid.flatMap { mpid throws(SignetError) in
            try self.store.readable(StateKey.consent(of: mpid)).flatMap { UserConsent($0)?.answered }
        }
        if let consent = identity.consent, (latest?.version ?? 0) < identity.consentMoment {
            return EventExplanation.ConsentFacts(.installation, consent)
        }
        guard let mpid else {
            return identity.directory.anonymousConsent.map { EventExplanation.ConsentFacts(.beforeFirstUser, $0) }
                ?? EventExplanation.ConsentFacts()
        }
        if let latest {
            return latest.consent.map { EventExplanation.ConsentFacts(.user, $0) } ?? EventExplanation.ConsentFacts()
        }
        if let consent = identity.directory.entries[mpid]?.consent {
            return EventExplanation.ConsentFacts(.user, consent)
        }
        let departed = try self.store.readable(StateKey.departedConsents(self.number)).flatMap { DepartedConsents($0) }
        return departed?.consent(of: mpid).map { EventExplanation.ConsentFacts(.departedUser, $0) }
            ?? EventExplanation.ConsentFacts()
    }

    /// The alias requests of a user without an answer, in order of their ids.
    func aliases(of mpid: MPID) throws(SignetError) -> [EventExplanation.AliasFacts] {
        var aliases: [EventExplanation.AliasFacts] = []
        for key in try self.store.keys(withPrefix: StateKey.aliases).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            guard let record = try self.store.readable(key).flatMap({ AliasRecord($0) }),
                record.installation == self.id, record.source == mpid || record.destination == mpid
            else { continue }
            aliases.append(
                EventExplanation.AliasFacts(
                    id: record.id,
                    source: record.source,
                    destination: record.destination,
                    start: record.start,
                    end: record.end
                )
            )
        }
        return aliases
    }

    /// The names of the services that have not followed a user yet, sorted.
    func services(behind mpid: MPID) throws(SignetError) -> [String] {
        guard let id = self.id, let bytes = try self.store.readable(StateKey.outbox(id)), let outbox = try Outbox(bytes)
        else { return [] }
        let services = outbox.records.filter { $0.mpid == mpid }.flatMap(\.services)
        return Set(services.map(\.description)).sorted()
    }
}
