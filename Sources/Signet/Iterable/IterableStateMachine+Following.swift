//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetWire

extension IterableStateMachine {
    /// The user of the installation has changed.
    ///
    /// - Parameters:
    ///   - record: How.
    ///   - addressing: By what the project knows its users.
    ///   - replays: Whether what a visitor did is the user's.
    ///   - merges: Whether an unknown user is merged into them.
    ///   - now: Seconds since 1970.
    /// - Returns: What to do; nothing when it was taken over already.
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
            // Who cannot be named is somebody else all the same.
            case .identify:
                record.visitor(by: addressing).map {
                    self.identify($0, replays: replays, merges: merges, mpid: record.mpid)
                } ?? self.leave(now: now)
            case .leave: self.leave(now: now)
            }
        // The app may have said to the visitor before who it is.
        if self.memory.current?.isKnown == true {
            self.remember { $0.turns[$0.turns.count - 1].mpid = record.mpid }
        }
        return actions.isEmpty ? [.save] : actions
    }

    /// Who was known has gone; a visitor and an unknown user stay who they are.
    private mutating func leave(now: Int64) -> [Action] {
        self.memory.current?.isKnown == true ? self.logout(now: now) : []
    }
}

extension OutboxEntry {
    /// Who it says is known to a project that knows its users so; nil for nobody.
    func visitor(by addressing: IterableConfiguration.Addressing) -> IterableUserID? {
        guard case .identify(let email, let customerID) = self.call else { return nil }
        let (byEmail, byUserID) = (email.map(IterableUserID.email), customerID.map(IterableUserID.userID))
        let names =
            switch addressing {
            case .email: [byEmail]
            case .userID: [byUserID]
            case .hybrid: [byEmail, byUserID]
            }
        return names.compactMap(\.self).first(where: \.isValid)
    }
}
