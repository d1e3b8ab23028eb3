// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

/// The activity of installations on this replica since the shared store was last told.
///
/// One flush is under way at a time. One whose answer was lost is repeated with its token until it is answered, so that nothing is
/// counted twice; what happens meanwhile waits for the next.
struct ActivityFlush: Sendable {
    /// A flush.
    struct Round: Sendable, Hashable {
        let token: UUID
        let activities: [SharedActivity]
        /// The uptime before which everything that happened is told with it.
        let cut: Duration
    }

    /// The contents of an answer.
    struct Findings: Sendable, Hashable {
        /// The tags of the rows; a snapshot with another one is old.
        var tags: [UUID: UUID] = [:]
        /// Activity of installations that the store does not have: their rows were removed.
        var missing: [SharedActivity] = []
        /// Activity of sessions that are not open: they had ended meanwhile, or have not begun.
        var ended: [SharedActivity] = []
    }

    private enum UnderWay {
        /// Sent once.
        case once(Round)
        /// Sent again, as an answer was lost: an earlier try may have counted.
        case again(Round)

        var round: Round {
            switch self {
            case .once(let round), .again(let round): round
            }
        }
    }

    private struct Name: Hashable {
        let key: UUID
        let session: UUID
    }

    /// The greatest number of installations in one flush.
    static let limit = SharedStoreLimits.activities

    private var waiting: [Name: SharedActivity] = [:]
    /// The order of `waiting`: who waits longest goes first.
    private var order: [Name] = []
    private var underWay: UnderWay?
    /// The cut of the last flush that was answered.
    private var told = Duration.zero

    /// The number of installations with something to tell.
    var count: Int {
        self.waiting.count + (self.underWay?.round.activities.count ?? 0)
    }

    /// Notes events of a session.
    ///
    /// - Parameters:
    ///   - events: Their number.
    ///   - session: The session.
    ///   - key: The installation.
    ///   - milliseconds: The moment of the last one.
    mutating func note(_ events: Int, in session: UUID, of key: UUID, at milliseconds: Int64) {
        let name = Name(key: key, session: session)
        if self.waiting[name] == nil { self.order.append(name) }
        var activity =
            self.waiting[name] ?? SharedActivity(key: key, session: session, last: milliseconds, events: 0)
        activity.events += events
        activity.last = max(activity.last, milliseconds)
        self.waiting[name] = activity
    }

    /// Begins a flush, or repeats the one whose answer was lost.
    ///
    /// Without activities it says that the replica lives.
    ///
    /// - Parameters:
    ///   - uptime: The moment before which everything that happened was noted.
    ///   - newToken: Makes a random value.
    /// - Returns: The flush to send.
    mutating func begin(at uptime: Duration, newToken: () -> UUID) -> Round {
        if let round = self.underWay?.round {
            self.underWay = .again(round)
            return round
        }
        var keys: Set<UUID> = []
        var activities: [SharedActivity] = []
        var left: [Name] = []
        for name in self.order {
            // Of two sessions of one installation the earlier one goes first, alone: a row has one session.
            guard activities.count < Self.limit, keys.insert(name.key).inserted,
                let activity = self.waiting.removeValue(forKey: name)
            else {
                left.append(name)
                continue
            }
            activities.append(activity)
        }
        self.order = left
        let round = Round(
            token: newToken(),
            activities: activities,
            // A flush that leaves something over does not tell everything.
            cut: left.isEmpty ? uptime : self.told
        )
        self.underWay = .once(round)
        return round
    }

    /// Takes in the answer of the flush under way.
    mutating func take(_ outcomes: [SharedActivity.Outcome]) -> Findings {
        var findings = Findings()
        guard let round = self.underWay?.round, outcomes.count == round.activities.count else { return findings }
        self.underWay = nil
        self.told = round.cut
        for (activity, outcome) in zip(round.activities, outcomes) {
            switch outcome {
            case .added(let tag):
                findings.tags[activity.key] = tag
            case .sessionEnded(let tag):
                findings.tags[activity.key] = tag
                findings.ended.append(activity)
            case .isMissing:
                findings.missing.append(activity)
            }
        }
        return findings
    }

    /// Takes in that the last try of the flush under way was not sent.
    ///
    /// If it was the only one, its activities wait again, before the others; else the flush is repeated with its token.
    mutating func notSent() {
        guard case .once(let round) = self.underWay else { return }
        self.underWay = nil
        self.putFirst(round.activities)
    }

    /// True if activity of an installation waits for a flush.
    func isWaiting(_ key: UUID) -> Bool {
        self.order.contains { $0.key == key }
    }

    /// Lets activities wait before the others.
    mutating func putFirst(_ activities: [SharedActivity]) {
        var first: [Name] = []
        for activity in activities {
            let name = Name(key: activity.key, session: activity.session)
            if var later = self.waiting[name] {
                later.events += activity.events
                later.last = max(later.last, activity.last)
                self.waiting[name] = later
            } else {
                self.waiting[name] = activity
            }
            first.append(name)
        }
        let again = Set(first)
        self.order = first + self.order.filter { !again.contains($0) }
    }
}
