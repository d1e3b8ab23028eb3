// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.UUID

/// The limits of the arguments of a ``SharedStore``.
enum SharedLimits {
    /// The maximum number of keys, commits, hashes and rows of a call.
    static let keys = 256
    /// The maximum number of activities of a flush.
    static let activities = 16_384

    /// Checks keys: how many, and each once.
    static func check(_ keys: [UUID], limit: Int = Self.keys) throws(SharedStoreError) {
        try self.check(count: keys.count, limit: limit)
        guard Set(keys).count == keys.count else {
            throw SharedStoreError(.invalidArgument, "A key is there twice.")
        }
    }

    /// Checks a number of days.
    static func check(days: Int) throws(SharedStoreError) {
        guard days >= 0 else { throw SharedStoreError(.invalidArgument, "\(days) days are in the future.") }
    }

    /// Checks activities: how many, each row once, and their events.
    static func check(_ activities: [SharedActivity]) throws(SharedStoreError) {
        try self.check(activities.map(\.key), limit: Self.activities)
        guard activities.allSatisfy({ $0.events >= 0 }) else {
            throw SharedStoreError(.invalidArgument, "A number of events is below zero.")
        }
    }

    /// Checks a number of values, or of rows that are asked for.
    static func check(count: Int, limit: Int = Self.keys) throws(SharedStoreError) {
        guard (0...limit).contains(count) else {
            throw SharedStoreError(.invalidArgument, "\(count) is not between 0 and \(limit).")
        }
    }

    /// Checks commits: their keys, what they need and how large they are.
    static func check(_ commits: [SharedCommit]) throws(SharedStoreError) {
        try self.check(commits.map(\.key))
        for commit in commits {
            guard (commit.state?.count ?? 0) <= SharedInstallation.sizeLimit else {
                throw SharedStoreError(.invalidArgument, "The state is larger than 64 KiB.")
            }
            if case .set(let outbox) = commit.outbox, outbox.count > SharedInstallation.sizeLimit {
                throw SharedStoreError(.invalidArgument, "The outbox is larger than 64 KiB.")
            }
            guard commit.id.isValid else { throw SharedStoreError(.invalidArgument, "The id is not valid.") }
            if commit.condition == .isMissing, commit.state == nil || commit.slotToken != nil {
                throw SharedStoreError(.invalidArgument, "A row is made with a state and without a slot.")
            }
        }
    }
}
