// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetWire

extension IterableStateMachine {
    /// Handles a change of the installation's user.
    ///
    /// - Parameters:
    ///   - record: The change.
    ///   - addressing: The names that the project knows its users by.
    ///   - replays: True to give the visitor's records to the user.
    ///   - merges: True to merge an unknown user into them.
    ///   - now: Seconds since 1970.
    /// - Returns: The actions; none if the change was taken over already.
    mutating func follow(
        _ record: OutboxEntry,
        by addressing: IterableConfiguration.Addressing,
        replays: Bool,
        merges: Bool,
        now: Int64
    ) -> [Action] {
        guard record.id != self.memory.followed else { return [] }
        self.remember { $0.followed = record.id }
        let actions =
            switch record.call {
            // A user without a valid name is another user all the same.
            case .identify:
                record.visitor(by: addressing).map {
                    self.identify($0, replays: replays, merges: merges, mpid: record.mpid)
                } ?? self.leave(now: now)
            case .leave: self.leave(now: now)
            }
        self.remember { $0.synced = SyncedUser(record.mpid, names: record.call.names(by: addressing)) }
        // The app may have identified the visitor before.
        if self.memory.current?.isKnown == true {
            self.remember { $0.turns[$0.turns.count - 1].mpid = record.mpid }
        }
        return actions.isEmpty ? [.save] : actions
    }

    /// Logs a known user out; a visitor and an unknown user stay.
    private mutating func leave(now: Int64) -> [Action] {
        self.memory.current?.isKnown == true ? self.logout(now: now) : []
    }
}

extension OutboxEntry {
    /// The user's name, of the kind that the project uses; nil for none.
    func visitor(by addressing: IterableConfiguration.Addressing) -> IterableUserID? {
        self.call.visitor(by: addressing)
    }
}

extension OutboxEntry.Call {
    /// The user's name, of the kind that the project uses; nil for none.
    fileprivate func visitor(by addressing: IterableConfiguration.Addressing) -> IterableUserID? {
        guard case .identify(let email, let customerID) = self else { return nil }
        let (byEmail, byUserID) = (email.map(IterableUserID.email), customerID.map(IterableUserID.userID))
        let names =
            switch addressing {
            case .email: [byEmail]
            case .userID: [byUserID]
            case .hybrid: [byEmail, byUserID]
            }
        return names.compactMap(\.self).first(where: \.isValid)
    }

    /// The same with its kind; empty for a user without such a name, nil if the user has left.
    func names(by addressing: IterableConfiguration.Addressing) -> [String]? {
        self == .leave ? nil : self.visitor(by: addressing)?.names ?? []
    }
}

extension IterableUserID {
    /// The name with its kind.
    var names: [String] {
        switch self {
        case .email(let email): ["email " + email]
        case .userID(let userID): ["id " + userID]
        }
    }
}
