// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

/// The actions on a user's token, in the order of the members.
struct TokenAction: Sendable, Hashable {
    /// Work that takes time; each user has at most one.
    enum Work: Sendable, Hashable {
        /// Ask the provider.
        case fetch(Int, TokenReason)
        /// Wake the machine later.
        case wakeUp(Int, after: Duration)
    }

    /// The answer to waiting callers.
    enum Answer: Sendable, Hashable {
        case token(Secret)
        case refused(Obstacle)
    }

    /// The reason that there is no token.
    enum Obstacle: Sendable, Hashable {
        /// The largest number of tries has been made.
        case exhausted
        /// The app has paused the tries.
        case paused
        /// The app has taken the token back.
        case forgotten
    }

    /// The report to the app.
    struct Report: Sendable, Hashable {
        let reason: TokenFailure.Reason
        let token: Secret?
        let willTryAgain: Bool
    }

    var report: Report?
    /// Cancels the work in flight.
    var cancelsWork = false
    var work: Work?
    /// Nil: new callers wait, with those that wait already.
    var answer: Answer?
}
