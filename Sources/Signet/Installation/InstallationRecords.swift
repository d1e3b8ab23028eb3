// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Reads what the disk of this process has of one installation.
struct InstallationRecords: Sendable {
    let id: InstallationID
    let context: RuntimeContext

    /// Writes the users down ahead of the transaction.
    ///
    /// - Throws: The error of the disk.
    func save(_ state: IdentityState) throws(SignetError) {
        try self.context.store.put(state, of: self.id)
    }

    /// The last event of the journal, with the events in memory that the disk had refused before.
    func lastSequence() throws(SignetError) -> UInt64 {
        try self.context.lastSequence()
    }

    /// The last event of the journal.
    var journalSequence: UInt64 {
        self.context.journal.lastSequence
    }

    /// The breadcrumbs of a user; none if the record is damaged.
    func breadcrumbs(of user: MPID?, _ number: UInt32) throws(SignetError) -> BreadcrumbTrail {
        // On a replica that has not logged anything of it yet.
        guard number != 0 else { return BreadcrumbTrail(of: user) }
        do throws(SignetError) {
            let bytes = try self.context.store.value(for: StateKey.breadcrumbs(number, user))
            return bytes.flatMap { BreadcrumbTrail($0) } ?? BreadcrumbTrail(of: user)
        } catch {
            guard error.isDamage else { throw error }
            return BreadcrumbTrail(of: user)
        }
    }

    /// The consents of ephemeral users who have left.
    func departedConsents(_ number: UInt32) throws(SignetError) -> DepartedConsents {
        try self.context.store.departedConsents(of: number)
    }

    /// True if the session record names a user, or cannot be read.
    func sessionNames(_ mpid: MPID) throws(SignetError) -> Bool {
        do throws(SignetError) {
            guard let bytes = try self.context.store.value(for: StateKey.session(self.id)) else { return false }
            guard let record = SessionRecord(bytes) else { return true }
            return record.open?.mpids.contains(mpid) ?? false
        } catch {
            guard error.isDamage else { throw error }
            return true
        }
    }

    /// The number of a context without its address; nil if the context has none.
    func contextWithoutAddress(_ number: UInt32) throws(SignetError) -> UInt32? {
        try self.context.ownContexts.withoutAddress(number)
    }

    /// The record of the app's launches.
    func launch() throws(SignetError) -> LaunchRecord? {
        try self.context.store.value(for: StateKey.launch(self.id)).flatMap { LaunchRecord($0) }
    }

    /// The outbox.
    ///
    /// - Returns: Nil if it is damaged.
    /// - Throws: `newerFormat`, or an error of the disk that may pass.
    func outbox() throws(SignetError) -> Outbox? {
        do throws(SignetError) {
            guard let bytes = try self.context.store.value(for: StateKey.outbox(self.id)) else { return Outbox() }
            return try Outbox(bytes)
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    /// True if there is a record of an opt-out that is not settled, and it is this one.
    func isDue(_ optOut: DueOptOut, _ number: UInt32) throws(SignetError) -> Bool {
        try self.context.store.value(for: StateKey.dueOptOut(number)) == optOut.encoded()
    }
}

// Writes of records that the machine does not have in memory.
extension InstallationTransaction {
    /// Keeps the consents of users who depart, until their events are in batches.
    mutating func keep(_ departures: [UserDirectory.Departure], _ number: UInt32) throws(SignetError) {
        guard !departures.isEmpty else { return }
        var departed = try self.records.departedConsents(number)
        let last = try self.records.lastSequence()
        for one in departures { departed.add(one.mpid, one.consent, lastEvent: last) }
        self.write(.put(departed.encoded(), for: StateKey.departedConsents(number)))
    }

    /// Forgets the consents of departed users.
    mutating func forgetDeparted(
        of number: UInt32,
        _ isDone: (DepartedConsents.Entry) -> Bool
    ) throws(SignetError) {
        var departed = try self.records.departedConsents(number)
        guard departed.remove(where: isDone) else { return }
        let key = StateKey.departedConsents(number)
        self.write(departed.entries.isEmpty ? .remove(key) : .put(departed.encoded(), for: key))
    }

    /// Notes whether the app's launch has ended in order.
    mutating func saveLaunch(isClosedInOrder: Bool) throws(SignetError) {
        guard var launch = try self.records.launch(), launch.isClosedInOrder != isClosedInOrder else { return }
        launch.isClosedInOrder = isClosedInOrder
        self.write(.put(launch.encoded(), for: StateKey.launch(self.id)))
    }
}

extension StateStore {
    /// The consents of an installation's ephemeral users who have left; none if the record is damaged.
    func departedConsents(of number: UInt32) throws(SignetError) -> DepartedConsents {
        do throws(SignetError) {
            guard let bytes = try self.value(for: StateKey.departedConsents(number)) else { return DepartedConsents() }
            return DepartedConsents(bytes) ?? DepartedConsents()
        } catch {
            guard error.isDamage else { throw error }
            return DepartedConsents()
        }
    }

    /// Forgets the consents of departed users.
    func forgetDeparted(of number: UInt32, _ isDone: (DepartedConsents.Entry) -> Bool) throws(SignetError) {
        let key = StateKey.departedConsents(number)
        guard self.contains(key) else { return }
        var departed = try self.departedConsents(of: number)
        guard departed.remove(where: isDone) else { return }
        if departed.entries.isEmpty { try self.remove(key) } else { try self.put(departed.encoded(), for: key) }
    }
}
