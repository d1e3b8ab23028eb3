// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.Date

// Erasures of users, and breadcrumbs.
extension InstallationMachine {
    // MARK: - Erasure

    /// Forgets a user: from here on, nothing is logged for them; events belong to the next user.
    ///
    /// - Returns: The state before and after; nil if the installation is retired.
    mutating func forget(
        _ mpid: MPID,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) -> (before: IdentityState, now: IdentityState)? {
        guard !self.phase.isRetired else { return nil }
        let before = self.state
        let now = transaction.moment.now.milliseconds
        if transaction.scope.key != nil { transaction.forget(mpid) }
        self.breadcrumbs.remove(of: mpid, before.number, &transaction)
        try transaction.forgetDeparted(of: before.number) { $0.mpid == mpid }
        self.timedEvents.forget(mpid)
        try self.forgetInSession(mpid, &transaction)
        guard before.directory.mentioned.contains(mpid) else { return (before, before) }
        let wasCurrent = self.mpid == mpid
        // First: after a kill between the two, the next start finds the context to forget by the user.
        if wasCurrent || self.mpid == nil {
            self.choose(try transaction.records.contextWithoutAddress(self.own), &transaction)
        }
        _ = self.state.forget(mpid, upTo: try transaction.records.lastSequence(), now: now)
        // A number of this process's journal; the row has the moments of its changes instead.
        if transaction.scope.key != nil { self.state.directory.forgetPastAttributions() }
        self.saveIdentity(&transaction)
        if wasCurrent { transaction.add(.userChange(previous: .erased(mpid, now: now), current: nil)) }
        return (before, self.state)
    }

    /// Saves the facts of the open session that only the user's events contain, before they leave the journal.
    private mutating func forgetInSession(
        _ mpid: MPID,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        // The record may hold a session that never began and that no other followed: an opted-out installation has none.
        if !self.session.names(mpid) { guard try transaction.records.sessionNames(mpid) else { return } }
        self.session.forget(mpid)
        transaction.saveSession(of: self, isRequired: true)
    }

    /// Saves the installation's state again after its record on disk was found damaged.
    ///
    /// - Returns: True if this is still the object of its installation.
    func writeDown(_ transaction: inout InstallationTransaction) -> Bool {
        guard !self.phase.isRetired else { return false }
        self.saveIdentity(&transaction)
        transaction.saveSession(of: self, isRequired: true)
        return true
    }

    // MARK: - Once events are in batches

    /// Forgets attribute removals that a saved batch carries: no other batch will carry them.
    ///
    /// - Returns: True if this object took it; false if it has left memory.
    mutating func removalsCarried(
        of mpid: MPID,
        upTo number: Int64,
        _ transaction: inout InstallationTransaction
    ) -> Bool {
        guard !self.phase.isRetired else { return false }
        if self.state.directory.forgetRemovals(of: mpid, upTo: number) { self.saveIdentity(&transaction) }
        return true
    }

    // MARK: - Breadcrumbs

    /// Leaves a breadcrumb of the current user.
    mutating func leaveBreadcrumb(
        _ label: String,
        _ attributes: Attributes,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        guard self.phase == .open, !self.isOptedOut else { return }
        try self.breadcrumbs.leave(label, attributes, of: self.mpid, self.state.number, &transaction)
        transaction.step(&self, ifRefused: .isReported)
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
