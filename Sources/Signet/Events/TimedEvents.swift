// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// Events that have begun and not ended, in memory only.
struct TimedEvents: Sendable {
    /// The most events that may be under way at once.
    static let limit = 100

    /// An event that is under way.
    struct Begun: Sendable {
        let event: Event
        let at: SessionTimestamp
        /// The current user at the begin; nil before the first user.
        var user: MPID?
    }

    private var begun: [String: Begun] = [:]

    /// The names of the events under way, oldest first; those of the same moment are in order of name.
    var names: [String] {
        self.begun.sorted { ($0.value.at.uptime, $0.key) < ($1.value.at.uptime, $1.key) }.map(\.key)
    }

    /// The error if there is no room for another event.
    static let isFull = SignetError(
        .invalidArgument,
        "\(Self.limit) timed events have begun, which is the limit. Call `endTimedEvent(_:)` first."
    )

    /// The name under which an event is timed.
    ///
    /// - Throws: `invalidArgument` if it breaks a limit of events, or has no name.
    static func name(of event: Event) throws(SignetError) -> String {
        if let violation = EventLimits.violation(of: event) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        switch event.content {
        case .custom(let name, _), .screen(let name): return name
        default: throw SignetError(.invalidArgument, "Only custom events and screen views can be timed.")
        }
    }

    /// Begins an event; one of the same name begins anew.
    ///
    /// - Returns: True if there was room.
    mutating func begin(_ event: Event, named name: String, at now: SessionTimestamp, by user: MPID? = nil) -> Bool {
        guard self.begun[name] != nil || self.begun.count < Self.limit else { return false }
        self.begun[name] = Begun(event: event, at: now, user: user)
        return true
    }

    /// Forgets the events that a user has begun.
    mutating func forget(_ user: MPID) {
        self.begun = self.begun.filter { $0.value.user != user }
    }

    /// Ends an event.
    ///
    /// - Returns: The event with its begin and its duration, on the clock that never jumps, and the begun event; nil if
    ///   none of that name has begun.
    mutating func end(_ name: String, at now: SessionTimestamp) -> (event: Event, begun: Begun)? {
        guard let begun = self.begun.removeValue(forKey: name) else { return nil }
        var ended = begun.event
        let duration = (now.uptime - begun.at.uptime).milliseconds
        ended.timing = Event.Timing(start: begun.at.milliseconds, duration: duration)
        return (ended, begun)
    }

    /// Continues an event that could not be logged at its end, unless one of its name has begun since.
    mutating func resume(_ name: String, _ begun: Begun) {
        if self.begun[name] == nil { self.begun[name] = begun }
    }
}
