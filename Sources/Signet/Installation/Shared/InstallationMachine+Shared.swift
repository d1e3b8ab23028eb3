// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.Date
import struct FoundationEssentials.UUID

// An installation whose row is in a shared store: the machine is the last reading, with the events of this process since.
extension InstallationMachine {
    /// Takes over the facts of a row; those of this process stay.
    ///
    /// - Parameters:
    ///   - state: The state of the row.
    ///   - session: The open session of the row.
    ///   - activity: The events of this process that the store was not told of.
    ///   - key: The row's key.
    ///   - moment: The moment of the reading.
    mutating func adopt(
        _ state: SharedState,
        _ session: SharedInstallation.OpenSession?,
        _ activity: [LocalActivity],
        _ key: UUID,
        at moment: InstallationMoment
    ) {
        let number = self.state.number
        self.state = state.identity
        self.state.number = number
        self.shared.value = state.part
        self.adopt(session, activity, key, at: moment)
    }

    /// Takes over the open session of a row.
    ///
    /// - Parameters:
    ///   - session: The open session of the row.
    ///   - activity: The events of this process that the store was not told of.
    ///   - key: The row's key.
    ///   - moment: The moment of the reading.
    ///   - isStrict: True to leave a session that the row does not have yet.
    mutating func adopt(
        _ session: SharedInstallation.OpenSession?,
        _ activity: [LocalActivity],
        _ key: UUID,
        at moment: InstallationMoment,
        isStrict: Bool = false
    ) {
        let part = self.shared.value
        // A session that this process has begun after one that was over, and not yet told: it stays.
        if !isStrict, let current = self.sessions.current, activity.contains(where: { $0.session == current.uuid }),
            let before = session?.id ?? part.previous?.uuid, current.uuid == SharedIDs.session(after: before, of: key)
        {
            return
        }
        var next = SessionStateMachine(rules: self.sessions.rules, previous: part.previous)
        if let session {
            let start = Session(uuid: session.id, startTime: Date(milliseconds: session.started))
            let own = activity.first { $0.session == session.id }
            var active = ActiveSession(start, at: moment.timestamp(session.started))
            for mpid in part.sessionUsers { active.use(mpid) }
            active.events = session.events + (own?.events ?? 0)
            active.last = moment.timestamp(max(session.last, own?.last ?? session.last))
            active.context = moment.context
            if !part.sessionAttributes.isEmpty { active.extras.attributes = part.sessionAttributes }
            next.active = active
        }
        self.setSessions(next)
    }

    /// Goes on with a session that this process has begun and not told, if it still follows the last one of the row.
    mutating func resume(_ own: SessionStateMachine, _ activity: [LocalActivity], _ key: UUID) {
        guard self.sessions.current == nil, let before = self.sessions.previous?.uuid, let session = own.current?.uuid,
            session == SharedIDs.session(after: before, of: key), activity.contains(where: { $0.session == session })
        else { return }
        self.setSessions(own)
    }

    /// Ends the session if it is over; see ``SharedSessionRules``.
    mutating func endIfOver(_ transaction: inout InstallationTransaction) {
        guard !self.isOptedOut else {
            self.leaveSession()
            return transaction.step(&self)
        }
        var next = self.sessions
        let actions = next.timeOut(at: transaction.moment.now, transaction.moment.timeout)
        SessionTransition().write(actions, to: next, &self, &transaction)
    }

    /// Has no session from here on, without an end: an installation that has opted out.
    mutating func leaveSession() {
        guard self.sessions.current != nil else { return }
        self.setSessions(SessionStateMachine(rules: self.sessions.rules, previous: self.sessions.previous))
    }

    /// Begins the session that this process has logged events for, after the one that was over.
    ///
    /// - Parameters:
    ///   - activity: The events that were logged for it.
    ///   - key: The row's key.
    ///   - transaction: The transaction.
    /// - Returns: False if it is not the successor of the row's session.
    mutating func succeed(
        with activity: LocalActivity,
        _ key: UUID,
        _ transaction: inout InstallationTransaction
    ) -> Bool {
        guard !self.isOptedOut else { return false }
        var next = self.sessions
        var actions = next.timeOut(at: transaction.moment.now, transaction.moment.timeout)
        guard next.current == nil, let before = next.previous,
            activity.session == SharedIDs.session(after: before.uuid, of: key)
        else { return false }
        // An event that this process did not know of may have kept the session before alive: two sessions never overlap.
        let start = transaction.moment.timestamp(max(activity.started, before.end))
        actions += next.begin(at: start) { activity.session }
        next.active?.events = activity.events
        next.active?.last = transaction.moment.timestamp(max(activity.last, before.end))
        SessionTransition().write(actions, to: next, &self, &transaction)
        return true
    }
}

/// The events of one session that a process has logged and not told the shared store.
struct LocalActivity: Sendable, Hashable {
    let session: UUID
    /// The begin of the session, in milliseconds since 1970.
    let started: Int64
    /// The moment of the last event, in milliseconds since 1970.
    var last: Int64
    /// The number of events.
    var events = 0
}

extension InstallationMoment {
    /// A moment of the database's clock on both clocks.
    func timestamp(_ milliseconds: Int64) -> SessionTimestamp {
        let (ago, overflow) = self.now.milliseconds.subtractingReportingOverflow(milliseconds)
        let bounded = overflow ? (milliseconds < 0 ? Int64.max / 4 : Int64.min / 4) : ago
        return SessionTimestamp(uptime: self.now.uptime - .milliseconds(bounded), milliseconds: milliseconds)
    }
}
