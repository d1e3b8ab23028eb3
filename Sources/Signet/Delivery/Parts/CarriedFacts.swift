// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire

/// Makes installations forget what batches carry: reported removals of attributes, the consent of departed users, and that a consent is
/// unsent.
struct CarriedFacts: Sendable {
    private let context: RuntimeContext
    private let users: any EventUsers
    private let events: WaitingEvents

    init(_ context: RuntimeContext, _ users: any EventUsers, _ events: WaitingEvents) {
        self.context = context
        self.users = users
        self.events = events
    }

    /// Forgets the removals of attributes that a written batch reports, so that no other batch reports them.
    func written(_ record: BatchRecord) throws(SignetError) {
        guard record.removals > 0, let mpid = record.mpid, let name = try self.events.name(of: record.installation)
        else { return }
        try self.users.removalsCarried(name, mpid, upTo: record.removals)
    }

    /// The same; an error is reported.
    func writtenOrReport(_ record: BatchRecord) {
        do throws(SignetError) {
            try self.written(record)
        } catch {
            // The next batch reports the removals again, unless a restart forgets them first.
            self.context.reportDamage(
                "Reported attribute removals could not be deleted. The next batch may repeat them: \(error.message)"
            )
        }
    }

    /// Notes that the platform has answered a batch with a changed consent.
    ///
    /// A dead letter with events does not count: they may be the reason, and the consent goes without them.
    func answered(_ outcome: BatchOutcome) {
        let record = outcome.record
        guard record.consent > 0, let mpid = record.mpid else { return }
        if case .deadLetters = outcome.kind, record.events > 0 { return }
        do throws(SignetError) {
            guard let name = try self.events.name(of: record.installation) else { return }
            try self.users.consentSent(name, mpid, upTo: record.consent)
        } catch {
            // Another batch carries it.
            self.context.reportDamage("A consent that was sent could not be marked as such: \(error.message)")
        }
    }

    /// Removes a written batch that is not sent again; the next batch reports the removals of attributes that were in it.
    ///
    /// A row takes them later. Until then the record stays, without events.
    ///
    /// - Throws: The error of the disk; then the batch is as before.
    func removeUnsent(_ record: BatchRecord) throws(SignetError) {
        let keys = record.removedAttributes
        guard !keys.isEmpty, let mpid = record.mpid else { return try self.remove(record) }
        var name: InstallationID?
        do throws(SignetError) {
            name = try self.events.name(of: record.installation)
            if let name, !self.users.readsRows { try self.users.removalsNotSent(name, mpid, keys, of: record.id) }
        } catch {
            self.context.reportDamage(
                "The removal of \(keys.count) attributes is not reported to the platform: \(error.message)"
            )
        }
        guard let name, self.users.readsRows else { return try self.remove(record) }
        let unsent = record.unsent(keys, of: name)
        try self.context.store.put(unsent.encoded(), for: StateKey.batch(record.id))
        try self.takeUnsent(unsent)
    }

    /// Takes over removals that an earlier process has not told a row.
    ///
    /// - Returns: False if the record is of another kind.
    @discardableResult
    func takeUnsent(_ record: BatchRecord) throws(SignetError) -> Bool {
        guard case .unsent(let installation, let removals) = record.content else { return false }
        if let mpid = record.mpid {
            try self.users.removalsNotSent(installation, mpid, removals, of: record.id)
        }
        return true
    }

    private func remove(_ record: BatchRecord) throws(SignetError) {
        try self.context.store.remove(StateKey.batch(record.id))
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

extension BatchRecord {
    /// The removed attributes that the batch reports.
    fileprivate var removedAttributes: [String] {
        guard self.removals > 0 else { return [] }
        let body: [UInt8]
        switch self.content {
        case .head(let head): body = head + Self.tail
        case .whole(let whole): body = whole
        case .answered, .unsent: return []
        }
        // Signet has written it, or checked what the app made of it.
        do throws(JSONError) {
            return try JSONReader.read(body)["deleted_user_attributes"]?.array?.compactMap(\.string) ?? []
        } catch {
            return []
        }
    }
}
