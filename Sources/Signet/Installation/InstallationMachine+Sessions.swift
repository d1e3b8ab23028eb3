// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

// Sessions and events: the order of the journal is the order of the transactions.
extension InstallationMachine {
    // MARK: - Moving the session

    /// Begins the session of an opened installation, after the one that an earlier process left open was continued or ended.
    ///
    /// An opted-out installation has no sessions: one that was left open is removed without an end, as its events are dropped.
    mutating func begin(
        _ transition: SessionTransition,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        if self.isOptedOut {
            if self.session.interrupted != nil {
                // Killed in the opt-out, between its choice and this record.
                self.session.drop()
                transaction.saveSession(of: self, isRequired: true)
            }
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
        _ move: InstallationSession.Move
    ) throws(SignetError) {
        try self.requireOpen()
        guard !self.isOptedOut else { throw .eventOptOut }
        guard transaction.scope.isRead else { return self.logUnread(event, transition.context, &transaction) }
        transition.write(self.session.moved(at: transaction.moment, by: move), &self, &transaction)
        if let event {
            self.log(event.details, of: self.mpid, urgency: event.urgency, &transaction)
            transaction.step(&self)
        }
        self.saveSessionIfDue(hasFrame: event != nil, &transaction)
    }

    /// Logs an event that has a time of its own: outside of sessions, which stay as they are.
    ///
    /// - Parameters:
    ///   - details: The event; nil for one that is not delivered.
    ///   - urgency: Its urgency.
    ///   - occurrence: Its time.
    ///   - transaction: The transaction.
    /// - Throws: `closed` or `optedOut`; then nothing is changed.
    mutating func log(
        _ details: EventDetails?,
        urgency: EventMetadata.Urgency,
        at occurrence: EventOccurrence,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        try self.requireOpen()
        guard !self.isOptedOut else { throw .eventOptOut }
        guard let details else { return }
        let moment = transaction.moment
        let now = moment.now.milliseconds
        // The row, which was read too long ago, says whose it is: by the minute of the logging, and within it by the moment.
        let isRead = transaction.scope.isRead
        let isOfThisMinute = occurrence.milliseconds >= now - now % 60_000
        let timestamp = EventTimestamp(
            isRead || !isOfThisMinute ? occurrence.milliseconds : now,
            self.messageIDs.next(),
            nil,
            loggedAt: now
        )
        let mpid = isRead ? self.mpid : nil
        let frame = self.frame(details, timestamp, of: mpid, urgency: urgency, context: moment.context)
        transaction.write(.event(frame))
        transaction.step(&self)
    }

    /// Changes the context; an opted-out installation has no session, but may opt in again.
    mutating func setContext(_ number: UInt32, _ transaction: inout InstallationTransaction) throws(SignetError) {
        // Also one that is not other than before: the app has set it.
        if self.isUnsaved { try self.requireDurable(&transaction) }
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
    /// An opt-out has removed it.
    ///
    /// - Returns: False if no session can time out.
    mutating func timeOut(_ transaction: inout InstallationTransaction) -> Bool {
        // The caller has been told the deadline, and watches the next one itself.
        self.session.setWatched(false)
        guard !self.phase.isRetired, !self.isOptedOut else { return false }
        self.session.setWatched(true)
        SessionTransition().write(self.session.timedOut(at: transaction.moment), &self, &transaction)
        return true
    }

    /// The rest of a session that an earlier process left open, for the clock.
    enum LeftOpenOutcome: Sendable, Hashable {
        /// It has ended, or there is none.
        case settled
        /// It is open until this time, in milliseconds since 1970.
        case isOpen(until: Int64)
    }

    /// Ends a session that an earlier process left open, if it is over.
    ///
    /// With or without one, the record on disk says afterwards what is left.
    ///
    /// - Parameters:
    ///   - transaction: The transaction.
    ///   - hasWaited: True if it was left alone for a timeout, whatever the wall clock says.
    /// - Returns: The rest.
    mutating func settleLeftOpen(
        _ transaction: inout InstallationTransaction,
        hasWaited: Bool
    ) -> LeftOpenOutcome {
        guard !self.phase.isRetired, self.session.machine.current == nil else { return .settled }
        guard let totals = self.session.interrupted, !self.isOptedOut else {
            // Announced and never begun, or of a visitor who has opted out: no end is sent.
            if self.isOptedOut { self.session.drop() } else { self.session.dropLeftOpen() }
            transaction.saveSession(of: self, isRequired: true)
            return .settled
        }
        let (moment, sessions) = (transaction.moment, self.session.machine)
        let now = moment.now.milliseconds
        switch sessions.verdict(onLeftOpen: totals, at: now, moment.timeout, hasWaited: hasWaited) {
        case .isOpen(let end):
            return .isOpen(until: end)
        case .ends(let reason):
            SessionTransition().write(
                self.session.moved { $0.end(leftOpen: totals, reason) },
                &self,
                &transaction
            )
            return .settled
        }
    }

    /// Ends a session that an earlier process left open, before it is over.
    mutating func endLeftOpen(_ transaction: inout InstallationTransaction) {
        guard let totals = self.session.interrupted, !self.isOptedOut else { return }
        SessionTransition().write(
            self.session.moved { $0.end(leftOpen: totals, .launch) },
            &self,
            &transaction
        )
    }

    /// Changes the attributes of the open session.
    mutating func changeSessionAttributes<Value>(
        _ transaction: inout InstallationTransaction,
        _ change: (inout [String: AttributeValue]) throws(SignetError) -> Value
    ) throws(SignetError) -> Value {
        try self.requireOpen()
        guard !self.isOptedOut else { throw .eventOptOut }
        guard var attributes = self.session.attributes(at: transaction.moment) else { throw .noSession }
        let value = try change(&attributes)
        self.session.setAttributes(attributes)
        transaction.saveSession(of: self, isRequired: true)
        return value
    }

    /// Counts the current user among those of the session.
    mutating func noteUser(_ transaction: inout InstallationTransaction) {
        guard self.session.note(self.mpid, at: transaction.moment) else { return }
        // If the disk refuses it, the events of that user carry the same fact.
        transaction.saveSession(of: self, isRequired: true)
        transaction.step(&self, ifRefused: .isIgnored)
    }

    // MARK: - Events

    /// True if an event of now needs no transaction: it continues the session.
    @inline(__always)
    func continuesSession(at now: SessionTimestamp, _ timeout: Duration) -> Bool {
        self.phase == .open && !self.isOptedOut && self.session.continues(at: now, timeout)
    }

    /// Stamps an event of now: user, session and time are those of the call.
    @inline(__always)
    mutating func stamp(
        at now: SessionTimestamp,
        urgency: EventMetadata.Urgency,
        context: UInt16
    ) -> EventStamp {
        let timestamp = EventTimestamp(now.milliseconds, self.messageIDs.next(), self.session.members)
        return self.stamp(timestamp, of: self.mpid, urgency: urgency, context: self.sessions.context ?? context)
    }

    /// Stamps an event of any time.
    func frame(
        _ details: EventDetails,
        _ timestamp: EventTimestamp,
        of mpid: MPID?,
        urgency: EventMetadata.Urgency = .regular,
        context: UInt16,
        role: EventStamp.Role = .regular
    ) -> EventFrame {
        EventFrame(
            details: details,
            stamp: self.stamp(timestamp, of: mpid, urgency: urgency, context: context, role: role)
        )
    }

    @inline(__always)
    private func stamp(
        _ timestamp: EventTimestamp,
        of mpid: MPID?,
        urgency: EventMetadata.Urgency,
        context: UInt16,
        role: EventStamp.Role = .regular
    ) -> EventStamp {
        EventStamp(
            timestamp: timestamp,
            number: self.identity.state.number,
            mpid: mpid,
            urgency: urgency,
            context: context,
            own: self.own,
            role: role
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
            let moved = self.session.moved {
                $0.activity(at: moment.now, moment.timeout, begins: false, newID: moment.newSessionID)
            }
            SessionTransition(refusal: .losesEvent).write(moved, &self, &transaction)
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
        let timestamp = EventTimestamp(now.milliseconds, messageID ?? self.messageIDs.next(), self.session.members)
        let context = self.sessions.context ?? transaction.moment.context
        let frame = self.frame(details, timestamp, of: mpid, urgency: urgency, context: context)
        self.session.count(mpid, at: now)
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
