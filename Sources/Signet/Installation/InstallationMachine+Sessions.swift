// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

// Sessions and events: the order of the journal is the order of the transactions.
extension InstallationMachine {
    /// The details of a change of the app's state.
    struct Transition {
        /// The facts that a launch found.
        var launch: LaunchRecord.Launch?
        /// The referral that brought the app to the foreground.
        var referral: String?
        /// The number of the installation's context from now on; a session that is over ends before it changes.
        var context: UInt32?
    }

    /// The parts that move a session machine: the machine, the time, the timeout.
    typealias Move = (inout SessionStateMachine, SessionTimestamp, Duration) -> [SessionStateMachine.Action]

    // MARK: - Moving the session

    /// Begins the session of an opened installation, after ending the one that an earlier process left open.
    ///
    /// An opted-out installation has no sessions: only its record keeps the session that was left open, as its events are dropped.
    mutating func begin(_ transition: Transition, _ transaction: inout InstallationTransaction) throws(SignetError) {
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
        _ transition: Transition = Transition(),
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
        self.perform(actions, transition, to: next, &transaction)
        if let event {
            self.log(event.details, of: self.mpid, urgency: event.urgency, &transaction)
            transaction.step(&self)
        }
        self.saveSessionIfDue(hasFrame: event != nil, &transaction)
    }

    /// Changes the context; an opted-out installation has no session, but may opt in again.
    mutating func setContext(_ number: UInt32, _ transaction: inout InstallationTransaction) throws(SignetError) {
        guard self.isOptedOut else {
            return try self.advance(&transaction, Transition(context: number)) { sessions, now, timeout in
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
        self.perform(actions, to: next, &transaction)
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
            self.perform(actions, to: next, ifRefused: .losesEvent, &transaction)
        }
        for update in updates {
            let details = EventBody.details(of: Event(content: update.content))
            let urgency: EventMetadata.Urgency = messageID == nil ? .regular : .prompt
            self.log(details, of: update.mpid, named: messageID, urgency: urgency, &transaction)
            transaction.step(&self, ifRefused: .losesEvent)
        }
        self.saveSessionIfDue(hasFrame: true, &transaction)
    }

    private mutating func log(
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

    // MARK: - Begin and end

    /// Writes ends and begins, each a step of its own, then the changes of the app's state.
    private mutating func perform(
        _ actions: [SessionStateMachine.Action],
        _ transition: Transition = Transition(),
        to next: SessionStateMachine,
        ifRefused refusal: InstallationTransaction.Refusal = .fails,
        _ transaction: inout InstallationTransaction
    ) {
        var next = next
        let changes = actions.filter { if case .tell = $0 { false } else { true } }
        if case .begin = changes.last { next.settle(self.mpid, transaction.moment.context) }
        // The journal does not contain the app's time in the background.
        let isRecordDue = self.sessions.appState != next.appState
        for (index, change) in changes.enumerated() {
            // If the disk refuses the begin that follows, there is no session.
            var reached = next
            let follower = index + 1 < changes.count ? changes[index + 1] : nil
            if case .begin(_, let previous) = follower { reached.withdrawBegin(previous) }
            switch change {
            case .end(let totals, let reason):
                self.end(totals, reason, reached, &transaction)
                // The begin saves a record of its own.
                if follower == nil { transaction.saveSession(of: self) }
            case .begin(let session, let previous):
                if transition.context != nil {
                    self.choose(transition.context, &transaction)
                    transaction.step(&self, ifRefused: refusal)
                }
                self.begin(session, after: previous, reached, &transaction)
            case .tell: break
            }
            transaction.step(&self, ifRefused: refusal)
        }
        self.setSessions(next)
        if isRecordDue { transaction.saveSession(of: self) }
        self.choose(transition.context, &transaction)
        transaction.step(&self, ifRefused: refusal)
        self.tell(actions, transition, ifRefused: refusal, &transaction)
    }

    private mutating func end(
        _ totals: SessionTotals,
        _ reason: SessionChange.EndReason,
        _ next: SessionStateMachine,
        _ transaction: inout InstallationTransaction
    ) {
        // A user who came after the session was over was not in it.
        var mpid = self.mpid
        if let current = mpid, let last = totals.mpids.last, !totals.mpids.contains(current) { mpid = last }
        let members = SessionMembers(totals.session)
        let frame = EventFrame(
            details: EventBody.sessionEnd(totals.accounts),
            timestamp: EventTimestamp(totals.lastMilliseconds, self.messageIDs.next(), members),
            number: self.identity.state.number,
            mpid: mpid,
            urgency: .prompt,
            context: totals.context,
            own: self.own
        )
        transaction.write(.event(frame))
        self.interrupted = nil
        self.setSessions(next)
        let summary = totals.summary
        for kind in [SessionChange.Kind.willEnd(summary), .ended(summary)] {
            let change = SessionChange(
                installation: transaction.id,
                kind: kind,
                session: totals.session,
                mpid: mpid,
                endReason: reason
            )
            transaction.add(.sessionChange(change))
        }
    }

    private mutating func begin(
        _ session: Session,
        after previous: PreviousSession?,
        _ next: SessionStateMachine,
        _ transaction: inout InstallationTransaction
    ) {
        // Written first: after a kill between the two, the journal lacks the begin, so the session never existed.
        let record = SessionRecord(folded: 0, open: next.totals, isBegun: false, previous: previous ?? next.previous)
        transaction.write(.session(record, at: next.lastMoment))
        self.setSessions(next)
        let frame = EventFrame(
            details: EventBody.sessionStart(after: previous?.earlier),
            timestamp: EventTimestamp(session.startTime.milliseconds, self.messageIDs.next(), SessionMembers(session)),
            number: self.identity.state.number,
            mpid: self.mpid,
            context: next.context ?? transaction.moment.context,
            own: self.own,
            begins: true
        )
        transaction.write(.event(frame))
        let change = SessionChange(
            installation: transaction.id,
            kind: .began,
            session: session,
            mpid: self.mpid,
            endReason: nil
        )
        transaction.add(.sessionChange(change))
    }

    private mutating func tell(
        _ actions: [SessionStateMachine.Action],
        _ transition: Transition,
        ifRefused refusal: InstallationTransaction.Refusal,
        _ transaction: inout InstallationTransaction
    ) {
        guard self.sessions.rules.reportsApplicationState else { return }
        for case .tell(let kind) in actions {
            if kind == .initialized, transition.launch?.isFirst == true {
                let details = EventBody.details(of: Event(content: .firstRun))
                self.log(details, of: self.mpid, &transaction)
                transaction.step(&self, ifRefused: refusal)
            }
            let details = EventBody.details(of: Event(content: .applicationState(transition.value(of: kind))))
            self.log(details, of: self.mpid, &transaction)
            transaction.step(&self, ifRefused: refusal)
        }
    }
}

extension InstallationMachine.Transition {
    /// A change of the app's state with the facts that it carries.
    fileprivate func value(of kind: ApplicationStateTransition.Kind) -> ApplicationStateTransition {
        switch kind {
        case .initialized:
            ApplicationStateTransition(
                kind,
                isFirstRun: self.launch?.isInstall,
                isUpgrade: self.launch?.isUpgrade,
                wasClosedInOrder: self.launch?.wasClosedInOrder,
                launchReferral: self.referral
            )
        case .foreground: ApplicationStateTransition(kind, launchReferral: self.referral)
        case .background, .exit: ApplicationStateTransition(kind)
        }
    }
}
