// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// A move of the session, with the facts that its events carry: writes ends and begins, then changes of the app's state.
struct SessionTransition {
    /// The facts that a launch found.
    var launch: LaunchRecord.Launch?
    /// The referral that brought the app to the foreground.
    var referral: String?
    /// The number of the installation's context from now on; a session that is over ends before it changes.
    var context: UInt32?
    /// The meaning of a refused write.
    var refusal = InstallationTransaction.Refusal.fails

    /// Writes what the session machine decided, each end and each begin a step of its own.
    ///
    /// - Parameters:
    ///   - moved: The decisions, and the session machine after them.
    ///   - machine: The installation.
    ///   - transaction: The transaction.
    func write(
        _ moved: InstallationSession.Moved,
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) {
        var next = moved.next
        let actions = moved.actions
        let changes = actions.filter { if case .tell = $0 { false } else { true } }
        if case .begin = changes.last { next.settle(machine.mpid, transaction.moment.context) }
        guard transaction.scope.decides else {
            // Another transaction begins and ends it for all replicas; events are stamped with what it will be. A session of a row that
            // was not read would be made up: its events lie outside.
            if transaction.scope.isRead { machine.session.set(next) }
            machine.choose(self.context, &transaction)
            return transaction.step(&machine, ifRefused: self.refusal)
        }
        // The journal does not contain the app's time in the background.
        let isRecordDue = machine.sessions.appState != next.appState
        for (index, change) in changes.enumerated() {
            // If the disk refuses the begin that follows, there is no session.
            var reached = next
            let follower = index + 1 < changes.count ? changes[index + 1] : nil
            if case .begin(_, let previous) = follower { reached.withdrawBegin(previous) }
            switch change {
            case .end(let totals, let reason):
                Self.end(totals, reason, reached, &machine, &transaction)
                // The begin saves a record of its own.
                if follower == nil { transaction.saveSession(of: machine) }
            case .begin(let session, let previous):
                if self.context != nil {
                    machine.choose(self.context, &transaction)
                    transaction.step(&machine, ifRefused: self.refusal)
                }
                Self.begin(session, after: previous, reached, &machine, &transaction)
            case .tell: break
            }
            transaction.step(&machine, ifRefused: self.refusal)
        }
        // The step of the last change has set it; a shared store looks at each state.
        if changes.isEmpty || isRecordDue || self.context != nil || transaction.scope.key != nil {
            machine.session.set(next)
            if isRecordDue { transaction.saveSession(of: machine) }
            machine.choose(self.context, &transaction)
            transaction.step(&machine, ifRefused: self.refusal)
        }
        self.tell(actions, &machine, &transaction)
    }

    private static func end(
        _ totals: SessionTotals,
        _ reason: SessionChange.EndReason,
        _ next: SessionStateMachine,
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) {
        let mpid = Self.user(of: totals, machine)
        let members = SessionMembers(totals.session)
        // Follows from the session, so that an end that is logged again after a loss of power is the same event.
        let messageID = SharedIDs.endEvent(
            of: totals.session.uuid,
            of: transaction.scope.key ?? machine.state.deviceApplicationStamp
        )
        if transaction.scope.key != nil {
            let now = transaction.moment.now.milliseconds
            transaction.note(SharedOutbox.End(totals: totals, mpid: mpid, at: now), event: messageID)
        }
        let details = EventBody.sessionEnd(totals.accounts)
        let timestamp = EventTimestamp(totals.lastMilliseconds, messageID, members)
        let context = totals.context
        let frame = machine.frame(details, timestamp, of: mpid, urgency: .prompt, context: context, role: .endsSession)
        transaction.write(.event(frame))
        machine.session.end(next)
        Self.announceEnd(of: totals, mpid, reason, &transaction)
    }

    /// Removes the session without an event, as the installation opts out; subscribers of this process hear of its end.
    ///
    /// - Parameters:
    ///   - machine: The installation.
    ///   - previous: The session that counts as the one before the next; nil for none.
    ///   - transaction: The transaction.
    static func drop(
        _ machine: inout InstallationMachine,
        after previous: PreviousSession? = nil,
        _ transaction: inout InstallationTransaction
    ) {
        let totals = machine.session.totals
        machine.session.drop(after: previous)
        guard let totals else { return }
        Self.announceEnd(of: totals, Self.user(of: totals, machine), .optedOut, &transaction)
    }

    /// The user of the end of a session: one who came after it was over was not in it.
    private static func user(of totals: SessionTotals, _ machine: InstallationMachine) -> MPID? {
        guard let current = machine.mpid, let last = totals.mpids.last, !totals.mpids.contains(current) else {
            return machine.mpid
        }
        return last
    }

    private static func announceEnd(
        of totals: SessionTotals,
        _ mpid: MPID?,
        _ reason: SessionChange.EndReason,
        _ transaction: inout InstallationTransaction
    ) {
        let summary = totals.summary
        func change(_ kind: SessionChange.Kind) -> InstallationTransaction.Effect {
            .sessionChange(
                SessionChange(
                    installation: transaction.id,
                    kind: kind,
                    session: totals.session,
                    mpid: mpid,
                    endReason: reason
                )
            )
        }
        transaction.add(change(.willEnd(summary)))
        transaction.add(change(.ended(summary)))
    }

    private static func begin(
        _ session: Session,
        after previous: PreviousSession?,
        _ next: SessionStateMachine,
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) {
        // Written first: after a kill between the two, the journal lacks the begin, so the session never existed.
        let record = SessionRecord(folded: 0, open: next.totals, isBegun: false, previous: previous ?? next.previous)
        transaction.write(.session(record, at: next.lastMoment))
        machine.session.set(next)
        let members = SessionMembers(session)
        // An opt-in begins anew. Without a shared row the opt-out has removed the session before it.
        let earlier = previous.flatMap { machine.shared.value.isWithheld($0) ? nil : $0.earlier }
        let details = EventBody.sessionStart(after: earlier)
        let timestamp = EventTimestamp(session.startTime.milliseconds, machine.messageIDs.next(), members)
        let context = next.context ?? transaction.moment.context
        let mpid = machine.mpid
        let frame = machine.frame(details, timestamp, of: mpid, context: context, role: .beginsSession)
        transaction.write(.event(frame))
        let change = SessionChange(
            installation: transaction.id,
            kind: .began,
            session: session,
            mpid: mpid,
            endReason: nil
        )
        transaction.add(.sessionChange(change))
    }

    private func tell(
        _ actions: [SessionStateMachine.Action],
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) {
        guard machine.sessions.rules.reportsApplicationState else { return }
        for case .tell(let kind) in actions {
            if kind == .initialized, let launch = self.launch, launch.previous == nil {
                let details = EventBody.details(of: Event(content: .firstRun))
                machine.log(details, of: machine.mpid, &transaction)
                transaction.step(&machine, ifRefused: self.refusal)
            }
            let details = EventBody.details(of: Event(content: .applicationState(self.value(of: kind))))
            machine.log(details, of: machine.mpid, &transaction)
            transaction.step(&machine, ifRefused: self.refusal)
        }
    }

    /// A change of the app's state with the facts that it carries.
    private func value(of kind: ApplicationStateTransition.Kind) -> ApplicationStateTransition {
        switch kind {
        case .initialized:
            ApplicationStateTransition(
                kind,
                launch: self.launch?.kind,
                wasClosedInOrder: self.launch?.wasClosedInOrder,
                launchReferral: self.referral
            )
        case .foreground: ApplicationStateTransition(kind, launchReferral: self.referral)
        case .background, .exit: ApplicationStateTransition(kind)
        }
    }
}
