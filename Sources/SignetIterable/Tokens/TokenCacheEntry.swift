// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
import SignetWire

/// The state for one user: the machine, its job, and the waiting callers.
struct TokenCacheEntry: Sendable {
    /// The outcome of a wait.
    typealias Outcome = Result<String, SignetError>

    /// Unique among handlers, so that a late answer is not taken for a user who left and returned.
    let id: Int
    var machine: TokenStateMachine
    var job: TokenJob?
    /// The promise of the callers that wait now; those after an answer get a new one.
    var promise = Promise<Outcome>()
    var waiters = 0
    /// The number of the last call for this user.
    var lastUse: Int
}
