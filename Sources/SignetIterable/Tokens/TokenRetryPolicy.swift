// SPDX-License-Identifier: Apache-2.0

import Signet

/// The number of tries for a token, and the pauses between them.
///
/// The count is per user. It rises with each answer without a usable token and each token that the service refuses. It
/// returns to zero when the service accepts the token, a token is set, asking is paused or resumed, or the user
/// changes. So a provider that only fails, or whose tokens are never accepted, is asked ``maximumAttempts`` times and
/// then no more.
///
/// Refreshes ahead of expiry that no request used are counted apart, with the same limit. After that many in a row,
/// the next token is requested when it is needed.
public struct TokenRetryPolicy: Sendable, Hashable {
    /// The growth of pauses.
    public enum Growth: Sendable, Hashable {
        /// All pauses are equal.
        case constant
        /// Each pause is twice as long as the one before, up to the cap.
        case exponential(cap: Duration)
    }

    /// The largest number of tries in a row.
    public var maximumAttempts: Int
    /// The first pause.
    public var interval: Duration
    /// The growth of pauses.
    public var growth: Growth

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - maximumAttempts: The largest number of tries in a row, the first one included; 10 by default, at least 1.
    ///   - interval: The first pause; 6 s by default.
    ///   - growth: The growth of pauses.
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

    /// The pause after a number of tries, which is at least one.
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
