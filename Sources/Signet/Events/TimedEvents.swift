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
        /// True if that user was a guest, who may have logged in since.
        var isOfGuest = false

        /// True if the event may end while this user is the current one.
        func belongs(to user: MPID?) -> Bool {
            self.isOfGuest || self.user == nil || self.user == user
        }
    }

    private var begun: [String: Begun] = [:]

    /// The names of the events of a user under way, oldest first; those of the same moment are in order of name.
    func names(of user: MPID? = nil) -> [String] {
        self.begun.filter { $0.value.belongs(to: user) }.sorted {
            ($0.value.at.uptime, $0.key) < ($1.value.at.uptime, $1.key)
        }.map(\.key)
    }

    /// The error if there is no room for another event.
    static let isFull = SignetError(
        .invalidArgument,
        "\(Self.limit) timed events have begun, which is the limit. Call `endTimedEvent(_:)` first."
    )

    /// The name under which an event is timed.
    ///
    /// - Throws: `invalidArgument` if it breaks a limit of events, also if it only would at its end, or has no name.
    static func name(of event: Event) throws(SignetError) -> String {
        if let violation = EventLimits.violation(of: Self.longest(event)) {
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        guard event.occurredAt == nil else {
            throw SignetError(
                .invalidArgument,
                "A timed event has the times of its begin and its end. Leave `occurredAt` nil."
            )
        }
        switch event.content {
        case .custom(let name, _), .screen(let name): return name
        default: throw SignetError(.invalidArgument, "Only custom events and screen views can be timed.")
        }
    }

    /// The event as long as it can become: what has begun can end.
    static func longest(_ event: Event) -> Event {
        var ended = event
        ended.timing = Event.Timing(start: .max, duration: .max)
        return ended
    }

    /// Begins an event; one of the same name begins anew.
    ///
    /// - Returns: True if there was room.
    mutating func begin(
        _ event: Event,
        named name: String,
        at now: SessionTimestamp,
        by user: MPID? = nil,
        isGuest: Bool = false
    ) -> Bool {
        self.begun = self.begun.filter { $0.value.belongs(to: user) }
        guard self.begun[name] != nil || self.begun.count < Self.limit else { return false }
        self.begun[name] = Begun(event: event, at: now, user: user, isOfGuest: isGuest)
        return true
    }

    /// Forgets the events that a user has begun.
    mutating func forget(_ user: MPID) {
        self.begun = self.begun.filter { $0.value.user != user }
    }

    /// Forgets the events that began before a moment, in milliseconds since 1970.
    mutating func forget(before moment: Int64) {
        guard !self.begun.isEmpty else { return }
        self.begun = self.begun.filter { $0.value.at.milliseconds >= moment }
    }

    /// Ends an event; one of another user is dropped, as its attributes are theirs.
    ///
    /// - Returns: The event with its begin and its duration, on the clock that never jumps, and the begun event; nil if
    ///   none of that name has begun.
    mutating func end(
        _ name: String,
        at now: SessionTimestamp,
        by user: MPID? = nil
    ) -> (event: Event, begun: Begun)? {
        guard let begun = self.begun.removeValue(forKey: name), begun.belongs(to: user) else { return nil }
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
