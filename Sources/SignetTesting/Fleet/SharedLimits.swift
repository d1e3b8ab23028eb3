// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.UUID

/// Checks arguments by ``SharedStoreLimits``.
enum SharedLimits {
    /// Checks keys: how many, and each once.
    static func check(_ keys: [UUID], limit: Int = SharedStoreLimits.batch) throws(SharedStoreError) {
        try self.check(count: keys.count, limit: limit)
        guard Set(keys).count == keys.count else {
            throw SharedStoreError(.invalidArgument, "A key is there twice.")
        }
    }

    /// Checks a number of days.
    static func check(days: Int) throws(SharedStoreError) {
        guard (0...SharedStoreLimits.days).contains(days) else {
            throw SharedStoreError(.invalidArgument, "\(days) days are not between 0 and \(SharedStoreLimits.days).")
        }
    }

    /// Checks activities: how many, each row once, and their events.
    static func check(_ activities: [SharedActivity]) throws(SharedStoreError) {
        try self.check(activities.map(\.key), limit: SharedStoreLimits.activities)
        guard activities.allSatisfy({ $0.events >= 0 }) else {
            throw SharedStoreError(.invalidArgument, "A number of events is below zero.")
        }
    }

    /// Checks a number of values, or of rows that are asked for.
    static func check(count: Int, limit: Int = SharedStoreLimits.batch) throws(SharedStoreError) {
        guard (0...limit).contains(count) else {
            throw SharedStoreError(.invalidArgument, "\(count) is not between 0 and \(limit).")
        }
    }

    /// Checks a consent: how large it is.
    static func check(_ consent: SharedConsent) throws(SharedStoreError) {
        guard consent.state.count <= SharedStoreLimits.valueBytes else {
            throw SharedStoreError(
                .invalidArgument,
                "The consent is larger than \(SharedStoreLimits.valueBytes) bytes."
            )
        }
    }

    /// Checks commits: their keys, what they need and how large they are.
    static func check(_ commits: [SharedCommit]) throws(SharedStoreError) {
        try self.check(commits.map(\.key))
        for commit in commits {
            guard (commit.state?.count ?? 0) <= SharedStoreLimits.valueBytes else {
                throw SharedStoreError(
                    .invalidArgument,
                    "The state is larger than \(SharedStoreLimits.valueBytes) bytes."
                )
            }
            if case .set(let outbox) = commit.outbox, outbox.count > SharedStoreLimits.valueBytes {
                throw SharedStoreError(
                    .invalidArgument,
                    "The outbox is larger than \(SharedStoreLimits.valueBytes) bytes."
                )
            }
            guard commit.id.isValid else { throw SharedStoreError(.invalidArgument, "The id is not valid.") }
            if commit.condition == .isMissing, commit.state == nil || commit.slotToken != nil {
                throw SharedStoreError(.invalidArgument, "A row is made with a state and without a slot.")
            }
        }
    }
}
