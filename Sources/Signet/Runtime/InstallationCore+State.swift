//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension InstallationCore {
    /// What the lock of an installation guards.
    struct State {
        var phase = Phase.open
        /// Whether it was reset: then its id is of another installation.
        var isReset = false
        var identity: IdentityState
        var sessions: SessionStateMachine
        /// The number of what is said of the installation; zero for nothing; see ``InstallationContexts``.
        var own: UInt32
        /// What events of the open session say of it.
        var session: SessionMembers?
        var messageIDs = MessageIDs()
        var timedEvents = TimedEvents()
        /// What one of its users did last; nil when nobody has asked.
        var breadcrumbs: BreadcrumbTrail?
        /// The manager of the visitor; nil before its first use.
        var visitor: IterableManager?
        /// The profile, from its first use on.
        var profile: InfobipManager?
        /// What other services are still to do about changes of the user; nil before it was read.
        var linked: Outbox?
        /// Whether the session manager will look at the session.
        var isWatched = false
        /// What an earlier process left open and is still to be ended: nothing is while the installation has opted out.
        var interrupted: LeftOpen?
        /// Up to which removal of attributes a batch tells of them, by user.
        var carriedRemovals: [MPID: Int64] = [:]
        /// The newest frame of this installation in the journal, or one above it.
        var lastFrame: UInt64
        /// The newest one that the record of the session counts.
        var foldedFrame: UInt64 = 0
        /// How far the wall clock was ahead of the other one at the last event that the record of the session counts, in
        /// milliseconds.
        private var recordedOffset: Int64 = 0
        /// When it was last looked whether that is so still.
        private var checkedAt = Duration.zero

        init(identity: IdentityState, sessions: SessionStateMachine, own: UInt32, lastFrame: UInt64) {
            self.identity = identity
            self.sessions = sessions
            self.own = own
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

        /// Writes an event of now, in the session that is open; named as the next one, unless it has a name already.
        mutating func append(
            _ details: EventDetails,
            at now: SessionTimestamp,
            named messageID: UUID? = nil,
            urgency: EventMetadata.Urgency = .regular,
            by writer: InstallationWriter
        ) throws(SignetError) -> UInt64 {
            let moment = EventTimestamp(now.milliseconds, messageID ?? self.messageIDs.next(), self.session)
            let context = self.sessions.context ?? writer.services.contexts.current
            let sequence = try writer.append(details, moment, urgency: urgency, context: context, own: self.own)
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
        /// - Returns: Whether the record is to be written now.
        mutating func isRecordDue(at now: SessionTimestamp, hasFrame: Bool = true) -> Bool {
            guard now.uptime - self.checkedAt >= .seconds(1), self.sessions.current != nil else { return false }
            let offset = now.milliseconds &- now.uptime.milliseconds
            let (drift, overflow) = offset.subtractingReportingOverflow(self.recordedOffset)
            guard hasFrame, !overflow, drift.magnitude <= Self.tolerance else { return true }
            self.checkedAt = now.uptime
            return false
        }

        /// How far the two clocks may drift apart before that is written down, in milliseconds.
        private static let tolerance: UInt64 = 100

        /// The record of the session is written down.
        mutating func recorded(_ last: SessionTimestamp?) {
            self.foldedFrame = self.lastFrame
            guard let last else { return }
            self.recordedOffset = last.milliseconds &- last.uptime.milliseconds
        }
    }

    /// What an earlier process left open: apart, for few installations have it for long.
    final class LeftOpen: Sendable {
        let tally: SessionTotals

        init(_ tally: SessionTotals) {
            self.tally = tally
        }
    }
}
