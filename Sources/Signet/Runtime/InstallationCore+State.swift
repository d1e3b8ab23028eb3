// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension InstallationCore {
    /// The state that the lock of an installation guards.
    struct State {
        var phase = Phase.open
        /// True after a reset: then the id belongs to another installation.
        var isReset = false
        var identity: IdentityState
        var sessions: SessionStateMachine
        /// The number of the installation's own context; zero for none; see ``InstallationContexts``.
        var own: UInt32
        /// The members that each event of the open session carries.
        var session: SessionMembers?
        var messageIDs = MessageIDs()
        var timedEvents = TimedEvents()
        /// The trail of one user; nil before its first use.
        var breadcrumbs: BreadcrumbTrail?
        /// The managers of the services that were used.
        var managers: [IdentitySyncOutcome.Service: any LinkedManager] = [:]
        /// The identity syncs that other services still have to do; nil before it was read.
        var outbox: Outbox?
        /// True while the session manager watches the session.
        var isWatched = false
        /// The session that an earlier process left open, until its end is written; none is written while opted out.
        var interrupted: LeftOpen?
        /// The newest attribute removal that a batch carries, by user.
        var carriedRemovals: [MPID: Int64] = [:]
        /// The newest frame of this installation in the journal, or a higher number.
        var lastFrame: UInt64
        /// The newest frame that the session record counts.
        var foldedFrame: UInt64 = 0
        /// The lead of the wall clock over uptime at the last event that the session record counts, in milliseconds.
        private var recordedOffset: Int64 = 0
        /// The uptime of the last check of that offset.
        private var checkedAt = Duration.zero

        init(identity: IdentityState, sessions: SessionStateMachine, own: UInt32, lastFrame: UInt64) {
            self.identity = identity
            self.sessions = sessions
            self.own = own
            self.lastFrame = lastFrame
        }

        /// True if only the registry can keep it in memory while its session lives: an app in the foreground.
        var needsHolding: Bool {
            self.phase == .open && self.sessions.current != nil && self.sessions.deadline(.zero) == nil
        }

        /// True if the record of the open session lacks frames.
        var needsFold: Bool {
            self.foldedFrame < self.lastFrame && self.sessions.current != nil
        }

        /// Writes an event of now in the open session; without a `messageID`, it gets the next one.
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

        /// Notes the number of a written frame; zero means none.
        mutating func note(_ sequence: UInt64) {
            if sequence > self.lastFrame { self.lastFrame = sequence }
        }

        /// Checks if a kill now would change the session: the next start counts the frames since the record by the wall clock.
        ///
        /// Checks at most once a second.
        ///
        /// - Parameters:
        ///   - now: The current time.
        ///   - hasFrame: True if the current change is in the journal.
        /// - Returns: True if the record must be written now.
        mutating func isRecordDue(at now: SessionTimestamp, hasFrame: Bool = true) -> Bool {
            guard now.uptime - self.checkedAt >= .seconds(1), self.sessions.current != nil else { return false }
            let offset = now.milliseconds &- now.uptime.milliseconds
            let (drift, overflow) = offset.subtractingReportingOverflow(self.recordedOffset)
            guard hasFrame, !overflow, drift.magnitude <= Self.tolerance else { return true }
            self.checkedAt = now.uptime
            return false
        }

        /// The maximum drift of the two clocks before the record is written again, in milliseconds.
        private static let tolerance: UInt64 = 100

        /// Notes that the record of the session was written.
        mutating func recorded(_ last: SessionTimestamp?) {
            self.foldedFrame = self.lastFrame
            guard let last else { return }
            self.recordedOffset = last.milliseconds &- last.uptime.milliseconds
        }
    }

    /// The session that an earlier process left open; a separate object, as few installations have it for long.
    final class LeftOpen: Sendable {
        let totals: SessionTotals

        init(_ totals: SessionTotals) {
            self.totals = totals
        }
    }
}
