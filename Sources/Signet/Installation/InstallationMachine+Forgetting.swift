// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.Date

// What an installation forgets, and breadcrumbs: all are on disk; those of one user at a time are in memory.
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
        self.removeTrail(of: mpid, &transaction)
        try self.forgetDeparted(of: before.number, &transaction) { $0.mpid == mpid }
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
        let isNamed = (self.sessions.totals ?? self.interrupted)?.mpids.contains(mpid) ?? false
        // The record may hold a session that never began and that no other followed: an opted-out installation has none.
        if !isNamed { guard try transaction.records.sessionNames(mpid) else { return } }
        self.changeSession { $0.forget(mpid) }
        var interrupted = self.interrupted
        interrupted?.forget(mpid)
        self.interrupted = interrupted
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

    /// Forgets the consent of departed users whose events are in batches.
    ///
    /// - Parameters:
    ///   - number: The installation number of their events; after damage the installation has another one by now.
    ///   - transaction: The transaction.
    ///   - isDone: Returns true if the events of the entry's user are in batches.
    /// - Returns: True if this object took it; false if it has left memory.
    /// - Throws: The error of the disk.
    func departedCarried(
        _ number: UInt32,
        _ transaction: inout InstallationTransaction,
        _ isDone: (DepartedConsents.Entry) -> Bool
    ) throws(SignetError) -> Bool {
        guard !self.phase.isRetired else { return false }
        try self.forgetDeparted(of: number, &transaction, isDone)
        return true
    }

    private func forgetDeparted(
        of number: UInt32,
        _ transaction: inout InstallationTransaction,
        _ isDone: (DepartedConsents.Entry) -> Bool
    ) throws(SignetError) {
        var departed = try transaction.records.departedConsents(number)
        guard departed.remove(where: isDone) else { return }
        let key = StateKey.departedConsents(number)
        transaction.write(departed.entries.isEmpty ? .remove(key) : .put(departed.encoded(), for: key))
    }

    // MARK: - Breadcrumbs

    /// Leaves a breadcrumb of the current user.
    mutating func leaveBreadcrumb(
        _ label: String,
        _ attributes: Attributes,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        guard self.phase == .open, !self.isOptedOut else { return }
        var trail = try self.trail(of: self.mpid, transaction.records)
        trail.leave(label, attributes, at: transaction.moment.now.milliseconds)
        self.breadcrumbs = trail
        self.save(trail, &transaction)
        transaction.step(&self, ifRefused: .isReported)
    }

    /// The breadcrumbs of a user; read if others are in memory.
    func trail(of user: MPID?, _ records: InstallationRecords) throws(SignetError) -> BreadcrumbTrail {
        if let trail = self.breadcrumbs, trail.user == user { return trail }
        return try records.breadcrumbs(of: user, self.state.number)
    }

    /// Moves breadcrumbs left before the first user to that user, and removes those of a departing ephemeral user.
    mutating func handOverBreadcrumbs(
        to firstUser: MPID?,
        after previous: MPID?,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        if let previous, self.state.directory.entries[previous] == nil { self.removeTrail(of: previous, &transaction) }
        guard let firstUser else { return }
        let anonymous = try self.trail(of: nil, transaction.records)
        guard !anonymous.breadcrumbs.isEmpty else { return }
        var trail = try self.trail(of: firstUser, transaction.records)
        trail.inherit(anonymous)
        self.breadcrumbs = trail
        // In this order: after a kill between the two, a later first user cannot precede this one.
        self.save(trail, &transaction)
        transaction.write(.remove(StateKey.breadcrumbs(self.state.number, nil)))
    }

    /// Removes the breadcrumbs of all users after an opt-out.
    ///
    /// If the disk keeps those of the current user, the next breadcrumb overwrites them.
    mutating func removeBreadcrumbs(_ transaction: inout InstallationTransaction) {
        self.breadcrumbs = BreadcrumbTrail(of: self.mpid)
        transaction.write(.remove(StateKey.breadcrumbs(self.state.number, nil)))
        for user in self.state.directory.entries.keys {
            transaction.write(.remove(StateKey.breadcrumbs(self.state.number, user)))
        }
    }

    private mutating func removeTrail(of user: MPID, _ transaction: inout InstallationTransaction) {
        if self.breadcrumbs?.user == user { self.breadcrumbs = nil }
        transaction.write(.remove(StateKey.breadcrumbs(self.state.number, user)))
    }

    private func save(_ trail: BreadcrumbTrail, _ transaction: inout InstallationTransaction) {
        let key = StateKey.breadcrumbs(self.state.number, trail.user)
        transaction.write(.put(trail.encoded(), for: key))
    }

    // MARK: - The app

    /// Notes whether the app's launch has ended in order.
    func saveLaunch(isClosedInOrder: Bool, _ transaction: inout InstallationTransaction) throws(SignetError) {
        guard self.phase == .open, !self.isOptedOut, var launch = try transaction.records.launch(),
            launch.isClosedInOrder != isClosedInOrder
        else { return }
        launch.isClosedInOrder = isClosedInOrder
        transaction.write(.put(launch.encoded(), for: StateKey.launch(transaction.id)))
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
