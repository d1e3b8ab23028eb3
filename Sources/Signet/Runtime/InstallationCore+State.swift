//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

extension InstallationCore {
    /// What the lock of an installation guards.
    struct State {
        var phase = Phase.open
        var identity: IdentityState
        var sessions: SessionStateMachine
        /// What events of the open session say of it.
        var session: SessionMembers?
        var messageIDs = MessageIDs()
        var timedEvents = TimedEvents()
        var breadcrumbs = BreadcrumbTrail()
        /// Whether the session manager will look at the session.
        var isWatched = false
        /// What an earlier process left open and is still to be ended: nothing is while the installation has opted out.
        var leftOpen: SessionTally?
        /// The newest frame of this installation in the journal, or one above it.
        var lastFrame: UInt64
        /// The newest one that the record of the session counts.
        var foldedFrame: UInt64 = 0
        /// The last event that the record of the session counts; nil where it has no session.
        var recorded: SessionMoment?
        /// When it was last looked whether the two clocks go alike.
        private var checkedAt = Duration.zero

        init(identity: IdentityState, sessions: SessionStateMachine, lastFrame: UInt64) {
            self.identity = identity
            self.sessions = sessions
            self.lastFrame = lastFrame
        }

        /// Whether nothing but the registry would keep it in memory, though its session lives: an app in the foreground.
        var needsHolding: Bool {
            self.phase == .open && self.sessions.current != nil && self.sessions.deadline(.zero) == nil
        }

        /// Whether the record of the open session lacks frames.
        var needsFold: Bool {
            self.foldedFrame < self.lastFrame && self.sessions.current != nil
        }

        /// Writes an event of now, in the session that is open.
        mutating func append(
            _ details: EventDetails,
            at now: SessionMoment,
            urgency: EventTag.Urgency = .regular,
            by writer: InstallationWriter
        ) throws(SignetError) -> UInt64 {
            let moment = EventMoment(now.milliseconds, self.messageIDs.next(), self.session)
            let sequence = try writer.append(details, moment, urgency: urgency)
            self.sessions.count(writer.mpid, at: now)
            self.note(sequence)
            return sequence
        }

        /// A frame was written; zero is none.
        mutating func note(_ sequence: UInt64) {
            if sequence > self.lastFrame { self.lastFrame = sequence }
        }

        /// Whether a kill now would make the session other than it was: the next start counts what the journal has since the
        /// record, by the wall clock.
        ///
        /// Looks once a second at most.
        ///
        /// - Parameters:
        ///   - now: Now.
        ///   - hasFrame: Whether what happens now is in the journal.
        mutating func isRecordDue(at now: SessionMoment, hasFrame: Bool = true) -> Bool {
            guard now.uptime - self.checkedAt >= .seconds(1) else { return false }
            guard let recorded = self.recorded, self.sessions.current != nil else { return false }
            let (passed, overflow) = now.milliseconds.subtractingReportingOverflow(recorded.milliseconds)
            let drift = overflow ? .max : abs((passed - (now.uptime - recorded.uptime).milliseconds).clamped)
            guard hasFrame, drift <= Self.tolerance else { return true }
            self.checkedAt = now.uptime
            return false
        }

        /// How far the two clocks may drift apart before that is written down, in milliseconds.
        private static let tolerance: Int64 = 100
    }
}

extension Int64 {
    /// The same, with a magnitude that there is.
    fileprivate var clamped: Int64 {
        Swift.max(self, -Int64.max)
    }
}
