// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Makes installations forget what the platform has accepted: changes of attributes and consents, and the consent of
/// departed users.
struct CarriedFacts: Sendable {
    private let context: RuntimeContext
    private let users: any EventUsers
    private let events: WaitingEvents

    init(_ context: RuntimeContext, _ users: any EventUsers, _ events: WaitingEvents) {
        self.context = context
        self.users = users
        self.events = events
    }

    /// Notes what an answer says of the facts of a batch.
    ///
    /// Only an accepted batch counts: what was refused or dropped is unsent, and another batch carries it.
    ///
    /// - Returns: The meaning of an accepted batch; `inOrder` for all others.
    func answered(_ outcome: BatchOutcome) -> FactsAcceptance {
        let record = outcome.record
        guard !record.facts.isEmpty, let mpid = record.mpid else { return .inOrder }
        do throws(SignetError) {
            guard let name = try self.events.name(of: record.installation) else { return .inOrder }
            switch outcome.kind {
            case .delivered:
                return try self.users.accepted(name, mpid, record.facts)
            case .deadLetters:
                // With events, they may be the reason, and the consent goes without them.
                guard record.events == 0, let consent = record.facts.consent else { return .inOrder }
                try self.users.consentNotBrought(name, mpid, upTo: consent)
            case .settledBefore:
                // A row is told after the events have left the journal: a kill came in between. Without rows it was
                // told before.
                guard self.users.readsRows, self.context.configuration.events.storage.whenFull == .refuse else { break }
                return try self.users.accepted(name, mpid, record.facts)
            }
        } catch {
            // Another batch carries them.
            self.context.reportDamage("Facts of a user that were sent could not be marked as such: \(error.message)")
        }
        return .inOrder
    }

    /// Removes the consent of departed users whose events are all in batches.
    ///
    /// - Parameters:
    ///   - name: The installation.
    ///   - installation: Its number in the metadata of its events.
    ///   - last: The last event that the queue has taken in.
    ///   - machine: Knows the events that are in no batch yet.
    func departed(from name: InstallationID, _ installation: UInt32, upTo last: UInt64, _ machine: UploadStateMachine) {
        do throws(SignetError) {
            try self.users.departedCarried(name, installation) { entry in
                entry.lastEvent <= last && !machine.hasEvents(of: entry.mpid, on: installation)
            }
        } catch {
            self.context.reportDamage(
                "The consent of a departed user could not be removed from disk: \(error.message)"
            )
        }
    }
}
