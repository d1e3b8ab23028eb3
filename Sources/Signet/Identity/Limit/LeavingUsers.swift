// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The parts that leave a record of users that is too large.
struct LeavingUsers: Sendable, Hashable {
    /// The users, in the order in which they leave.
    ///
    /// Their events keep them, and their consent stays, as that of an ephemeral user does.
    var users: [MPID] = []
    /// The users who have left before, whose consent leaves too.
    var consents: [MPID] = []

    /// True if the record stays as it is.
    var isEmpty: Bool { self.users.isEmpty && self.consents.isEmpty }
}

/// A record of all users of an installation, which has a limit: in the directory, or the row of a shared store.
protocol BoundedUserRecord: StoredRecord {
    /// True if the record keeps the consent of users who leave it.
    static var keepsConsents: Bool { get }
    /// The users.
    var directory: UserDirectory { get }
    /// The users who have left before and whose consent the record still has, oldest first.
    var departedUsers: [MPID] { get }
    /// Removes users; the current one stays in any case.
    mutating func leave(_ leaving: LeavingUsers)
}

extension BoundedUserRecord {
    /// Decides which users leave the record so that it fits.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of bytes.
    ///   - format: The format in which the record is written.
    ///   - stays: Returns true for a user who may not leave; the current user may not in any case.
    /// - Returns: No more than needed, or all who may leave; and the number of bytes of the rest.
    func leaving(
        toFit limit: Int,
        in format: UInt8,
        unless stays: (MPID, UserDirectory.Entry) -> Bool
    ) -> (leaving: LeavingUsers, size: Int) {
        var leaving = LeavingUsers()
        var size = self.encoded(as: format).count
        guard size > limit else { return (leaving, size) }
        var left = self
        var candidates = self.directory.leavingOrder(unless: stays)[...]
        while size > limit {
            var step = LeavingUsers()
            var excess = size - limit
            while excess > 0, let mpid = candidates.popFirst() {
                excess -= left.directory.size(of: mpid, withConsent: !Self.keepsConsents)
                step.users.append(mpid)
            }
            if step.isEmpty {
                guard let oldest = left.departedUsers.first else { break }
                step.consents.append(oldest)
            }
            left.leave(step)
            leaving.users += step.users
            leaving.consents += step.consents
            size = left.encoded(as: format).count
        }
        return (leaving, size)
    }
}

extension IdentityState: BoundedUserRecord {
    /// False: a record of its own keeps them, see ``DepartedConsents``.
    static var keepsConsents: Bool { false }
    var departedUsers: [MPID] { [] }

    mutating func leave(_ leaving: LeavingUsers) {
        _ = self.directory.leave(leaving.users)
    }
}

extension UserDirectory {
    /// A user who leaves, with their consent.
    struct Departure: Sendable, Hashable {
        let mpid: MPID
        let consent: ConsentState
    }

    /// Removes users; the current one stays in any case.
    ///
    /// - Returns: Those of them who have given or refused a consent.
    mutating func leave(_ users: [MPID]) -> [Departure] {
        users.compactMap { mpid in
            guard mpid != self.current else { return nil }
            return self.entries.removeValue(forKey: mpid)?.consent.map { Departure(mpid: mpid, consent: $0) }
        }
    }

    /// The users who may leave, in the order in which they do.
    ///
    /// Those of whom nothing is known are the first ones: each log-out may make one. Users with facts that the platform lacks are the
    /// last ones.
    fileprivate func leavingOrder(unless stays: (MPID, Entry) -> Bool) -> [MPID] {
        let candidates = self.entries.filter { $0.key != self.current && !stays($0.key, $0.value) }
        let order = candidates.map { mpid, entry -> (rank: Int, seen: Int64, mpid: MPID) in
            let isBlank = entry.isBlank && mpid != self.firstUser
            return (isBlank ? 0 : entry.hasUnsentFacts ? 2 : 1, entry.lastSeen, mpid)
        }
        return order.sorted { $0 < $1 }.map(\.mpid)
    }

    /// The bytes that may become free beside a user's own: the lengths of the records around them become shorter.
    private static let lengths = 8

    /// The number of bytes that become free with a user, or a few more: so that no one leaves who need not.
    fileprivate func size(of mpid: MPID, withConsent: Bool) -> Int {
        guard var entry = self.entries[mpid] else { return 0 }
        if !withConsent { entry.consent = nil }
        var encoder = RecordEncoder(version: 1, reservingCapacity: 512)
        encoder.write(element: StoredUser(mpid: mpid, entry: entry))
        return encoder.finish().count + Self.lengths
    }
}
