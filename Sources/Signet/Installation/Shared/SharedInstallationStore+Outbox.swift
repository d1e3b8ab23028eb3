// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

// Events that a commit has decided: each is in the row until the journal of a replica has it.
extension SharedInstallationStore {
    /// Logs what a dead replica has decided and not logged, and removes from the row what is logged.
    ///
    /// An entry that is taken over leaves the row with the next call, once its event is in the journal: this process may die, too.
    ///
    /// - Parameter now: The database's time, in milliseconds since 1970.
    /// - Returns: The commit.
    /// - Throws: ``SignetError``; then the next call removes what is logged.
    nonisolated(nonsending) func logOutbox(before now: Int64) async throws(SignetError) -> InstallationCommit<Void> {
        let own = self.takeLogged()
        guard !own.isEmpty || !self.outbox.due(at: now).isEmpty else { return InstallationCommit(value: ()) }
        do throws(SignetError) {
            return try await self.commit(fencedBy: nil, decides: false, confirms: true) { machine, transaction in
                transaction.removeFromOutbox(own)
                let due = transaction.sharedOutbox.due(at: now).subtracting(own)
                if !due.isEmpty { machine.logOutbox(due, &transaction) }
            }
        } catch {
            // Without a row there is nothing to remove.
            if error.code != .closed { self.putBack(own) }
            throw error
        }
    }

    /// Takes the entries whose events this process has logged.
    private func takeLogged() -> Set<UUID> {
        self.state.withLock { state in
            defer { state.logged = [] }
            return state.logged
        }
    }

    private func putBack(_ logged: Set<UUID>) {
        guard !logged.isEmpty else { return }
        self.state.withLock { $0.logged.formUnion(logged) }
        self.enter()
    }
}

extension InstallationMachine {
    /// Logs the events of entries that another replica has decided, each with the id that every replica gives it.
    fileprivate mutating func logOutbox(_ entries: Set<UUID>, _ transaction: inout InstallationTransaction) {
        guard let key = transaction.scope.key else { return }
        let outbox = transaction.sharedOutbox
        for end in outbox.ends where entries.contains(end.totals.session.uuid) {
            let session = end.totals.session
            let event = SharedIDs.endEvent(of: session.uuid, of: key)
            transaction.takeOver(session.uuid, event: event)
            let moment = EventTimestamp(end.totals.lastMilliseconds, event, SessionMembers(session))
            self.log(EventBody.sessionEnd(end.totals.accounts), at: moment, of: end.mpid, ends: true, &transaction)
        }
        for choice in outbox.optOuts where entries.contains(choice.id) {
            transaction.takeOver(choice.id, event: choice.id)
            let moment = EventTimestamp(choice.milliseconds, choice.id, nil)
            let details = EventBody.details(of: Event(content: .optOut(choice.isOptedOut)))
            self.log(details, at: moment, of: choice.mpid, ends: false, &transaction)
        }
    }

    private mutating func log(
        _ details: EventDetails,
        at moment: EventTimestamp,
        of mpid: MPID?,
        ends: Bool,
        _ transaction: inout InstallationTransaction
    ) {
        let context = transaction.moment.context
        let role = ends ? EventStamp.Role.endsSession : .regular
        let frame = self.frame(details, moment, of: mpid, urgency: .prompt, context: context, role: role)
        transaction.write(.event(frame))
        transaction.step(&self, ifRefused: .losesEvent)
    }
}
