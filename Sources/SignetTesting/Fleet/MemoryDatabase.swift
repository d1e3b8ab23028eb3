// SPDX-License-Identifier: Apache-2.0

package import Signet
package import SignetModel

package import struct FoundationEssentials.UUID

/// The tables of a ``MemorySharedStore``: a value, without lock and clock.
///
/// Each method is one transaction.
package struct MemoryDatabase: Sendable {
    /// The row of an installation.
    package struct Row: Sendable, Hashable {
        /// The row as replicas read it.
        package internal(set) var installation: SharedInstallation
        /// The users whom it mentions.
        package internal(set) var mentions: Set<MPID>
        /// The moment of its last commit.
        package internal(set) var seen: Int64
    }

    /// The latest consent of a user.
    package struct Consent: Sendable, Hashable {
        /// The consent as replicas read it.
        package internal(set) var consent: SharedConsent
        /// The moment of its last write.
        package internal(set) var seen: Int64
    }

    /// The row of a replica.
    package struct Replica: Sendable, Hashable {
        /// The moment up to which it has told everything; nil from leaving until it joins or flushes again.
        package internal(set) var beat: Int64?
        /// The moment of its last flush, of joining or of leaving.
        package internal(set) var seen: Int64
        /// The token of its last flush.
        package internal(set) var flush: UUID?
        /// The rows that its last flush has skipped.
        package internal(set) var skipped: Set<UUID> = []
        /// The token of its last joining.
        package internal(set) var join: UUID?
        /// True if it had joined before its last joining.
        package internal(set) var isKnown = false
    }

    /// The row of an erasure.
    package struct Erasure: Sendable, Hashable {
        /// The row as replicas read it.
        package internal(set) var erasure: SharedErasure
        /// The replicas that have acknowledged it.
        package internal(set) var acknowledgements: Set<UUID>
    }

    /// The installations, by key.
    package internal(set) var rows: [UUID: Row] = [:]
    /// The latest consents of users.
    package internal(set) var consents: [MPID: Consent] = [:]
    /// The rows that another transaction has locked.
    package internal(set) var locked: Set<UUID> = []
    /// The replicas, by id.
    package internal(set) var replicas: [UUID: Replica] = [:]
    /// The erasures, oldest first.
    package internal(set) var erasures: [Erasure] = []
    /// The workspace; nil until the first ``prepare(workspace:reading:)``.
    package private(set) var workspace: [UInt8]?
    /// The format in which replicas write.
    package internal(set) var format = SharedFormat.newest

    /// Makes an empty database.
    package init() {}

    /// Binds the database to a workspace, or checks that it is this one.
    ///
    /// - Parameters:
    ///   - workspace: The hash of the workspace's key.
    ///   - format: The newest format that the caller reads.
    /// - Returns: The format in which replicas write.
    /// - Throws: `newerFormat`, `workspaceMismatch`.
    package mutating func prepare(workspace: [UInt8], reading format: Int) throws(SharedStoreError) -> SharedFormat {
        guard self.format <= format else {
            throw SharedStoreError(.newerFormat, "Format \(self.format); this version reads up to \(format).")
        }
        guard self.workspace == nil || self.workspace == workspace else {
            throw SharedStoreError(.workspaceMismatch, "The database belongs to another workspace.")
        }
        self.workspace = workspace
        return SharedFormat(written: self.format)
    }

    /// The rows that there are.
    package func read(_ keys: [UUID]) -> [SharedInstallation] {
        keys.compactMap { self.rows[$0].map(self.withConsents) }
    }

    /// Refuses a change of a row that another transaction has locked.
    ///
    /// - Throws: `locked`.
    package func checkLocks(_ keys: [UUID]) throws(SharedStoreError) {
        guard self.locked.isDisjoint(with: keys) else {
            throw SharedStoreError(.locked, "Another transaction has locked the row.")
        }
    }

    // MARK: - Commits

    /// Changes rows, each by itself.
    package mutating func commit(_ commits: [SharedCommit], now: Int64) -> [SharedCommit.Outcome] {
        var outcomes: [SharedCommit.Outcome] = []
        for commit in commits { outcomes.append(self.commit(commit, now: now)) }
        return outcomes
    }

    private mutating func commit(_ commit: SharedCommit, now: Int64) -> SharedCommit.Outcome {
        var row: Row
        if let found = self.rows[commit.key] {
            guard Self.isTaken(commit, on: found.installation) else { return .differs(self.withConsents(found)) }
            row = found
        } else {
            guard commit.condition == .isMissing, let state = commit.state else { return .differs(nil) }
            let made = SharedInstallation(key: commit.key, id: commit.id, state: state, tag: commit.tag, tags: [])
            row = Row(installation: made, mentions: [], seen: now)
        }
        row.installation.take(commit)
        row.mentions.subtract(commit.forgets)
        row.mentions.formUnion(commit.mentions)
        row.seen = now
        self.rows[commit.key] = row
        return .committed
    }

    private static func isTaken(_ commit: SharedCommit, on row: SharedInstallation) -> Bool {
        if let token = commit.slotToken, row.slot?.token != token { return false }
        return switch commit.condition {
        case .isMissing: false
        case .tag(let tag): row.tag == tag
        case .unchanged(let tag, let last, let events):
            row.tag == tag && row.session?.last == last && row.session?.events == events
        }
    }

    // MARK: - Removal

    /// Removes an installation; true also if there is none.
    package mutating func remove(_ key: UUID, tag: UUID, now: Int64) -> Bool {
        guard let row = self.rows[key]?.installation else { return true }
        guard row.tag == tag, row.isRemovable(now: now) else { return false }
        self.rows[key] = nil
        return true
    }

    /// Removes installations that no replica has committed to for some days.
    package mutating func removeIdle(days: Int, limit: Int, now: Int64) -> Int {
        let end = Self.moment(days: days, before: now)
        let idle = self.rows.filter { _, row in
            row.seen <= end && row.installation.isRemovable(now: now) && row.installation.outbox.isEmpty
        }
        let removed = idle.keys.sorted().prefix(limit)
        for key in removed { self.rows[key] = nil }
        return removed.count
    }

    /// A moment some days ago.
    static func moment(days: Int, before now: Int64) -> Int64 {
        let (span, overflow) = Int64(days).multipliedReportingOverflow(by: 86_400_000)
        return overflow ? .min : now - span
    }
}

extension SharedInstallation {
    /// Takes a commit whose condition holds.
    fileprivate mutating func take(_ commit: SharedCommit) {
        self.tag = commit.tag
        self.tags = Array(([commit.tag] + self.tags).prefix(SharedStoreLimits.tags))
        if let state = commit.state { self.state = state }
        switch commit.session {
        case .keep: break
        case .begin(var session):
            session.events = min(session.events, SharedStoreLimits.sessionEvents)
            self.session = session
        case .end: self.session = nil
        }
        if case .set(let look) = commit.look { self.look = look }
        if case .set(let outbox) = commit.outbox { self.outbox = outbox }
        if commit.slotToken != nil { self.slot = nil }
    }

    fileprivate func isRemovable(now: Int64) -> Bool {
        self.session == nil && (self.slot?.until ?? .min) <= now
    }
}
