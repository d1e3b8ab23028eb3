// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The outbox of an installation in memory: the logins and logouts that other services must follow.
///
/// It is read at its first use. It stays unread while only a newer version can read the record.
struct InstallationOutbox: Sendable {
    private var outbox: Outbox?

    /// Reads the outbox, if that has not happened.
    ///
    /// An entry whose user never became current is removed from the disk, too: it is not due.
    ///
    /// - Parameters:
    ///   - current: The current user.
    ///   - transaction: Reads the disk, and writes.
    /// - Returns: The outbox; an empty one, and true, if the record is damaged.
    /// - Throws: `newerFormat`, or an error of the disk that may pass.
    mutating func load(
        current: MPID?,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) -> (outbox: Outbox, isDamaged: Bool) {
        if let outbox = self.outbox { return (outbox, false) }
        let stored = try transaction.records.outbox()
        var outbox = stored ?? Outbox()
        outbox.begin(with: current)
        self.outbox = outbox
        if let stored, stored != outbox { self.save(outbox, &transaction) }
        return (outbox, stored == nil)
    }

    /// Records the identity syncs that follow from an answer, before the user is saved.
    mutating func add(
        _ following: IdentityStateMachine.Following,
        _ transaction: inout InstallationTransaction
    ) {
        // Nil: only a newer version can read it; reported at the attempt to load it.
        guard var outbox = self.outbox else { return }
        if let dropped = outbox.add(OutboxEntry(following.update, for: following.services)) {
            transaction.add(.superseded(dropped))
        }
        self.save(outbox, &transaction)
    }

    /// Ends an entry for a service.
    ///
    /// - Returns: The entries that have ended with it, in order.
    mutating func end(
        _ entry: OutboxEntry,
        _ service: IdentitySyncOutcome.Service,
        _ transaction: inout InstallationTransaction
    ) -> [OutboxEntry] {
        guard var outbox = self.outbox else { return [] }
        let ended = outbox.end(entry.id, for: service)
        if !ended.isEmpty { self.save(outbox, &transaction) }
        return ended
    }

    /// Removes the identities of an erased user, current or not.
    ///
    /// - Parameters:
    ///   - mpid: The user.
    ///   - all: True to remove all entries, because the services forget the installation.
    ///   - transaction: The transaction.
    mutating func erase(_ mpid: MPID, all: Bool, _ transaction: inout InstallationTransaction) {
        guard var outbox = self.outbox else { return }
        if all { outbox = Outbox() }
        _ = outbox.forget { $0 == mpid }
        // Written in any case: the record on disk may name a user whose change was never saved.
        self.save(outbox, &transaction)
    }

    private mutating func save(_ outbox: Outbox, _ transaction: inout InstallationTransaction) {
        self.outbox = outbox
        let key = StateKey.outbox(transaction.id)
        transaction.write(outbox.records.isEmpty ? .remove(key) : .put(outbox.encoded(), for: key))
    }
}
