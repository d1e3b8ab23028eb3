// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

// Sessions and events: the order of the journal is the order of the transactions.
extension InstallationMachine {
    /// The parts that move a session machine: the machine, the time, the timeout.
    typealias Move = (inout SessionStateMachine, SessionTimestamp, Duration) -> [SessionStateMachine.Action]

    // MARK: - Moving the session

    /// Begins the session of an opened installation, after ending the one that an earlier process left open.
    ///
    /// An opted-out installation has no sessions: only its record keeps the session that was left open, as its events are dropped.
    mutating func begin(
        _ transition: SessionTransition,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        if self.isOptedOut {
            if self.interrupted != nil { transaction.saveSession(of: self, isRequired: true) }
            self.choose(transition.context, &transaction)
            return
        }
        let newID = transaction.moment.newSessionID
        try self.advance(&transaction, transition) { sessions, now, _ in
            let begins = sessions.rules.begins(at: transition.launch)
            let actions = begins ? sessions.begin(at: now, newID: newID) : []
            return transition.launch == nil ? actions : actions + sessions.launch()
        }
    }

    /// Moves the session, then logs an event.
    ///
    /// - Throws: `closed` or `optedOut`; then nothing is changed.
    mutating func advance(
        _ transaction: inout InstallationTransaction,
        _ transition: SessionTransition = SessionTransition(),
        event: (details: EventDetails, urgency: EventMetadata.Urgency)? = nil,
        _ move: Move
    ) throws(SignetError) {
        try self.requireOpen()
        guard !self.isOptedOut else { throw .eventOptOut }
        let moment = transaction.moment
        var next = self.sessions
        var actions =
            self.interrupted.map {
                next.open(interrupted: $0, begins: false, at: moment.now, newID: moment.newSessionID)
            } ?? []
        actions += move(&next, moment.now, moment.timeout)
        transition.write(actions, to: next, &self, &transaction)
        if let event {
            self.log(event.details, of: self.mpid, urgency: event.urgency, &transaction)
            transaction.step(&self)
        }
        self.saveSessionIfDue(hasFrame: event != nil, &transaction)
    }

    /// Changes the context; an opted-out installation has no session, but may opt in again.
    mutating func setContext(_ number: UInt32, _ transaction: inout InstallationTransaction) throws(SignetError) {
        guard self.isOptedOut else {
            return try self.advance(&transaction, SessionTransition(context: number)) { sessions, now, timeout in
                sessions.timeOut(at: now, timeout)
            }
        }
        try self.requireOpen()
        self.choose(number, &transaction)
    }

    /// Ends a session that is over.
    ///
    /// A session ends only after an opt-out is over (Apple SDK: sessions neither begin nor end while opted out).
    ///
    /// - Returns: False if no session can time out.
    mutating func timeOut(_ transaction: inout InstallationTransaction) -> Bool {
        // The caller has been told the deadline, and watches the next one itself.
        self.setWatched(false)
        guard !self.phase.isRetired, !self.isOptedOut else { return false }
        self.setWatched(true)
        var next = self.sessions
        let actions = next.timeOut(at: transaction.moment.now, transaction.moment.timeout)
        SessionTransition().write(actions, to: next, &self, &transaction)
        return true
    }

    /// Changes the attributes of the open session.
    mutating func changeSessionAttributes<Value>(
        _ transaction: inout InstallationTransaction,
        _ change: (inout [String: AttributeValue]) throws(SignetError) -> Value
    ) throws(SignetError) -> Value {
        try self.requireOpen()
        guard !self.isOptedOut else { throw .eventOptOut }
        // A session that is over may not have its end yet.
        guard var attributes = self.sessions.attributes, self.isSessionAlive(transaction.moment) else {
            throw .noSession
        }
        let value = try change(&attributes)
        self.changeSession { $0.attributes = attributes }
        transaction.saveSession(of: self, isRequired: true)
        return value
    }

