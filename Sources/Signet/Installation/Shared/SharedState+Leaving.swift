// SPDX-License-Identifier: Apache-2.0

import SignetModel

// A row has a limit: users of whom nothing is known leave it first, then those who were not seen for the longest time.
extension SharedState {
    /// The parts that leave a row that is too large.
    struct Leaving: Sendable, Hashable {
        /// The users, in the order in which they leave.
        ///
        /// Their events keep them, and their consent stays, as that of an ephemeral user does.
        var users: [MPID] = []
        /// The users who have left before, whose consent leaves too.
        var consents: [MPID] = []

        /// True if the row stays as it is.
        var isEmpty: Bool { self.users.isEmpty && self.consents.isEmpty }
    }

    /// Decides what leaves the row so that it fits.
    ///
    /// - Parameters:
    ///   - limit: The greatest number of bytes.
    ///   - format: The format in which the row is written.
    /// - Returns: No more than needed; nil if the current user alone does not fit.
    func leaving(toFit limit: Int, in format: UInt8) -> Leaving? {
        var leaving = Leaving()
        var left = self
        var candidates = self.leavingOrder[...]
        var size = left.encoded(as: format).count
        while size > limit {
            var step = Leaving()
            var excess = size - limit
            while excess > 0, let mpid = candidates.popFirst() {
                excess -= left.size(of: mpid)
                step.users.append(mpid)
            }
            if step.isEmpty {
                guard let oldest = left.part.departed.first else { return nil }
                step.consents.append(oldest.mpid)
            }
            left.leave(step)
            leaving.users += step.users
            leaving.consents += step.consents
            size = left.encoded(as: format).count
        }
        return leaving
    }

    /// Removes users, and keeps their consent; the current user stays in any case.
    mutating func leave(_ leaving: Leaving) {
        for mpid in leaving.users where mpid != self.identity.directory.current {
            guard let entry = self.identity.directory.entries.removeValue(forKey: mpid) else { continue }
            if let consent = entry.consent { self.part.keep(consent, of: mpid) }
        }
        self.part.departed.removeAll { leaving.consents.contains($0.mpid) }
    }

    /// All users but the current one, in the order in which they leave: each log-out may make one of whom nothing is known.
    private var leavingOrder: [MPID] {
        let directory = self.identity.directory
        return directory.entries
            .filter { $0.key != directory.current }
            .map { mpid, entry in
                (rank: entry.isBlank && mpid != directory.firstUser ? 0 : 1, seen: entry.lastSeen, mpid: mpid)
            }
            .sorted { $0 < $1 }
            .map(\.mpid)
    }

    /// The bytes that may become free beside a user's own: the lengths of the records around them become shorter.
    private static let lengths = 8

    /// The number of bytes that become free with a user, or a few more: so that no one leaves who need not.
    private func size(of mpid: MPID) -> Int {
        guard var entry = self.identity.directory.entries[mpid] else { return 0 }
        // It stays.
        entry.consent = nil
        var encoder = RecordEncoder(version: 1, reservingCapacity: 512)
        encoder.write(element: StoredUser(mpid: mpid, entry: entry))
        return encoder.finish().count + Self.lengths
    }
}

extension InstallationMachine {
    /// Lets users leave the shared row.
    mutating func leave(_ leaving: SharedState.Leaving) {
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
