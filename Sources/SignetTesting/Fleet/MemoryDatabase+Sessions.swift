// SPDX-License-Identifier: Apache-2.0

package import Signet

package import struct FoundationEssentials.UUID

extension MemoryDatabase {
    // MARK: - Slots

    /// Takes the slot of an installation if it is free.
    package mutating func takeSlot(
        _ wish: SharedSlotRequest,
        for span: Duration,
        now: Int64
    ) -> SharedSlotRequest.Outcome {
        guard let row = self.rows[wish.key].map(self.withConsents) else { return .isMissing }
        if let slot = row.slot, slot.token != wish.token {
            // A longer time was given by a database whose clock was ahead of this one.
            let longest = Self.moment(span, after: Self.moment(span, after: now))
            guard slot.until <= now || slot.until > longest else { return .held(row) }
        }
        return self.giveSlot(wish, to: row, for: span, now: now)
    }

    /// Renews a slot that the token still has.
    package mutating func renewSlot(
        _ wish: SharedSlotRequest,
        for span: Duration,
        now: Int64
    ) -> SharedSlotRequest.Outcome {
        guard let row = self.rows[wish.key].map(self.withConsents) else { return .isMissing }
        guard row.slot?.token == wish.token else { return .held(row) }
        return self.giveSlot(wish, to: row, for: span, now: now)
    }

    private mutating func giveSlot(
        _ wish: SharedSlotRequest,
        to row: SharedInstallation,
        for span: Duration,
        now: Int64
    ) -> SharedSlotRequest.Outcome {
        var row = row
        row.slot = SharedInstallation.Slot(
            token: wish.token,
            owner: wish.owner,
            until: Self.moment(span, after: now)
        )
        self.rows[wish.key]?.installation.slot = row.slot
        return .taken(row)
    }

    /// Frees a slot if the token has it.
    package mutating func releaseSlot(_ wish: SharedSlotRequest) {
        guard self.rows[wish.key]?.installation.slot?.token == wish.token else { return }
        self.rows[wish.key]?.installation.slot = nil
    }

    private static func moment(_ span: Duration, after now: Int64) -> Int64 {
        let (sum, overflow) = now.addingReportingOverflow(span.milliseconds)
        return overflow ? .max : sum
    }

    // MARK: - Activity

    /// Adds what installations did, unless the replica's last flush had this token.
    package mutating func flush(
        _ activities: [SharedActivity],
        of replica: UUID,
        token: UUID,
        age: Duration,
        now: Int64
    ) -> [SharedActivity.Outcome] {
        var row = self.replicas[replica] ?? Replica(seen: now)
        let isRepetition = row.flush == token
        if !isRepetition {
            let (cut, overflow) = now.subtractingReportingOverflow(age.milliseconds)
            // A beat ahead of the clock was given by a database whose clock was ahead of this one.
            let last = row.beat.map { $0 <= now ? $0 : .min } ?? .min
            row.beat = max(last, overflow ? .min : cut)
            (row.seen, row.flush) = (now, token)
            row.skipped = self.locked.intersection(activities.map(\.key))
            self.replicas[replica] = row
        }
        var outcomes: [SharedActivity.Outcome] = []
        for activity in activities {
            let isSkipped = row.skipped.contains(activity.key)
            outcomes.append(isSkipped ? .isLocked : self.add(activity, isRepetition: isRepetition))
        }
        return outcomes
    }

    private mutating func add(_ activity: SharedActivity, isRepetition: Bool) -> SharedActivity.Outcome {
        guard let row = self.rows[activity.key]?.installation else { return .isMissing }
        guard var session = row.session, session.id == activity.session else { return .sessionEnded(tag: row.tag) }
        if !isRepetition {
            session.last = max(session.last, activity.last)
            let added = min(activity.events, SharedStoreLimits.sessionEvents)
            session.events = min(session.events + added, SharedStoreLimits.sessionEvents)
            self.rows[activity.key]?.installation.session = session
        }
        return .added(tag: row.tag)
    }

    /// Claims rows that are due.
    package mutating func claimDue(_ limit: Int, for span: Duration, now: Int64) -> [SharedInstallation] {
        let due = self.rows.values.map(self.withConsents)
            .filter { $0.look.map { $0 <= now } ?? false && !self.locked.contains($0.key) }
        let first = due.sorted { ($0.look ?? .max, $0.key) < ($1.look ?? .max, $1.key) }.prefix(limit)
        var claimed: [SharedInstallation] = []
        for var row in first {
            row.look = Self.moment(span, after: now)
            self.rows[row.key]?.installation.look = row.look
            claimed.append(row)
        }
        return claimed
    }
}
