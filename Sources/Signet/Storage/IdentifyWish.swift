// SPDX-License-Identifier: Apache-2.0

/// The identify that the runtime owes to the events without a user under a number, as an object of the installation knows it.
///
/// Only an open says what the app wants. An object that was made for a row, or for due work, leaves what an earlier process has noted.
struct IdentifyWish: Sendable, Hashable {
    private enum Given: Sendable, Hashable {
        /// No open of this process: the record of the number says it.
        case nothing
        /// As the last open wanted it; nil if the app decides.
        case pending(StoredIdentify?)
    }

    private var given = Given.nothing
    /// The last moment at which the row had a user; see ``rowHadUser(at:)``.
    private var lastUser: Int64?

    /// Notes what an open wants.
    ///
    /// - Parameter pending: The identify; nil if the app decides.
    mutating func want(_ pending: StoredIdentify?) {
        self.given = .pending(pending)
    }

    /// Notes when the row had a user for the last time, by the database's clock, in milliseconds since 1970; nil if it never had one, and
    /// `.max` if it has one.
    mutating func rowHadUser(at lastUser: Int64?) {
        self.lastUser = lastUser
        // The identities stay in memory no longer than on disk.
        if case .pending(let pending) = self.given { self.given = .pending(self.kept(pending)) }
    }

    /// The identify to note with a number.
    ///
    /// - Parameter recorded: The identify that is noted with it.
    /// - Returns: The identify; nil if the app decides.
    func pending(recorded: StoredIdentify?) -> StoredIdentify? {
        switch self.given {
        case .nothing: self.kept(recorded)
        // An open of a visitor who is known says nothing about the time after the user.
        case .pending(let pending): self.kept(self.lastUser == .max ? recorded ?? pending : pending)
        }
    }

    /// Without identities once the installation had a user: they were needed until then only, and may be those of one who was erased.
    private func kept(_ pending: StoredIdentify?) -> StoredIdentify? {
        guard let lastUser, case .identities(_, let since) = pending, since <= lastUser else { return pending }
        return .asKnown
    }
}
