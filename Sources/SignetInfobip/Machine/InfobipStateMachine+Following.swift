// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

import struct FoundationEssentials.UUID

extension InfobipStateMachine {
    /// Follows a change of the installation's user.
    ///
    /// - Parameter record: The outbox entry of the change.
    /// - Returns: The actions to take; none if the change was taken over already.
    mutating func follow(_ record: OutboxEntry) -> [Action] {
        guard record.id != self.memory.followed else { return [] }
        self.memory.followed = record.id
        guard case .identify(let email, let customerID) = record.call else { return self.leave(record.id, nil) }
        let identity = InfobipIdentity(emails: email.map { [$0] } ?? [], externalUserID: customerID)
        // A user without a valid identity is another person all the same.
        if let error = SignetError(InfobipLimits.violations(of: identity)) { return self.leave(record.id, error) }
        let actions = self.isSomebodyElse(identity) ? self.depart() : []
        let old = self.memory.userChanges.restricted(to: identity.changes)
        self.memory.linked = .init(id: record.id, identity: identity, old: old)
        return [.save] + actions
    }

    private mutating func leave(_ id: UUID, _ error: SignetError?) -> [Action] {
        let actions = self.depart()
        self.memory.linked = nil
        if let error { return [.save] + actions + [.linked(id, .failed(error))] }
        guard self.memory.depersonalization.isRequested else { return [.save] + actions + [.linked(id, .done)] }
        self.memory.linked = .init(id: id, identity: nil)
        return [.save] + actions
    }

    /// True if an identity is not that of the person whom the app assumes, including one whom the service does not know
    /// yet.
    func isSomebodyElse(_ identity: InfobipIdentity) -> Bool {
        let known = self.memory.linked?.identity ?? self.user.identity
        guard known.externalUserID != nil || !known.emails.isEmpty || !known.phones.isEmpty else {
            // Without personal data on disk, a restart knows only that there was a person.
            return self.memory.isPersonalized && self.memory.user == InfobipUser()
                && !self.memory.depersonalization.isRequested
        }
        if let new = identity.externalUserID, let old = known.externalUserID { return new != old }
        let emails = Set(known.emails.map { $0.lowercased() })
        return !identity.emails.contains { emails.contains($0.lowercased()) }
            && Set(known.phones.map(\.phoneDigits)).isDisjoint(with: identity.phones.map(\.phoneDigits))
    }

    /// Handles the service's refusal of the user's identity.
    mutating func refuseSync(_ id: UUID, _ error: SignetError) -> [Action] {
        guard self.memory.linked?.id == id else { return [] }
        let impossible = InfobipRefusal.Reason.personalizationImpossible.rawValue
        if error.errors.first?.code == impossible, !self.memory.depersonalization.isRequested {
            // The installation belongs to an unknown person. Changes saved since are for the new one.
            let (changes, own) = (self.memory.userChanges, self.memory.installationChanges)
            self.forgetUser()
            self.memory.userChanges = changes
            self.memory.installationChanges = own
            self.memory.depersonalization.isRequested = true
            return self.end(self.userTickets, .success(.pending))
        }
        self.memory.linked = nil
        guard self.memory.depersonalization.isRequested else { return [.linked(id, .failed(error))] }
        let changes = self.memory.userChanges
        self.memory.userChanges = InfobipUserChanges()
        return [.linked(id, .failed(error))] + self.dropped(changes)
    }
}
