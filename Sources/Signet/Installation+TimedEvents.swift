//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

public import SignetModel

extension Installation {
    /// Begins an event that takes time; ``endTimedEvent(_:attributes:)`` logs it with its begin and its duration.
    ///
    /// It is kept in memory: an event that the process does not live to end is never logged. At most 100 are under way; one
    /// of the same name begins anew.
    ///
    /// - Parameter event: A custom event or a screen view.
    /// - Throws: `invalidArgument` for another kind of event, one that breaks a documented limit, or the 101st.
    public func beginTimedEvent(_ event: Event) throws(SignetError) {
        try self.core.beginTimedEvent(event)
    }

    /// The names of the timed events that are under way, as of now: the one that began first comes first.
    ///
    /// They are of all handles of the installation, and of this process only. Empty after a start.
    public var timedEventNames: [String] {
        self.core.timedEventNames
    }

    /// Ends an event that takes time, and logs it: with `EventLength`, the milliseconds since it began, among its attributes
    /// unless they have one of that name.
    ///
    /// - Parameters:
    ///   - name: The name of the event or screen.
    ///   - attributes: Further details; they win over those that the event began with.
    /// - Throws: `invalidArgument` when none of that name has begun; what ``log(_:)`` throws, and then it is still under way.
    public func endTimedEvent(_ name: String, attributes: Attributes = [:]) throws(SignetError) {
        guard let (event, begun) = self.core.endTimedEvent(name) else {
            throw SignetError(.invalidArgument, "No timed event of that name has begun; call beginTimedEvent first.")
        }
        var ended = event
        for (key, value) in attributes { ended.attributes[key] = value }
        do throws(SignetError) {
            try self.log(ended)
        } catch {
            self.core.resumeTimedEvent(name, begun)
            throw error
        }
    }

    /// Leaves a trace of what the user does: an event of its own, and the last 50 of the current user go with each crash
    /// report.
    ///
    /// Those 50 survive the death of the process, so that a report that is logged by the next one has them. What is left before
    /// anybody is known goes to the first user; what an ephemeral user left goes with them.
    ///
    /// Attributes travel with the event. With a crash report travel those of at most 1 KiB of text a breadcrumb; where the
    /// report is too long for an event they stay behind first, then the older breadcrumbs.
    ///
    /// - Parameters:
    ///   - label: What was done, 1 to 256 characters.
    ///   - attributes: Details, as those of any event.
    /// - Throws: What ``log(_:)`` throws.
    public func leaveBreadcrumb(_ label: String, attributes: Attributes = [:]) throws(SignetError) {
        try self.log(Event(content: .breadcrumb(label: label), attributes: attributes))
    }
}
