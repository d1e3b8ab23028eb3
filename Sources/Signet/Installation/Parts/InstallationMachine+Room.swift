// SPDX-License-Identifier: Apache-2.0

import SignetModel

// The record of the users has the limit of a shared row in a directory, too: each change writes it whole.
extension InstallationMachine {
    /// The users who have left the record for others.
    struct Room {
        /// Those of them who have given or refused a consent.
        var departures: [UserDirectory.Departure] = []
        /// The number of bytes of the record; zero if it was not measured, as it fits.
        var size = 0
    }

    /// Lets users leave the installation if the record of its users is too large, in the order of ``BoundedUserRecord``.
    ///
    /// A user stays while the platform lacks facts of them and a batch may still bring these. With a shared store it does nothing: the
    /// commit of the row does the same.
    ///
    /// - Parameters:
    ///   - mpid: A user who stays, besides the current one; nil for none.
    ///   - transaction: Gets the removal of the breadcrumbs of those who leave, and their number.
    /// - Returns: Those who have left.
    mutating func makeRoom(for mpid: MPID? = nil, _ transaction: inout InstallationTransaction) -> Room {
        // One user alone has the limits of attributes, which are higher.
        guard transaction.scope.key == nil, self.state.directory.entries.count > 1 else { return Room() }
        let oldest = transaction.moment.now.milliseconds.subtractingSaturated(transaction.moment.eventAge.milliseconds)
        let (leaving, size) = self.state.leaving(
            toFit: SharedStoreLimits.valueBytes,
            in: IdentityState.version,
            unless: { $0 == mpid || $1.hasUnsentFacts && $1.lastSeen > oldest }
        )
        guard !leaving.isEmpty else { return Room(size: size) }
        let number = self.state.number
        for user in leaving.users { self.breadcrumbs.remove(of: user, number, &transaction) }
        transaction.dropUsers(leaving.users.count)
        return Room(departures: self.state.directory.leave(leaving.users), size: size)
    }

    /// Writes the users, after others have left for them if the record is too large.
    ///
    /// - Parameters:
    ///   - mpid: The user who was changed; nil before the first user.
    ///   - before: The users before the change, which is refused if no one can leave for it; nil if it stands in any case.
    ///   - transaction: The transaction.
    /// - Throws: `limitReached` if the record has grown beyond its limit; the error of the disk.
    mutating func saveIdentity(
        makingRoomFor mpid: MPID?,
        from before: IdentityState?,
        _ transaction: inout InstallationTransaction
    ) throws(SignetError) {
        let room = self.makeRoom(for: mpid, &transaction)
        if let before, room.size > SharedStoreLimits.valueBytes, self.state.directory.entries.count > 1,
            room.size > before.encoded().count
        {
            throw .usersWait(room.size)
        }
        try transaction.keep(room.departures, self.state.number)
        self.saveIdentity(&transaction)
    }
}

extension SignetError {
    fileprivate static func usersWait(_ size: Int) -> SignetError {
        SignetError(
            .limitReached,
            """
            The users of the installation have \(size) bytes; at most \(SharedStoreLimits.valueBytes) fit, and none of them can leave \
            while the platform has not received their attributes and consents. Nothing was changed. Call upload(), then try again.
            """
        )
    }
}
