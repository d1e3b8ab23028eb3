//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// What is to be done about a user's token, in the order of the members.
struct TokenAction: Sendable, Hashable {
    /// Something that takes time; there is one at most for each user.
    enum Work: Sendable, Hashable {
        /// Ask the provider.
        case fetch(Int, TokenReason)
        /// Wake the machine later.
        case wakeUp(Int, after: Duration)
    }

    /// What whoever waits is told.
    enum Answer: Sendable, Hashable {
        case token(Secret)
        case refused(Obstacle)
    }

    /// Why there is no token.
    enum Obstacle: Sendable, Hashable {
        /// The most tries have been made.
        case exhausted
        /// The app has paused them.
        case paused
        /// The app has taken the token back.
        case forgotten
    }

    /// What the app is told.
    struct Report: Sendable, Hashable {
        let reason: TokenFailure.Reason
        let token: Secret?
        let willTryAgain: Bool
    }

    var report: Report?
    /// Whether the work that was under way is void.
    var cancelsWork = false
    var work: Work?
    /// Nil: whoever asks waits, with those who wait already.
    var answer: Answer?
}
