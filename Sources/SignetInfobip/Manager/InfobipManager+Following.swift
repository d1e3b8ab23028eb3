// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

import struct FoundationEssentials.UUID

// Logins of the installation that come before a call.
extension InfobipManager {
    /// Takes over the changes of the installation's user, in order.
    ///
    /// It does not suspend, and nothing suspends between it and the decision that follows. So a save is never for a
    /// user who has left, even if a process died between a login and this.
    ///
    /// - Throws: The error of the disk; the person of the next call would then be unknown.
    func catchUp() throws(SignetError) {
        guard self.services.configuration.followsLogin, let home = self.home.target else { return }
        let outbox = try home.outbox()
        for record in outbox.due(for: .infobip, after: self.machine.memory.followed) {
            try self.decide { ((), $0.follow(record)) }
        }
        // It was done, and the process died before it was reported.
        guard !self.machine.memory.hasLogin, let last = outbox.open(for: .infobip).last,
            last.id == self.machine.memory.followed
        else { return }
        home.endOutboxEntry(last, .infobip, .done)
    }

    /// Follows a change of the installation's user.
    func followUser() async throws(SignetError) {
        try self.catchUp()
        self.work()
    }

    /// Reports the outcome of a change of the user; earlier ones are superseded.
    func endOutboxEntry(_ id: UUID, _ kind: IdentitySyncOutcome.Kind) {
        guard let home = self.home.target else { return }
        do throws(SignetError) {
            let open = try home.outbox().open(for: .infobip)
            if let record = open.first(where: { $0.id == id }) { home.endOutboxEntry(record, .infobip, kind) }
        } catch {
            self.services.observer.stateNotSaved(installation: self.installation, error: error)
        }
    }
}
