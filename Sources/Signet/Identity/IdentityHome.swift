// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// The receiver of an identity manager's decisions: persists them, publishes the snapshot, then notifies subscribers.
protocol IdentityHome: AnyObject, Sendable {
    /// True if another object has replaced this one, so that nothing is sent for it any more.
    var isRetired: Bool { get }

    /// Commits an answer of the platform.
    ///
    /// It has happened, so it stands even if the disk refuses it; then that is reported, and the state is written with the next
    /// change.
    ///
    /// - Parameters:
    ///   - state: The new state of the installation.
    ///   - change: The change of the user for subscribers; nil if there is none.
    ///   - firstUser: The user who gets the events logged before the first user; nil if there was a first user already.
    ///   - updates: The changes of users, logged as events after the state was saved.
    /// - Returns: True if the answer was committed; false if another object has replaced this home.
    func commit(
        _ state: IdentityState,
        change: (previous: User?, current: User)?,
        firstUser: MPID?,
        updates: [UserUpdate]
    ) -> Bool

    /// Forwards a committed user change to the other services before the caller resumes.
    func syncIdentity() async

    /// Saves a change that the app asked for, or refuses it whole.
    ///
    /// - Parameters:
    ///   - state: The new state of the installation.
    ///   - updates: The changes of users, logged as events after the state was saved.
    /// - Throws: An error if the disk refuses it.
    func save(_ state: IdentityState, updates: [UserUpdate]) throws(SignetError)

    /// Opts out or in, and logs that.
    ///
    /// - Parameter state: The new state of the installation.
    /// - Returns: The completed state, and the result of logging the event.
    /// - Throws: An error if the disk refuses the state.
    func saveOptOut(_ state: IdentityState) throws(SignetError) -> SavedOptOut

    /// Returns a state without the removals of attributes that a batch has reported meanwhile.
    func withoutCarriedRemovals(_ state: IdentityState) -> IdentityState

    /// Erases a user from disk, from memory and from the updates.
    ///
    /// - Returns: The new state of the installation; nil if another object has replaced this home.
    /// - Throws: An error if the disk refuses it; then nothing was changed.
    func forget(_ mpid: MPID) throws(SignetError) -> IdentityState?
}

/// A manager's reference to its home; weak, so that the two do not retain each other.
final class IdentityHomeReference: Sendable {
    private struct State {
        weak var target: (any IdentityHome)?
    }

    private let state = Locked(State())

    /// The home; nil when it is gone.
    var target: (any IdentityHome)? {
        self.state.withLock { $0.target }
    }

    /// Sets the home, once, while the two are being made.
    func set(_ target: any IdentityHome) {
        self.state.withLock { $0.target = target }
    }
}
