// SPDX-License-Identifier: Apache-2.0

package import struct FoundationEssentials.UUID

/// The knowledge of a service that follows logins about the user of an installation.
package struct ServiceStanding: Sendable {
    /// The knowledge of the service.
    package enum Knowledge: Sendable {
        /// It was told this last; nil if it was never told anything.
        case told(ToldUser?)
        /// Its memory cannot be read: it is told of changes only.
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
        (self.service, self.knowledge, self.followed, self.names) = (service, knowledge, followed, names)
    }

    /// Counts an entry of the outbox that waits as told.
    mutating func expect(_ entry: OutboxEntry) {
        self.knowledge = .told(ToldUser(entry.mpid, names: self.names(entry.call)))
    }

    /// True if the service must be told.
    ///
    /// The names decide, and not the MPID alone: the platform may answer with the user who is there already, while the service was
    /// added since, or was told of another user. A start undoes nothing that the app has told the service itself.
    func isDue(_ news: UserNews) -> Bool {
        guard case .told(let told) = self.knowledge else {
            return news.isChange && (news.wasNamed || news.call != .leave)
        }
        let keepsOther = news.occasion == .start && told?.isOverruled == true && !news.isChange
        guard let names = self.names(news.call) else {
            guard let told else { return news.isChange && news.wasNamed }
            return told.isNamed ? !keepsOther : told.isOverruled && news.occasion == .logout
        }
        if let told, told.isOf(news.mpid, names: names) {
            return told.isOverruled && (news.occasion == .login || news.occasion == .logout)
        }
        return news.occasion == .modify ? news.isChange : !keepsOther
    }
}
