// SPDX-License-Identifier: Apache-2.0

import SignetLock

import struct FoundationEssentials.UUID

/// The stores of installations that have logged since the last flush, or whose flush has no answer; they stay in memory until then.
///
/// The next request of a visitor may make another object, which has to know what this one has not told.
final class UnflushedStores: Sendable {
    /// Activity that the row has since a flush was answered.
    fileprivate struct Flushed {
        let activity: LocalActivity
        /// The uptime of the answer: a question that was sent before may have been answered without it.
        let answered: Duration
    }

    fileprivate struct State {
        var stores: [SharedInstallationStore] = []
        /// The same, by key; seldom more than one.
        var waiting: [UUID: [SharedInstallationStore]] = [:]
        /// Those whose activity a flush has taken, and may still be about to.
        var inFlight: [UUID: [SharedInstallationStore]] = [:]
        var flushed: [UUID: [Flushed]] = [:]
        /// The begins of commits that are under way, as uptime.
        var commits: [Int: Duration] = [:]
        var nextCommit = 0
    }

    private let state = Locked(State())

    /// Begins a commit: its events have stamps from now on, and are noted after the store has answered.
    ///
    /// - Parameter time: The clocks.
    /// - Returns: The number for ``end(_:)``.
    func begin(at time: TimeSource) -> Int {
        self.state.withLock { state in
            state.nextCommit += 1
            state.commits[state.nextCommit] = time.uptime
            return state.nextCommit
        }
    }

    /// Ends a commit: its events are noted, or there are none.
    func end(_ commit: Int) {
        self.state.withLock { _ = $0.commits.removeValue(forKey: commit) }
    }

    /// The uptime before which every event is noted once the stores are taken.
    func cut(at time: TimeSource) -> Duration {
        self.state.withLock { state in state.commits.values.reduce(time.uptime) { min($0, $1) } }
    }

    /// Adds a store that has activity, or is about to; see ``SharedInstallationStore/enter()``.
    func insert(_ store: SharedInstallationStore) {
        self.state.withLock { state in
            state.stores.append(store)
            state.waiting[store.key, default: []].append(store)
        }
    }

    /// The activity of an installation that a reading may lack, of its other objects.
    ///
    /// - Parameter store: The object that asks; not under its lock.
    /// - Returns: The activity; a session may be there twice.
    func missing(besides store: SharedInstallationStore) -> [LocalActivity] {
        let others = self.state.withLock { state in
            (state.waiting[store.key] ?? []) + (state.inFlight[store.key] ?? [])
        }
        return others.flatMap { $0 === store ? [] : $0.missingActivity }
    }

    /// The activity of an installation that was flushed after a question: its answer may lack it.
    ///
    /// Asked under the lock of the object, after what it has in flight: that is here before it is no longer there.
    ///
    /// - Parameters:
    ///   - key: The key of the row.
    ///   - sent: The uptime of the question.
    /// - Returns: The activity, without numbers of events.
    func flushed(_ key: UUID, since sent: Duration) -> [LocalActivity] {
        self.state.withLock { state in
            guard !state.flushed.isEmpty, let flushed = state.flushed[key] else { return [] }
            return flushed.filter { sent <= $0.answered }.map(\.activity)
        }
    }

    /// The number of stores that wait.
    var count: Int {
        self.state.withLock { $0.stores.count }
    }

    /// Takes all of them; each must leave them with ``SharedInstallationStore/takeActivity()``.
    func take() -> [SharedInstallationStore] {
        self.state.withLock { state in
            defer { (state.stores, state.waiting) = ([], [:]) }
            // An object whose earlier flush has no answer is there already.
            state.inFlight.merge(state.waiting) { known, new in
                known + new.filter { store in !known.contains { $0 === store } }
            }
            return state.stores
        }
    }

    /// The number of objects of an installation whose flush has no answer.
    func inFlightCount(of key: UUID) -> Int {
        self.state.withLock { $0.inFlight[key]?.count ?? 0 }
    }

    /// Lets go of a store of which a flush has taken nothing.
    func hasNothing(_ store: SharedInstallationStore) {
        self.state.withLock { $0.letGo([store], of: store.key) }
    }

    /// Notes that a flush has an answer for activity, or that nothing more is done for it.
    ///
    /// - Parameters:
    ///   - activity: The activity of an installation.
    ///   - uptime: The uptime of the answer; nil if the row does not have it, or it waits for the next flush.
    func answered(_ activity: ActivityFlush.Activity, at uptime: Duration?) {
        let stores = self.state.withLock { state in
            // Before the stores forget it: a reading finds it here or there.
            if let uptime {
                let flushed = Flushed(activity: activity.events.withoutCount, answered: uptime)
                state.flushed[activity.key, default: []].append(flushed)
            }
            return state.inFlight[activity.key] ?? []
        }
        let idle = stores.filter { $0.answered(activity.events) }
        if !idle.isEmpty { self.state.withLock { $0.letGo(idle, of: activity.key) } }
    }

    /// Forgets what each question of now knows.
    ///
    /// - Parameter uptime: The moment.
    func forgetFlushed(at uptime: Duration) {
        self.state.withLock { state in
            guard !state.flushed.isEmpty else { return }
            state.flushed = state.flushed.compactMapValues { flushed in
                let left = flushed.filter { uptime - $0.answered < Self.longestQuestion }
                return left.isEmpty ? nil : left
            }
        }
    }

    /// The time after which no question is under way any more: a reading waits for a second, and is answered within another one.
    private static let longestQuestion = Duration.seconds(3)
}

extension UnflushedStores.State {
    fileprivate mutating func letGo(_ stores: [SharedInstallationStore], of key: UUID) {
        let left = (self.inFlight[key] ?? []).filter { store in !stores.contains { $0 === store } }
        self.inFlight[key] = left.isEmpty ? nil : left
    }
}
