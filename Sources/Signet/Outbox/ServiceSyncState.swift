// SPDX-License-Identifier: Apache-2.0

package import struct FoundationEssentials.UUID

/// The knowledge of a service that follows logins about the user of an installation.
package struct ServiceSyncState: Sendable {
    /// The knowledge of the service.
    package enum Knowledge: Sendable {
        /// It was synchronised with this user last; nil for none.
        case synced(SyncedUser?)
        /// Its memory cannot be read: it follows changes only.
        case unreadable
    }

    let service: IdentitySyncOutcome.Service
    private var knowledge: Knowledge
    /// The newest entry of the outbox that it has taken over.
    let followed: UUID?
    /// Chooses the names by which it knows its users; nil after the user has left.
    private let names: @Sendable (OutboxEntry.Call) -> [String]?

    package init(
        of service: IdentitySyncOutcome.Service,
        _ knowledge: Knowledge,
        followed: UUID? = nil,
        names: @escaping @Sendable (OutboxEntry.Call) -> [String]?
    ) {
        self.service = service
        self.knowledge = knowledge
        self.followed = followed
        self.names = names
    }

    /// Counts a pending entry of the outbox as synchronised.
    mutating func expect(_ entry: OutboxEntry) {
        self.knowledge = .synced(SyncedUser(entry.mpid, names: self.names(entry.call)))
    }

    /// True if the service must follow.
    ///
    /// The names decide, and not the MPID alone: the platform may answer with the user who is there already, while the
    /// service was added since, or knows another user. A start undoes nothing that the app has changed at the service
    /// itself.
    func isDue(_ update: CurrentUserUpdate) -> Bool {
        guard case .synced(let synced) = self.knowledge else {
            return update.isChange && (update.wasNamed || update.call != .leave)
        }
        let keepsOther = update.occasion == .start && synced?.isOverruled == true && !update.isChange
        guard let names = self.names(update.call) else {
            guard let synced else { return update.isChange && update.wasNamed }
            return synced.isNamed ? !keepsOther : synced.isOverruled && update.occasion == .logout
        }
        if let synced, synced.isOf(update.mpid, names: names) {
            return synced.isOverruled && (update.occasion == .login || update.occasion == .logout)
        }
        return update.occasion == .modify ? update.isChange : !keepsOther
    }
}
