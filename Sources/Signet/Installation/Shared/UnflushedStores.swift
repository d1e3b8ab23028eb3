// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// The stores of installations that have logged since the last flush; they stay in memory until then.
final class UnflushedStores: Sendable {
    private struct State {
        var stores: [SharedInstallationStore] = []
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
        self.state.withLock { $0.stores.append(store) }
    }

    /// The number of stores that wait.
    var count: Int {
        self.state.withLock { $0.stores.count }
    }

    /// Takes all of them; each must leave them with ``SharedInstallationStore/takeActivity()``.
    func take() -> [SharedInstallationStore] {
        self.state.withLock { state in
            defer { state.stores = [] }
            return state.stores
        }
    }
}
