//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension InstallationCore {
    /// Moves the session machine and writes what follows from it, then the event, in this order, under the lock: the
    /// order of the journal is the order of this lock.
    ///
    /// What the disk has taken has happened, also when it refuses what comes after.
    func advance(
        event: (details: EventDetails, urgency: EventTag.Urgency)? = nil,
        _ move: (inout SessionStateMachine, SessionMoment) -> [SessionStateMachine.Action]
    ) -> Aftermath {
        self.state.withLock { state in
            guard state.phase == .open else { return Aftermath(failure: .closed) }
            guard !state.identity.isOptedOut else { return Aftermath(failure: .eventOptOut) }
            let now = SessionMoment(self.services.time)
            let writer = InstallationWriter(id: self.id, services: self.services, identity: state.identity)
            let wasHeld = state.needsHolding
            var next = state.sessions
            var actions =
                state.leftOpen.map { next.open(leftOpen: $0, at: now, newID: self.services.newSessionID) } ?? []
            actions += move(&next, now)
            var aftermath = Aftermath()
            let written = self.write(actions, moving: &state, to: next, by: writer, &aftermath)
            // Its end is the first of the actions.
            if written > 0 { state.leftOpen = nil }
            aftermath.isHoldingChanged = wasHeld != state.needsHolding
            if let event, aftermath.failure == nil {
                let stamp = EventMoment(now.milliseconds, state.messageIDs.next(), state.session)
                do throws(SignetError) {
                    aftermath.logged = try writer.append(event.details, stamp, urgency: event.urgency)
                } catch {
                    aftermath.failure = error
                }
            }
            if !state.isWatched, let deadline = state.sessions.deadline {
                state.isWatched = true
                aftermath.deadline = deadline
            }
            return aftermath
        }
    }

    /// Writes begins and ends, and makes what was written the state.
    ///
    /// - Returns: How many of the actions were written.
    func write(
        _ actions: [SessionStateMachine.Action],
        moving state: inout State,
        to next: SessionStateMachine,
        by writer: InstallationWriter,
        _ aftermath: inout Aftermath
    ) -> Int {
        let (written, failure) = writer.write(actions, naming: &state.messageIDs)
        aftermath.failure = failure
        guard failure == nil || written > 0 else { return 0 }
        state.sessions = next
        // Only an end is ever followed by a begin, so that what is missing after a write is the begin.
        if failure != nil { state.sessions.withdrawBegin() }
        if written > 0 { state.session = state.sessions.current.map { SessionMembers($0) } }
        if written > 0 || state.isSaveDue {
            let stored = state.sessions.stored
            state.savedLength = stored?.length ?? .zero
            do throws(SignetError) {
                try writer.save(stored)
            } catch {
                aftermath.notSaved = error
            }
        }
        aftermath.resumptions = writer.news(actions.prefix(written))
        return written
    }
}
