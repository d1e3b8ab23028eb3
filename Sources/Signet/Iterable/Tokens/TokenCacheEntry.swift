//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetWire

/// What is kept for one user: the machine, its job, and who waits.
struct TokenCacheEntry: Sendable {
    /// How a wait ended.
    typealias Outcome = Result<String, SignetError>

    /// No other handler has it, so that a late answer is not taken for a user who went and came again.
    let id: Int
    var machine: TokenStateMachine
    var job: TokenJob?
    /// What those who wait now wait for; a new one for those who come after an answer.
    var promise = Promise<Outcome>()
    var waiters = 0
    /// When the user was asked for last, in numbers of calls.
    var lastUse: Int
}
