// SPDX-License-Identifier: Apache-2.0

public import SignetModel

extension Installation {
    /// Begins a timed event; ``endTimedEvent(_:attributes:)`` logs it with its begin and its duration.
    ///
    /// It is kept in memory: if the process ends first, the event is never logged. At most 100 are under way. Another
    /// event of the same name replaces it and begins anew. One that a user has begun cannot be ended for another user;
    /// one that a guest has begun goes on when they log in.
    ///
    /// - Parameter event: A custom event or a screen view.
    /// - Throws: `invalidArgument` for another kind of event, one that breaks a documented limit with the attribute
    ///   `EventLength` that it gets, or the 101st; `optedOut`. An opt-out forgets those under way.
    public func beginTimedEvent(_ event: Event) throws(SignetError) {
        try self.core.beginTimedEvent(event)
    }

    /// The names of the timed events under way, in the order of their begin.
    ///
    /// They are shared by all handles of the installation in this process. Empty after a start.
    public var timedEventNames: [String] {
        self.core.timedEventNames
    }

    /// Ends a timed event and logs it.
    ///
    /// The event gets the attribute `EventLength`, the milliseconds since its begin, unless its attributes have one of
    /// that name.
    ///
    /// - Parameters:
    ///   - name: The name of the event or screen.
    ///   - attributes: Further attributes; they override those that the event began with.
    /// - Throws: `invalidArgument` if no event of that name of the current user has begun; the errors of ``log(_:)``,
    ///   after which it is still under way.
    public func endTimedEvent(_ name: String, attributes: Attributes = [:]) throws(SignetError) {
        try self.core.endTimedEvent(name) { event throws(SignetError) in
            var ended = event
            for (key, value) in attributes { ended.attributes[key] = value }
            try self.log(ended)
        }
    }

    /// Logs a breadcrumb: an event of its own, and the last 50 of the current user go with each crash report.
    ///
    /// Those 50 survive the death of the process, so that a report logged by the next process has them. Breadcrumbs
    /// from before the first user go to the first user; those of an ephemeral user are removed with that user.
    ///
    /// Attributes are sent with the event. A crash report carries those of at most 1 KiB of text per breadcrumb. If the
    /// report is too long for an event, attributes are left out first, then the older breadcrumbs.
    ///
    /// - Parameters:
    ///   - label: The user's action, 1 to 256 characters.
    ///   - attributes: Details, as those of any event.
    /// - Throws: The errors of ``log(_:)``.
    public func leaveBreadcrumb(_ label: String, attributes: Attributes = [:]) throws(SignetError) {
        try self.log(Event(content: .breadcrumb(label: label), attributes: attributes))
    }
}
