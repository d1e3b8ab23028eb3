// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

/// The time of one user at Iterable: their tasks and the range of their records.
///
/// It stays until all of that is answered, even when another user is in front of the installation by then.
struct IterableTurn: Sendable, Hashable {
    /// The user of a turn.
    enum Person: Sendable, Hashable {
        /// An unknown user, made for the visitor.
        case unknown(userID: String)
        /// The app has identified the user.
        case known(IterableUserID)
    }

    var person: Person
    /// The first record that is theirs, including the visitor's records if those are replayed.
    var from: UInt64
    /// The first record of their own.
    ///
    /// The visitor's come before it, an update of fields last.
    let born: UInt64
    /// The first record of the next user or visitor; nil while they are in front of the installation.
    var end: UInt64?
    /// The tasks to do before the records, in order.
    var tasks: [IterableTask]
    /// The MPID, in case the user is erased; nil if the installation had no user.
    var mpid: MPID?
    /// True if the app has paused the requests for the user's token.
    var pausesTokens = false

    /// The name of the user.
    var id: IterableUserID {
        switch self.person {
        case .unknown(let userID): .userID(userID)
        case .known(let id): id
        }
    }

    /// The last address that the app asked for, which may still be on its way; nil if none is known.
    var askedEmail: String? {
        for case .changeEmail(let email) in self.tasks.reversed() { return email }
        return if case .email(let email) = self.id { email } else { nil }
    }

    /// True while a change of the address that names the user waits: Iterable may still refuse it.
    var awaitsName: Bool {
        guard case .email = self.id else { return false }
        return self.tasks.contains { if case .changeEmail(let email) = $0 { self.id != .email(email) } else { false } }
    }

    /// The names by which Iterable knows them, or will after their tasks.
    private var names: Set<IterableUserID> {
        self.tasks.reduce(into: [self.id]) { names, task in
            switch task {
            case .changeEmail(let email): names.insert(.email(email))
            case .merge(let source): names.insert(.userID(source))
            case .create(let userID, _): names.insert(.userID(userID))
            case .announce, .awaitToken, .consent, .register, .disable: break
            }
        }
    }

    /// True if Iterable may take both for one person: their work stays in order.
    func mayBe(_ other: IterableTurn) -> Bool {
        !self.names.isDisjoint(with: other.names)
    }

    /// True if the app has identified the user.
    var isKnown: Bool {
        if case .known = self.person { true } else { false }
    }

    /// True if a record is theirs.
    func owns(_ ordinal: UInt64) -> Bool {
        ordinal >= self.from && ordinal < self.end ?? .max
    }

    /// Removes a finished task; another may be first by now.
    mutating func removeTask(_ task: IterableTask) {
        if let index = self.tasks.firstIndex(of: task) { self.tasks.remove(at: index) }
    }
}