    /// Counts the current user among those of the session.
    mutating func noteUser(_ transaction: inout InstallationTransaction) {
        let before = self.sessions.totals?.mpids
        guard before?.isEmpty == true || self.isSessionAlive(transaction.moment) else { return }
        let mpid = self.mpid
        self.changeSession { $0.use(mpid) }
        guard self.sessions.totals?.mpids != before else { return }
        // If the disk refuses it, the events of that user carry the same fact.
        transaction.saveSession(of: self, isRequired: true)
        transaction.step(&self, ifRefused: .isIgnored)
    }

    private func isSessionAlive(_ moment: InstallationMoment) -> Bool {
        self.sessions.goesOn(at: moment.now, moment.timeout)
    }

    // MARK: - Events

    /// True if an event of now needs no transaction: it continues the session.
    @inline(__always)
    func continuesSession(at now: SessionTimestamp, _ timeout: Duration) -> Bool {
        self.phase == .open && !self.isOptedOut && self.interrupted == nil && self.sessions.goesOn(at: now, timeout)
    }

    /// Stamps an event: user, session and time are those of the call.
    @inline(__always)
    mutating func frame(
        _ details: EventDetails,
        at now: SessionTimestamp,
        urgency: EventMetadata.Urgency,
        context: UInt16
    ) -> EventFrame {
        EventFrame(
            details: details,
            timestamp: EventTimestamp(now.milliseconds, self.messageIDs.next(), self.session),
            number: self.identity.state.number,
            mpid: self.mpid,
            urgency: urgency,
            context: self.sessions.context ?? context,
            own: self.own
        )
    }

    /// Logs events that Signet makes itself when a user changes.
    ///
    /// They belong to the open session and count for it, but begin none. While opted out only the opt-out itself is logged.
    ///
    /// - Parameters:
    ///   - updates: The changes, in order.
    ///   - messageID: The id of an opt-out's event, which is then the only update.
    ///   - transaction: The transaction.
    mutating func log(
        _ updates: [UserUpdate],
        optOut messageID: UUID? = nil,
        _ transaction: inout InstallationTransaction
    ) {
        guard !updates.isEmpty, messageID != nil || !self.isOptedOut else { return }
        let moment = transaction.moment
        if !self.isOptedOut {
            var next = self.sessions
            let actions = next.activity(at: moment.now, moment.timeout, begins: false, newID: moment.newSessionID)
            SessionTransition(refusal: .losesEvent).write(actions, to: next, &self, &transaction)
        }
        for update in updates {
            let details = EventBody.details(of: Event(content: update.content))
            let urgency: EventMetadata.Urgency = messageID == nil ? .regular : .prompt
            self.log(details, of: update.mpid, named: messageID, urgency: urgency, &transaction)
            transaction.step(&self, ifRefused: .losesEvent)
        }
        self.saveSessionIfDue(hasFrame: true, &transaction)
    }

    /// Logs an event of a user in the open session, if there is one.
    mutating func log(
        _ details: EventDetails,
        of mpid: MPID?,
        named messageID: UUID? = nil,
        urgency: EventMetadata.Urgency = .regular,
        _ transaction: inout InstallationTransaction
    ) {
        let now = transaction.moment.now
        let frame = EventFrame(
            details: details,
            timestamp: EventTimestamp(now.milliseconds, messageID ?? self.messageIDs.next(), self.session),
            number: self.identity.state.number,
            mpid: mpid,
            urgency: urgency,
            context: self.sessions.context ?? transaction.moment.context,
            own: self.own
        )
        self.count(mpid, at: now)
        transaction.write(.event(frame))
    }

    private mutating func saveSessionIfDue(hasFrame: Bool, _ transaction: inout InstallationTransaction) {
        guard self.sessions.current != nil,
            transaction.frames.isRecordDue(at: transaction.moment.now, hasFrame: hasFrame)
        else { return }
        transaction.saveSession(of: self)
        transaction.step(&self)
    }
}
