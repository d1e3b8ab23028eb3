// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The breadcrumbs of an installation: those of all users are on disk, those of one user at a time in memory.
struct InstallationBreadcrumbs: Sendable {
    /// The breadcrumbs of one user; nil until they are needed.
    private var trail: BreadcrumbTrail?

    /// The breadcrumbs of a user; read if others are in memory.
    ///
    /// - Parameters:
    ///   - user: The user; nil before the first user.
    ///   - number: The installation's number.
    ///   - records: Reads the disk.
    /// - Returns: The breadcrumbs; none if the record is damaged.
    /// - Throws: The error of the disk.
    func trail(
        of user: MPID?,
        _ number: UInt32,
        _ records: InstallationRecords
    ) throws(SignetError) -> BreadcrumbTrail {
        if let trail = self.trail, trail.user == user { return trail }
        return try records.breadcrumbs(of: user, number)
    }

    /// Leaves a breadcrumb of the current user.
    mutating func leave(
        _ label: String,
        _ attributes: Attributes,
        of user: MPID?,
        _ number: UInt32,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        var trail = try self.trail(of: user, number, transaction.records)
        trail.leave(label, attributes, at: transaction.moment.now.milliseconds)
        self.save(trail, number, &transaction)
    }

    /// Follows a change of the user: moves breadcrumbs left before the first user to that user, and removes those of a departing
    /// ephemeral user.
    ///
    /// - Parameters:
    ///   - firstUser: The first user; nil if there was one before.
    ///   - previous: The user before.
    ///   - state: The users after the change.
    ///   - transaction: The transaction.
    /// - Throws: The error of the disk.
    mutating func move(
        to firstUser: MPID?,
        after previous: MPID?,
        _ state: IdentityState,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        if let previous, state.directory.entries[previous] == nil {
            self.remove(of: previous, state.number, &transaction)
        }
        if let firstUser { try self.handOver(to: firstUser, state.number, &transaction) }
    }

    /// Moves breadcrumbs left before the first user to that user.
    private mutating func handOver(
        to firstUser: MPID,
        _ number: UInt32,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        let anonymous = try self.trail(of: nil, number, transaction.records)
        guard !anonymous.breadcrumbs.isEmpty else { return }
        var trail = try self.trail(of: firstUser, number, transaction.records)
        trail.inherit(anonymous)
        // In this order: after a kill between the two, a later first user cannot precede this one.
        self.save(trail, number, &transaction)
        transaction.write(.remove(StateKey.breadcrumbs(number, nil)))
    }

    /// Removes the breadcrumbs of a user who is erased, or who departs for good.
    mutating func remove(of user: MPID, _ number: UInt32, _ transaction: inout InstallationTransaction) {
        if self.trail?.user == user { self.trail = nil }
        transaction.write(.remove(StateKey.breadcrumbs(number, user)))
    }

    /// Removes the breadcrumbs of all users after an opt-out.
    ///
    /// If the disk keeps those of the current user, the next breadcrumb overwrites them.
    mutating func removeAll(in directory: UserDirectory, _ number: UInt32, _ transaction: inout InstallationTransaction)
    {
        self.trail = BreadcrumbTrail(of: directory.current)
        transaction.write(.remove(StateKey.breadcrumbs(number, nil)))
        for user in directory.entries.keys { transaction.write(.remove(StateKey.breadcrumbs(number, user))) }
    }

    private mutating func save(
        _ trail: BreadcrumbTrail,
        _ number: UInt32,
        _ transaction: inout InstallationTransaction
    ) {
        self.trail = trail
        // On a replica they are in memory only before it has a number: the record would be that of other installations, too. An
        // installation of this process alone becomes durable with the write.
        guard number != 0 || transaction.scope.key == nil else { return }
        transaction.write(.put(trail.encoded(), for: StateKey.breadcrumbs(number, trail.user)))
    }
}
