//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How often, and with which pauses, a token is asked for again.
///
/// The count is of one user, and rises with each answer without a usable token and each token that the service refuses. It
/// goes back to zero when the service accepts the token, when a token is given by hand, with a pause and its end, and with
/// another user. So a provider that only fails, or whose tokens are never accepted, is asked ``maximumAttempts`` times and
/// then no more. Refreshes ahead of time that nobody needed are counted apart, with the same limit: after that many without
/// any request the next token is asked for when it is needed.
public struct TokenRetryPolicy: Sendable, Hashable {
    /// How pauses grow.
    public enum Growth: Sendable, Hashable {
        /// All are alike.
        case constant
        /// Each is twice as long as the one before, up to a longest one.
        case exponential(cap: Duration)
    }

    /// The most tries in a row.
    public var maximumAttempts: Int
    /// The first pause.
    public var interval: Duration
    /// How pauses grow.
    public var growth: Growth

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - maximumAttempts: The most tries in a row, the first one included; 10 by default, at least 1.
    ///   - interval: The first pause; 6 s by default.
    ///   - growth: How pauses grow.
    public init(maximumAttempts: Int = 10, interval: Duration = .seconds(6), growth: Growth = .constant) {
        self.maximumAttempts = maximumAttempts
        self.interval = interval
        self.growth = growth
    }

    func validate() throws(SignetError) {
        var cap = self.interval
        if case .exponential(let longest) = self.growth { cap = longest }
        guard self.maximumAttempts >= 1, self.interval > .zero, cap >= self.interval else {
            throw SignetError(
                .invalidConfiguration,
                "A TokenRetryPolicy needs at least one try, an interval above zero and a cap that is not below it."
            )
        }
    }

    /// How long to wait after a number of tries, which is at least one.
    func pause(after attempts: Int) -> Duration {
        guard case .exponential(let cap) = self.growth else { return self.interval }
        var pause = self.interval
        var left = attempts - 1
        while left > 0, pause < cap {
            pause *= 2
            left -= 1
        }
        return min(pause, cap)
    }
}
