//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import struct SignetModel.MPID

// What the platform knows now, for a test to look at.
extension Emulator {
    /// All users, orphans included, in order of their numbers.
    ///
    /// - Returns: Values; they do not change under you.
    public func users() -> [EmulatedUser] {
        self.withState { (state, _) in
            state.infobip.infobip.values.sorted { $0.mpid < $1.mpid }.map(state.user)
        }
    }

    /// The users whose number or identities contain a text, those last seen first.
    ///
    /// - Parameters:
    ///   - needle: In lower case; empty is all.
    ///   - limit: How many at most are looked at closely.
    /// - Returns: How many there are, and the first of them.
    package func users(matching needle: String, newest limit: Int) -> (found: Int, users: [EmulatedUser]) {
        self.withState { (state, _) in
            let found = state.infobip.infobip.values.filter { $0.contains(needle) }
            let newest = found.map { (seen: $0.lastSeen, mpid: $0.mpid) }
                .sorted { ($1.seen, $0.mpid) < ($0.seen, $1.mpid) }
                .prefix(limit)
            return (found.count, newest.compactMap { state.infobip[$0.mpid].map(state.user) })
        }
    }

    /// One user.
    ///
    /// - Parameter mpid: The user's number.
    /// - Returns: Nil when the platform has no such user.
    public func user(_ mpid: MPID) -> EmulatedUser? {
        self.withState { (state, _) in state.infobip[mpid].map(state.user) }
    }

    /// The events of one user.
    ///
    /// - Parameter mpid: The user's number.
    /// - Returns: In the order of arrival; the copies that an alias makes arrive when it is carried out.
    public func events(of mpid: MPID) -> [EmulatedEvent] {
        self.withState { (state, _) in state.eventHandler.events(of: mpid) }
    }

    /// The batches that were taken, in the order of arrival, each once.
    public func batches() -> [EmulatedBatch] {
        self.withState { (state, _) in Array(state.eventHandler.batches) }
    }

    /// The batches that brought the events of one user.
    ///
    /// - Parameter mpid: The user's number.
    /// - Returns: In the order of arrival, each once; those of the source too where an alias copied its events.
    public func batches(of mpid: MPID) -> [EmulatedBatch] {
        self.withState { (state, _) in state.eventHandler.batches(of: mpid) }
    }

    /// The batches that were refused, in the order of arrival, each time they came.
    ///
    /// A body that is no JSON, or longer than a request may be, is not among them: nobody can tell what it was.
    public func refusedBatches() -> [RefusedBatch] {
        self.withState { (state, _) in state.eventHandler.refused }
    }

    /// The aliases that were taken, in the order of arrival.
    public func aliases() -> [EmulatedAlias] {
        self.withState { (state, _) in state.aliasHandler.entries.map(EmulatedAlias.init) }
    }

    /// How many requests reached the platform, by the name of ``EmulatorRoute``.
    ///
    /// Refused ones count; those that faults kept from arriving do not. A route that nobody used is not there.
    public func requestCounts() -> [String: Int] {
        self.withState { (state, _) in
            Dictionary(uniqueKeysWithValues: state.received.map { ($0.key.rawValue, $0.value) })
        }
    }
}
