// SPDX-License-Identifier: Apache-2.0

import Signet

extension IterableVisitor {
    /// The visitor or user who is in front of an installation, for Iterable.
    public enum State: Sendable, Hashable {
        /// Visitors are switched off, and there is no known user.
        case switchedOff
        /// There is no known user and no consent, so nothing is kept.
        case noConsent
        /// There is no known user. Records are stored locally.
        case visitor
        /// A criterion matches, and an unknown user is being made.
        case activating
        /// There is an unknown user, and some earlier work is not delivered yet.
        case replaying(userID: String)
        /// There is an unknown user, and everything has been delivered.
        case unknown(userID: String)
        /// The user is known, and some earlier or current work is not delivered yet.
        case resolving(IterableUserID)
        /// The user is known, and everything has been delivered.
        case known(IterableUserID)
    }
}
