//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

import struct FoundationEssentials.UUID

// What came before a call: logins of the installation.
extension InfobipManager {
    /// Takes over what the installation's user has become, in order.
    ///
    /// There is no suspension in it, nor between it and the decision that follows: what is saved is never for a user who has
    /// gone, also when a process died between a login and this.
    ///
    /// - Throws: What the disk says: then nobody knows for whom the next call would be.
    func catchUp() throws(SignetError) {
        guard self.services.configuration.followsLogin, let home = self.home.target else { return }
        let ledger = try home.linkedLedger()
        for record in ledger.due(for: .infobip, after: self.machine.memory.followed) {
            try self.decide { ((), $0.follow(record)) }
        }
        // Done, and the process died before it could be said.
        guard self.machine.memory.linked == nil, let last = ledger.open(for: .infobip).last,
            last.id == self.machine.memory.followed
        else { return }
        home.endLinked(last, .infobip, .done)
    }

    /// The installation's user has changed.
    func followUser() async throws(SignetError) {
        try self.catchUp()
        self.work()
    }

    /// Says what became of a change of the user; those before it are superseded.
    func endLinked(_ id: UUID, _ kind: IdentitySyncOutcome.Kind) {
        guard let home = self.home.target else { return }
        do throws(SignetError) {
            let open = try home.linkedLedger().open(for: .infobip)
            if let record = open.first(where: { $0.id == id }) { home.endLinked(record, .infobip, kind) }
        } catch {
            self.services.observer.stateNotSaved(installation: self.installation, error: error)
        }
    }
}
