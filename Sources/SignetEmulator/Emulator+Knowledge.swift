// SPDX-License-Identifier: Apache-2.0

public import struct SignetModel.MPID

// The platform's current state, for tests to inspect.
extension Emulator {
    /// Returns all users, orphans included, in ascending order of their MPIDs.
    ///
    /// - Returns: Snapshots, which later requests do not change.
    public func users() -> [EmulatedUser] {
        self.withState { (state, _) in
            state.users.users.values.sorted { $0.mpid < $1.mpid }.map(state.user)
        }
    }

    /// Returns the users whose MPID or identities contain a text, last seen first.
    ///
    /// - Parameters:
    ///   - needle: The text in lower case; empty matches all users.
    ///   - limit: The maximum number of users to return.
    /// - Returns: The number of all matches, and the first of them.
    package func users(matching needle: String, newest limit: Int) -> (found: Int, users: [EmulatedUser]) {
        self.withState { (state, _) in
            let found = state.users.users.values.filter { $0.contains(needle) }
            let newest = found.map { (seen: $0.lastSeen, mpid: $0.mpid) }
                .sorted { ($1.seen, $0.mpid) < ($0.seen, $1.mpid) }
                .prefix(limit)
            return (found.count, newest.compactMap { state.users[$0.mpid].map(state.user) })
        }
    }

    /// Returns one user.
    ///
    /// - Parameter mpid: The user's MPID.
    /// - Returns: The user; nil when the platform has no such user.
    public func user(_ mpid: MPID) -> EmulatedUser? {
        self.withState { (state, _) in state.users[mpid].map(state.user) }
    }

    /// Returns the events of one user.
    ///
    /// - Parameter mpid: The user's MPID.
    /// - Returns: The events in the order of arrival; copies by an alias arrive when it is carried out.
    public func events(of mpid: MPID) -> [EmulatedEvent] {
        self.withState { (state, _) in state.eventHandler.events(of: mpid) }
    }

    /// Returns the accepted batches in the order of arrival, each once.
    public func batches() -> [EmulatedBatch] {
        self.withState { (state, _) in Array(state.eventHandler.batches) }
    }

    /// Returns the batches that brought the events of one user.
    ///
    /// - Parameter mpid: The user's MPID.
    /// - Returns: The batches in the order of arrival, each once; includes those of an alias source whose events were copied.
    public func batches(of mpid: MPID) -> [EmulatedBatch] {
        self.withState { (state, _) in state.eventHandler.batches(of: mpid) }
    }

    /// Returns the refused batches in the order of arrival, once for each delivery.
    ///
    /// A body that is not JSON, or that is longer than a request may be, is not included.
    public func refusedBatches() -> [RefusedBatch] {
        self.withState { (state, _) in state.eventHandler.refused }
    }

    /// Returns the accepted aliases in the order of arrival.
    public func aliases() -> [EmulatedAlias] {
        self.withState { (state, _) in state.aliasHandler.entries }
    }

    /// Returns the number of requests that reached the platform, by the raw value of ``EmulatorRoute``.
    ///
    /// Refused requests count; requests that faults kept from arriving do not. Unused routes have no entry.
    public func requestCounts() -> [String: Int] {
        self.withState { (state, _) in
            Dictionary(uniqueKeysWithValues: state.received.map { ($0.key.rawValue, $0.value) })
        }
    }

    /// Returns the number of users and accepted aliases, and the totals of the events interface.
    package func totals() -> (users: Int, aliases: Int, events: EventTotals) {
        self.withState { (state, _) in
            (state.users.users.count, state.aliasHandler.entries.count, state.eventHandler.totals)
        }
    }
}
