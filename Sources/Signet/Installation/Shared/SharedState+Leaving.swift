// SPDX-License-Identifier: Apache-2.0

import SignetModel

// A row has a limit: users of whom nothing is known leave it first, then those who were not seen for the longest time.
extension SharedState: BoundedUserRecord {
    static var keepsConsents: Bool { true }
    var directory: UserDirectory { self.identity.directory }
    var departedUsers: [MPID] { self.part.departed.map(\.mpid) }

    /// Decides what leaves the row so that it fits.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of bytes.
    ///   - format: The format in which the row is written.
    /// - Returns: No more than needed; nil if the current user alone does not fit.
    func leaving(toFit limit: Int, in format: UInt8) -> LeavingUsers? {
        // No store takes a larger row, so no one can stay for facts that the platform lacks.
        let (leaving, size) = self.leaving(toFit: limit, in: format) { _, _ in false }
        return size > limit ? nil : leaving
    }

    /// Removes users, and keeps their consent; the current user stays in any case.
    mutating func leave(_ leaving: LeavingUsers) {
        for one in self.identity.directory.leave(leaving.users) { self.part.keep(one.consent, of: one.mpid) }
        self.part.departed.removeAll { leaving.consents.contains($0.mpid) }
    }
}

extension InstallationMachine {
    /// Lets users leave the shared row.
    mutating func leave(_ leaving: LeavingUsers) {
        guard !leaving.isEmpty else { return }
        var value = SharedState(identity: self.state, part: self.shared.value)
        value.leave(leaving)
        self.state = value.identity
        self.shared.value = value.part
    }
}

extension SignetError {
    static func rowTooLarge(_ size: Int) -> SignetError {
        SignetError(
            .limitReached,
            """
            The current user of the installation has \(size) bytes; at most \(SharedStoreLimits.valueBytes) fit in a shared store. \
            Nothing was changed. Remove attributes, or set fewer.
            """
        )
    }
}
