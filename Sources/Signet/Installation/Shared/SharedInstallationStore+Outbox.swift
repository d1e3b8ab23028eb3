// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

// The ends of sessions that a commit has decided: they are in the row until the journal of a replica has their event.
extension SharedInstallationStore {
    /// Logs what a dead replica has decided and not logged, and removes from the row what is logged.
    ///
    /// - Parameter now: The database's time, in milliseconds since 1970.
    /// - Returns: The commit.
    /// - Throws: ``SignetError``.
    nonisolated(nonsending) func logOutbox(before now: Int64) async throws(SignetError) -> InstallationCommit<Void> {
        let own = self.takeLogged()
        let due = self.outbox.ends.filter {
            !own.contains($0.totals.session.uuid) && $0.milliseconds + SharedOutbox.patience <= now
        }
        guard !own.isEmpty || !due.isEmpty else { return InstallationCommit(value: ()) }
        let gone = own.union(due.map(\.totals.session.uuid))
        do throws(SignetError) {
            return try await self.commit(fencedBy: nil, decides: false, confirms: false) { machine, transaction in
                transaction.removeFromOutbox(gone)
                for end in due { machine.logEnd(end, &transaction) }
            }
        } catch {
            // Else another process would log them again, as of one that has died. A row that is gone has none.
            if error.code != .closed { self.keepLogged(own) }
            throw error
        }
    }
}

extension InstallationMachine {
    /// Logs the end of a session that another replica has decided.
    fileprivate mutating func logEnd(_ end: SharedOutbox.End, _ transaction: inout InstallationTransaction) {
        guard let key = transaction.scope.key else { return }
        let session = end.totals.session
        let details = EventBody.sessionEnd(end.totals.accounts)
        let messageID = SharedIDs.endEvent(of: session.uuid, of: key)
        let timestamp = EventTimestamp(end.totals.lastMilliseconds, messageID, SessionMembers(session))
        let context = transaction.moment.context
        let frame = self.frame(
            details,
            timestamp,
            of: end.mpid,
            urgency: .prompt,
            context: context,
            role: .endsSession
        )
        transaction.write(.event(frame))
        transaction.step(&self)
    }
}
