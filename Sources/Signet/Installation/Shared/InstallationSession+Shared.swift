// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

// The session of an installation with a shared row: the row's session, with the events of this process since the reading.
extension InstallationSession {
    /// Takes over the open session of a row.
    ///
    /// - Parameters:
    ///   - session: The open session of the row.
    ///   - part: The facts of the row about it and the session before.
    ///   - activity: The events of this process that the row may lack.
    ///   - row: The row's key, and its device application stamp.
    ///   - moment: The moment of the reading.
    ///   - isStrict: True to leave a session that the row does not have yet.
    mutating func adopt(
        _ session: SharedInstallation.OpenSession?,
        _ part: SharedPart,
        _ activity: [LocalActivity],
        _ row: (key: UUID, stamp: UUID),
        at moment: InstallationMoment,
        isStrict: Bool = false
    ) {
        // A session that this process has begun after one that was over, or as the first one, and not yet told: it stays.
        let before = session?.id ?? part.previous?.uuid ?? row.stamp
        if !isStrict, let current = self.machine.current, activity.contains(where: { $0.session == current.uuid }),
            current.uuid == SharedIDs.session(after: before, of: row.key)
        {
            return
        }
        var next = SessionStateMachine(rules: self.machine.rules, previous: part.previous)
        if let session {
            let start = Session(uuid: session.id, startTime: Date(milliseconds: session.started))
            let own = activity.first { $0.session == session.id }
            var active = ActiveSession(start, at: moment.timestamp(session.started))
            for mpid in part.sessionUsers { active.use(mpid) }
            // A number that the row's store has not checked: counting on must not trap.
            active.events = min(max(0, session.events), SharedStoreLimits.sessionEvents) + (own?.events ?? 0)
            // The row may lack what a flush has taken.
            if !isStrict, own != nil, let known = self.machine.active, known.session.uuid == session.id {
                active.events = max(active.events, known.events)
            }
            active.last = moment.timestamp(max(session.last, own?.last ?? session.last))
            active.context = moment.context
            if !part.sessionAttributes.isEmpty { active.extras.attributes = part.sessionAttributes }
            next.active = active
        }
        self.set(next)
    }

    /// Goes on with a session that this process has begun and not told, if it still follows the last one of the row.
    mutating func resume(_ own: SessionStateMachine, _ activity: [LocalActivity], _ row: (key: UUID, stamp: UUID)) {
        let before = self.machine.previous?.uuid ?? row.stamp
        guard self.machine.current == nil, let session = own.current?.uuid,
            session == SharedIDs.session(after: before, of: row.key),
            activity.contains(where: { $0.session == session })
        else { return }
        self.set(own)
    }

    /// Keeps what this process knew of the open session: the row does not have all of it yet.
    ///
    /// - Parameters:
    ///   - own: The session as this process knew it.
    ///   - logged: The number of events that were logged in it since.
    mutating func keepCounts(of own: SessionStateMachine, and logged: Int) {
        var next = self.machine
        guard var active = next.active, let known = own.active, known.session.uuid == active.session.uuid
        else { return }
        active.events = max(active.events, known.events + logged)
        if active.last.uptime < known.last.uptime { active.last = known.last }
        next.active = active
        self.set(next)
    }

    /// Computes the begin of the session that this process has logged events for: the first one, or after one that was over.
    ///
    /// - Parameters:
    ///   - activity: The events that were logged for it.
    ///   - row: The row's key, and its device application stamp.
    ///   - told: The moment up to which all replicas have told their activity, in milliseconds since 1970.
    ///   - moment: The moment of the transaction.
    /// - Returns: The move; nil if it is not the successor of the row's session.
    func succeeded(
        by activity: LocalActivity,
        _ row: (key: UUID, stamp: UUID),
        told: Int64,
        at moment: InstallationMoment
    ) -> Moved? {
        var (next, actions) = self.moved { $0.timeOut(at: moment.limited(to: told), moment.timeout) }
        let before = next.previous
        guard next.current == nil,
            activity.session == SharedIDs.session(after: before?.uuid ?? row.stamp, of: row.key)
        else { return nil }
        // An event that this process did not know of may have kept the session before alive: two sessions never overlap.
        let end = before?.end ?? .min
        let start = moment.timestamp(max(activity.started, end))
        actions += next.begin(at: start) { activity.session }
        next.active?.events = activity.events
        next.active?.last = moment.timestamp(max(activity.last, end))
        return (next, actions)
    }
}

extension InstallationMoment {
    /// A moment of the database's clock on both clocks; it may be of before a jump of that clock.
    func timestamp(_ milliseconds: Int64) -> SessionTimestamp {
        SessionTimestamp(uptime: self.uptime(at: self.jumps.moved(milliseconds)), milliseconds: milliseconds)
    }

    /// The moment up to which all replicas have told their activity: what is over by then has ended.
    ///
    /// - Parameter milliseconds: That moment, in milliseconds since 1970; see ``SharedSessionRules/told(at:_:)``.
    /// - Returns: The moment; not later than this one.
    func limited(to milliseconds: Int64) -> SessionTimestamp {
        guard milliseconds < self.now.milliseconds else { return self.now }
        return SessionTimestamp(uptime: self.uptime(at: milliseconds), milliseconds: milliseconds)
    }

    /// The uptime at a moment on the database's clock of now.
    private func uptime(at milliseconds: Int64) -> Duration {
        let (ago, overflow) = self.now.milliseconds.subtractingReportingOverflow(milliseconds)
        let bounded = overflow ? (milliseconds < 0 ? Int64.max / 4 : Int64.min / 4) : ago
        return self.now.uptime - .milliseconds(bounded)
    }
}
