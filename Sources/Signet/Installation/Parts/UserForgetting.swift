// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.Date

/// The erasure of a user on an installation: from here on, nothing is logged for them; events belong to the next user.
struct UserForgetting {
    private let mpid: MPID

    init(_ mpid: MPID) {
        self.mpid = mpid
    }

    /// Forgets the user.
    ///
    /// - Returns: The state before and after; nil if the installation is retired.
    func write(
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) -> (before: IdentityState, now: IdentityState)? {
        guard !machine.phase.isRetired else { return nil }
        let before = machine.state
        let now = transaction.moment.now.milliseconds
        if transaction.scope.key != nil { transaction.forget(self.mpid) }
        machine.breadcrumbs.remove(of: self.mpid, before.number, &transaction)
        try transaction.forgetDeparted(of: before.number) { $0.mpid == self.mpid }
        machine.timedEvents.forget(self.mpid)
        try self.writeSession(&machine, &transaction)
        guard before.directory.mentioned.contains(self.mpid) else { return (before, before) }
        let wasCurrent = machine.mpid == self.mpid
        // First: after a kill between the two, the next start finds the context to forget by the user.
        if wasCurrent || machine.mpid == nil {
            machine.choose(try transaction.records.contextWithoutAddress(machine.own), &transaction)
        }
        _ = machine.state.forget(self.mpid, upTo: try transaction.records.lastSequence(), now: now)
        // A number of this process's journal; the row has the moments of its changes instead.
        if transaction.scope.key != nil { machine.state.directory.forgetPastAttributions() }
        machine.saveIdentity(&transaction)
        if wasCurrent { transaction.add(.userChange(previous: .erased(self.mpid, now: now), current: nil)) }
        return (before, machine.state)
    }

    /// Saves the facts of the open session that only the user's events contain, before they leave the journal.
    private func writeSession(
        _ machine: inout InstallationMachine,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        // The record may hold a session that never began and that no other followed: an opted-out installation has none.
        if !machine.session.names(self.mpid) { guard try transaction.records.sessionNames(self.mpid) else { return } }
        machine.session.forget(self.mpid)
        transaction.saveSession(of: machine, isRequired: true)
    }
}

extension User {
    /// A user without any data.
    fileprivate static func erased(_ mpid: MPID, now: Int64) -> User {
        User(
            mpid: mpid,
            identities: [:],
            attributes: [:],
            isLoggedIn: false,
            isEphemeral: false,
            firstSeen: Date(milliseconds: now),
            lastSeen: Date(milliseconds: now)
        )
    }
}
