// SPDX-License-Identifier: Apache-2.0

/// The rules for retrying an identity call; without a policy a call is tried once.
///
/// A try is repeated after a time-out, a lost connection, 408, 425, 429 and 5xx, and if it could not be sent in time,
/// never after another 4xx. Pauses grow by a factor, vary at random so that many clients do not return at once, and are
/// at least as long as the platform asked (`Retry-After`). A call of the app keeps its slot for the whole time, or
/// until its task is cancelled. The identify at the start yields its slot during its pauses.
public struct RetryPolicy: Sendable, Hashable {
    /// The longest time from the call to the beginning of its last try.
    public var totalTime: Duration
    /// The first pause.
    public var initialDelay: Duration
    /// The longest pause.
    public var maximumDelay: Duration
    /// The ratio of each pause to the one before, from 1 to 10.
    public var factor: Double
    /// The random share of a pause, from 0 (none) to 1 (all of it).
    public var jitter: Double
    /// The maximum number of tries, including the first.
    public var maximumAttempts: Int

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - totalTime: The longest time from the call to the beginning of its last try. It has no default.
    ///   - initialDelay: The first pause.
    ///   - maximumDelay: The longest pause.
    ///   - factor: The ratio of each pause to the one before, from 1 to 10.
    ///   - jitter: The random share of a pause, from 0 to 1.
    ///   - maximumAttempts: The maximum number of tries, including the first.
    public init(
        totalTime: Duration,
        initialDelay: Duration = .seconds(1),
        maximumDelay: Duration = .seconds(30),
        factor: Double = 2,
        jitter: Double = 0.5,
        maximumAttempts: Int = 10
    ) {
        self.totalTime = totalTime
        self.initialDelay = initialDelay
        self.maximumDelay = maximumDelay
        self.factor = factor
        self.jitter = jitter
        self.maximumAttempts = maximumAttempts
    }

    func validate() throws(SignetError) {
        guard self.totalTime >= .zero, self.initialDelay >= .zero, self.maximumDelay >= .zero,
            (1...10).contains(self.factor), (0...1).contains(self.jitter), self.maximumAttempts >= 1
        else {
            throw SignetError(
                .invalidArgument,
                "A RetryPolicy needs times of zero or more, a factor from 1 to 10, a jitter from 0 to 1 and at least one try."
            )
        }
    }

    /// Computes the pause before the next try.
    ///
    /// - Parameters:
    ///   - attempt: The number of tries so far.
    ///   - error: The error of the last try.
    ///   - elapsed: The time since the call.
    ///   - jitter: A random number from 0 to 1.
    /// - Returns: The pause; nil to give up.
    func delay(afterAttempt attempt: Int, error: SignetError, elapsed: Duration, jitter: Double) -> Duration? {
        guard attempt < self.maximumAttempts, error.isWorthRepeating else { return nil }
        var pause = self.initialDelay
        for _ in 1..<max(attempt, 1) where pause < self.maximumDelay { pause = pause * self.factor }
        pause = min(pause, self.maximumDelay)
        pause = pause * (1 - self.jitter * min(max(jitter, 0), 1))
        if let asked = error.retryAfter { pause = max(pause, asked) }
        return elapsed + pause <= self.totalTime ? pause : nil
    }
}

extension SignetError {
    /// True if the same request can succeed later.
    var isWorthRepeating: Bool {
        switch self.code {
        case .timedOut, .notSent, .notConnected, .throttled, .serverFailure: true
        default: false
        }
    }
}

/// The behavior of an identity call while another one of the same installation is in progress.
public enum ConflictPolicy: Sendable, Hashable {
    /// Throws `requestInProgress` at once and sends nothing.
    ///
    /// Signet's own requests (the one at the start, a changed push token) never cause that error. The first call of the
    /// app waits for a try that is in flight, and takes the slot between two tries. An identify at the start continues
    /// after it, unless the call has identified the user.
    case refuse
    /// Waits for its turn in order of arrival, at most this long; then throws `requestInProgress`.
    case wait(upTo: Duration)
}
