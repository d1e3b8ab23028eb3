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

    private var begun: [String: (event: Event, at: SessionMoment)] = [:]

    /// Begins one.
    ///
    /// - Returns: Whether there was room; one of the same name begins anew.
    mutating func begin(_ event: Event, named name: String, at now: SessionMoment) -> Bool {
        guard self.begun[name] != nil || self.begun.count < Self.limit else { return false }
        self.begun[name] = (event, now)
        return true
    }

    /// Ends one.
    ///
    /// - Returns: The event with its begin and how long it took, on the clock that never jumps; nil when none has begun.
    mutating func end(_ name: String, at now: SessionMoment) -> Event? {
        guard let (event, start) = self.begun.removeValue(forKey: name) else { return nil }
        var ended = event
        ended.timing = Event.Timing(start: start.milliseconds, duration: (now.uptime - start.uptime).milliseconds)
        return ended
    }
}
