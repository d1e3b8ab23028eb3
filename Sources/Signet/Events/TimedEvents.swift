//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// Events that have begun and not ended, in memory only.
struct TimedEvents: Sendable {
    /// How many may be under way at once.
    static let limit = 100

    /// An event that is under way.
    struct Begun: Sendable {
        let event: Event
        let at: SessionTimestamp
        /// Who was current; nil when nobody was known.
        var user: MPID?
    }

    private var begun: [String: Begun] = [:]

    /// The names of those that are under way: the oldest first, of the same moment by name.
    var names: [String] {
        self.begun.sorted { ($0.value.at.uptime, $0.key) < ($1.value.at.uptime, $1.key) }.map(\.key)
    }

    /// Begins one.
    ///
    /// - Returns: Whether there was room; one of the same name begins anew.
    mutating func begin(_ event: Event, named name: String, at now: SessionTimestamp, by user: MPID? = nil) -> Bool {
        guard self.begun[name] != nil || self.begun.count < Self.limit else { return false }
        self.begun[name] = Begun(event: event, at: now, user: user)
        return true
    }

    /// Forgets those that a user has begun.
    mutating func forget(_ user: MPID) {
        self.begun = self.begun.filter { $0.value.user != user }
    }

    /// Ends one.
    ///
    /// - Returns: The event with its begin and how long it took, on the clock that never jumps, and as it began; nil when
    ///   none has begun.
    mutating func end(_ name: String, at now: SessionTimestamp) -> (event: Event, begun: Begun)? {
        guard let begun = self.begun.removeValue(forKey: name) else { return nil }
        var ended = begun.event
        let duration = (now.uptime - begun.at.uptime).milliseconds
        ended.timing = Event.Timing(start: begun.at.milliseconds, duration: duration)
        return (ended, begun)
    }

    /// An event that could not be logged at its end goes on; one of its name that has begun since wins.
    mutating func resume(_ name: String, _ begun: Begun) {
        if self.begun[name] == nil { self.begun[name] = begun }
    }
}
