// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension InstallationCore {
    /// The details of a change of the app's state.
    struct Transition {
        /// The facts that a launch found.
        var launch: LaunchRecord.Launch?
        /// The referral that brought the app to the foreground.
        var referral: String?
        /// The number of the installation's context from now on; a session that is over ends before it changes.
        var context: UInt32?
    }

    /// Moves the session machine, writes the resulting changes, then the event, all under the lock.
    ///
    /// The order of the journal is the order of this lock. Writes that the disk took stand, even if it refuses later ones.
    func advance(
        event: (details: EventDetails, urgency: EventMetadata.Urgency)? = nil,
        _ transition: Transition = Transition(),
        _ move: (inout SessionStateMachine, SessionTimestamp, Duration) -> [SessionStateMachine.Action]
    ) -> DeferredEffects {
        self.state.withLock { state in
            guard state.phase == .open else { return DeferredEffects(failure: .closed) }
            guard !state.identity.isOptedOut else { return DeferredEffects(failure: .eventOptOut) }
            let now = SessionTimestamp(self.services.time)
            let writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
            let wasHeld = state.needsHolding
            var next = state.sessions
            var actions =
                state.interrupted.map {
                    next.open(interrupted: $0.totals, begins: false, at: now, newID: self.services.newSessionID)
                } ?? []
            actions += move(&next, now, self.services.sessionTimeout)
            var effects = DeferredEffects()
            let written = self.write(actions, transition, moving: &state, to: next, at: now, by: writer, &effects)
            // The end of the interrupted session is the first action.
            if written > 0 { state.interrupted = nil }
            effects.isHoldingChanged = wasHeld != state.needsHolding
            if let event, effects.failure == nil {
                do throws(SignetError) {
                    effects.logged = try state.append(event.details, at: now, urgency: event.urgency, by: writer)
                } catch {
                    effects.failure = error
                }
            }
            if state.isRecordDue(at: now, hasFrame: event != nil) { self.saveRecord(&state, by: writer, &effects) }
            if !state.isWatched, let deadline = state.sessions.deadline(self.services.sessionTimeout) {
                state.isWatched = true
                effects.deadline = deadline
            }
            return effects
        }
    }

    /// Writes ends and begins, updates the state accordingly, and logs changes of the app's state.
    ///
    /// - Returns: The number of ends and begins written.
    func write(
        _ actions: [SessionStateMachine.Action],
        _ transition: Transition = Transition(),
        moving state: inout State,
        to next: SessionStateMachine,
        at now: SessionTimestamp,
        by writer: InstallationWriter,
        _ effects: inout DeferredEffects
    ) -> Int {
        let changes = actions.filter { if case .tell = $0 { false } else { true } }
        var next = next
        if case .begin = changes.last { next.settle(writer.mpid, self.services.contexts.current) }
        let written = self.writeChanges(changes, transition, &state, to: next, by: writer, &effects)
        guard effects.failure == nil || written > 0 else { return 0 }
        let appState = state.sessions.appState
        state.sessions = next
        if written < changes.count, case .begin(_, let previous) = changes[written] {
            state.sessions.withdrawBegin(previous)
        }
        state.session = state.sessions.current.map { SessionMembers($0) }
        if written < changes.count || written > 0 && state.session == nil {
            self.saveRecord(&state, by: writer, &effects)
        }
        effects.resumptions += writer.updates(changes.prefix(written))
        if effects.failure == nil {
            do throws(SignetError) { try self.choose(transition.context, &state) } catch { effects.failure = error }
        }
        if effects.failure == nil { self.tell(actions, transition, &state, at: now, by: writer, &effects) }
        // The journal does not contain the app's time in the background.
        if state.sessions.appState != appState { self.saveRecord(&state, by: writer, &effects) }
        return written
    }

    /// - Returns: The number of changes written, from the first on; `effects.failure` has the reason if some are missing.
    private func writeChanges(
        _ changes: [SessionStateMachine.Action],
        _ transition: Transition,
        _ state: inout State,
        to next: SessionStateMachine,
        by writer: InstallationWriter,
        _ effects: inout DeferredEffects
    ) -> Int {
        for (index, change) in changes.enumerated() {
            do throws(SignetError) {
                switch change {
                case .end(let totals, _):
                    let end = EventBody.sessionEnd(totals.accounts)
                    let session = SessionMembers(totals.session)
                    let moment = EventTimestamp(totals.lastMilliseconds, state.messageIDs.next(), session)
                    let writer = writer.ending(totals)
                    state.note(
                        try writer.appendChange(end, moment, urgency: .prompt, context: totals.context, own: state.own)
                    )
                case .begin(let session, let previous):
                    try self.choose(transition.context, &state)
                    // Written first: after a kill between the two, the journal lacks the begin, so the session never existed.
                    self.saveRecord(of: next, after: previous, &state, by: writer, &effects)
                    let moment = EventTimestamp(
                        session.startTime.milliseconds,
                        state.messageIDs.next(),
                        SessionMembers(session)
                    )
                    let begin = EventBody.sessionStart(after: previous?.earlier)
                    let context = next.context ?? self.services.contexts.current
                    state.note(
                        try writer.appendChange(
                            begin,
                            moment,
                            urgency: .regular,
                            context: context,
                            own: state.own,
                            begins: true
                        )
                    )
                case .tell: break
                }
            } catch {
                effects.failure = error
                return index
            }
        }
        return changes.count
    }

    private func tell(
        _ actions: [SessionStateMachine.Action],
        _ transition: Transition,
        _ state: inout State,
        at now: SessionTimestamp,
        by writer: InstallationWriter,
        _ effects: inout DeferredEffects
    ) {
        guard self.services.sessionRules.reportsApplicationState else { return }
        for case .tell(let kind) in actions {
            do throws(SignetError) {
                if kind == .initialized, transition.launch?.isFirst == true {
                    _ = try state.append(EventBody.details(of: Event(content: .firstRun)), at: now, by: writer)
                }
                let details = EventBody.details(of: Event(content: .applicationState(transition.value(of: kind))))
                _ = try state.append(details, at: now, by: writer)
            } catch {
                effects.failure = error
                return
            }
        }
    }

    // MARK: - The record for the next start

    /// Saves the facts of the session that the journal lacks or will soon lose.
    func saveRecord(_ state: inout State, by writer: InstallationWriter, _ effects: inout DeferredEffects) {
        self.saveRecord(of: state.sessions, isBegun: true, &state, by: writer, &effects)
    }

    private func saveRecord(
        of sessions: SessionStateMachine,
        after previous: PreviousSession? = nil,
        isBegun: Bool = false,
        _ state: inout State,
        by writer: InstallationWriter,
        _ effects: inout DeferredEffects
    ) {
        let totals = sessions.totals
        let record = SessionRecord(
            folded: state.lastFrame,
            open: totals,
            isBegun: isBegun && totals != nil,
            previous: previous ?? sessions.previous
        )
        do throws(SignetError) {
            try writer.save(record)
            state.recorded(sessions.lastMoment)
        } catch {
            effects.notSaved = error
        }
    }
}

extension InstallationCore.Transition {
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
