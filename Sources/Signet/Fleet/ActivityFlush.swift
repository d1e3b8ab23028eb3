// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

/// The activity of installations on this replica since the shared store was last told.
///
/// One flush is under way at a time. One whose answer was lost is repeated with its token until it is answered, so that nothing is
/// counted twice; what happens meanwhile waits for the next.
struct ActivityFlush: Sendable {
    /// Events of a session of an installation.
    struct Activity: Sendable, Hashable {
        let key: UUID
        var events: LocalActivity

        fileprivate var name: Name {
            Name(key: self.key, session: self.events.session)
        }
    }

    /// A flush.
    struct Round: Sendable, Hashable {
        let token: UUID
        let told: [Activity]
        /// The uptime before which everything that happened is told with it.
        let cut: Duration

        /// The activities in the words of the store, which has the begins of the sessions.
        var activities: [SharedActivity] {
            self.told.map { told in
                let events = told.events
                return SharedActivity(key: told.key, session: events.session, last: events.last, events: events.events)
            }
        }
    }

    /// The contents of an answer.
    struct Findings: Sendable, Hashable {
        /// The tags of the rows; a snapshot with another one is old.
        var tags: [UUID: UUID] = [:]
        /// Activity that the rows have now.
        var added: [Activity] = []
        /// Activity of installations that the store does not have: their rows were removed.
        var missing: [Activity] = []
        /// Activity of sessions that are not open: they had ended meanwhile, or have not begun.
        var ended: [Activity] = []
    }

    /// Counts the flushes at the end of a process, and says when to stop.
    struct LastRounds: Sendable {
        /// Each flush tells one session of an installation, or repeats what a row refused.
        private static let limit = 16
        private static let unansweredLimit = 2

        private var count = 0
        private var unanswered = 0

        /// Takes in that a flush is over.
        ///
        /// - Parameter isAnswered: False if the store did not answer it.
        /// - Returns: True if another one may follow.
        mutating func next(isAnswered: Bool) -> Bool {
            self.count += 1
            if !isAnswered { self.unanswered += 1 }
            return self.count < Self.limit && self.unanswered < Self.unansweredLimit
        }
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

    fileprivate struct Name: Hashable {
        let key: UUID
        let session: UUID
    }

    /// The greatest number of installations in one flush.
    static let limit = SharedStoreLimits.activities

    private var waiting: [Name: Activity] = [:]
    /// The order of `waiting`: who waits longest goes first.
    private var order: [Name] = []
    private var underWay: UnderWay?
    /// The cut of the last flush that was answered.
    private var told = Duration.zero

    /// The number of installations with something to tell.
    var count: Int {
        self.waiting.count + (self.underWay?.round.told.count ?? 0)
    }

    /// Notes events of a session of an installation.
    mutating func note(_ events: LocalActivity, of key: UUID) {
        let activity = Activity(key: key, events: events)
        if self.waiting[activity.name]?.events.add(events) == nil {
            self.order.append(activity.name)
            self.waiting[activity.name] = activity
        }
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
        var told: [Activity] = []
        var left: [Name] = []
        for name in self.order {
            // Of two sessions of one installation the earlier one goes first, alone: a row has one session.
            guard told.count < Self.limit, keys.insert(name.key).inserted,
                let activity = self.waiting.removeValue(forKey: name)
            else {
                left.append(name)
                continue
            }
            told.append(activity)
        }
        self.order = left
        let round = Round(
            token: newToken(),
            told: told,
            // A flush that leaves something over does not tell everything.
            cut: left.isEmpty ? uptime : self.told
        )
        self.underWay = .once(round)
        return round
    }

    /// Takes in the answer of the flush under way.
    mutating func take(_ outcomes: [SharedActivity.Outcome]) -> Findings {
        var findings = Findings()
        guard let round = self.underWay?.round, outcomes.count == round.told.count else { return findings }
        self.underWay = nil
        self.told = round.cut
        var locked: [Activity] = []
        for (activity, outcome) in zip(round.told, outcomes) {
            switch outcome {
            case .added(let tag):
                findings.tags[activity.key] = tag
                findings.added.append(activity)
            case .sessionEnded(let tag):
                findings.tags[activity.key] = tag
                findings.ended.append(activity)
            case .isMissing:
                findings.missing.append(activity)
            case .isLocked:
                locked.append(activity)
            }
        }
        self.putFirst(locked)
        return findings
    }

    /// Takes in that the last try of the flush under way was not sent.
    ///
    /// If it was the only one, its activities wait again, before the others; else the flush is repeated with its token.
    mutating func notSent() {
        guard case .once(let round) = self.underWay else { return }
        self.underWay = nil
        self.putFirst(round.told)
    }

    /// True if activity of an installation waits for a flush.
    func isWaiting(_ key: UUID) -> Bool {
        self.order.contains { $0.key == key }
    }

    /// Lets activities wait before the others.
    mutating func putFirst(_ activities: [Activity]) {
        for activity in activities where self.waiting[activity.name]?.events.add(activity.events) == nil {
            self.waiting[activity.name] = activity
        }
        let first = activities.map(\.name)
        let again = Set(first)
        self.order = first + self.order.filter { !again.contains($0) }
    }
}
