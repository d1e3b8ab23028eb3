//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

/// Where an identity manager puts what it has decided: persisted first, then readable, then told.
protocol IdentityHome: AnyObject, Sendable {
    /// Whether another object has taken its place, so that nothing is to be sent for it any more.
    var isRetired: Bool { get }

    /// Takes what the platform has answered. It has happened, so it stands even if the disk refuses it; then it is
    /// reported and written with the next change.
    ///
    /// - Parameters:
    ///   - state: What the installation remembers from now on.
    ///   - change: Who has come, for the streams; nil when nobody has.
    ///   - firstUser: Who inherits what was logged before anybody was known; nil when somebody did already.
    ///   - updates: What changed of users, told as events after the state was saved.
    /// - Returns: Whether it was taken; false when another object has taken the place of this home.
    func commit(
        _ state: IdentityState,
        change: (previous: User?, current: User)?,
        firstUser: MPID?,
        updates: [UserUpdate]
    ) -> Bool

    /// Has other services know of a change of the user that was taken; before whoever asked for it is answered.
    func performLinked() async

    /// Takes what the app asked for, or refuses it whole.
    ///
    /// - Parameters:
    ///   - state: What the installation remembers from now on.
    ///   - updates: What changed of users, told as events after the state was saved.
    /// - Throws: When the disk refuses it.
    func save(_ state: IdentityState, updates: [UserUpdate]) throws(SignetError)

    /// Opts out or in, and logs that.
    ///
    /// - Parameter state: What the installation remembers from now on.
    /// - Returns: The state with what was added to it, and what became of the event.
    /// - Throws: When the disk refuses the state.
    func saveOptOut(_ state: IdentityState) throws(SignetError) -> SavedOptOut

    /// A state without the removals of attributes that a batch has told of meanwhile.
    func withoutCarriedRemovals(_ state: IdentityState) -> IdentityState

    /// Forgets a user, on disk, here and in the updates.
    ///
    /// - Returns: What the installation remembers from now on; nil when another object has taken the place of this home.
    /// - Throws: When the disk refuses it; then nothing was changed.
    func forget(_ mpid: MPID) throws(SignetError) -> IdentityState?
}

/// A manager's way back to its home: weak, so that the two do not keep one another alive.
final class IdentityHomeReference: Sendable {
    private struct State {
        weak var target: (any IdentityHome)?
    }

    private let state = Locked(State())

    /// The home, while it lives.
    var target: (any IdentityHome)? {
        self.state.withLock { $0.target }
    }

    /// Sets the home; once, while the two are being made.
    func set(_ target: any IdentityHome) {
        self.state.withLock { $0.target = target }
    }
}
