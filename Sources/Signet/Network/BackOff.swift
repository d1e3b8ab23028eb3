// SPDX-License-Identifier: Apache-2.0

/// The pauses after failures in a row.
///
/// They take 5, 15, 60, 120, then 300 s, each up to a fifth longer, so that many clients do not return at once. A service
/// that asks for a pause of more than 1 s gets it, up to 24 h.
package struct BackOff: Sendable, Hashable {
    private enum Pause: Hashable {
        case none
        case own(until: Duration)
        case asked(until: Duration)
    }

    /// The pauses after the first failure and each further one; the last one repeats.
    package static let steps: [Duration] = [.seconds(5), .seconds(15), .seconds(60), .seconds(120), .seconds(300)]

    /// The pauses after content was found too large: a limit in between is raised by someone, not soon.
    package static let longestSteps: [Duration] = [.seconds(300)]

    /// The number of failures in a row.
    package private(set) var failures = 0
    private var pause = Pause.none

    package init() {}

    /// Counts a failure, and pauses.
    ///
    /// - Parameters:
    ///   - error: The error of the try.
    ///   - now: Uptime.
    ///   - jitter: From 0 to 1.
    ///   - steps: The pauses.
    package mutating func fail(
        _ error: SignetError,
        now: Duration,
        jitter: Double,
        steps: [Duration] = Self.steps
    ) {
        self.failures += 1
        if let asked = Self.asked(error) {
            self.pause = .asked(until: now + asked)
        } else {
            // One of at most a second says "at once": again and again, it would be a request a second for ever.
            let least = min(max(error.retryAfter ?? .zero, .zero), Self.atOnce)
            self.pause = .own(until: now + max(least, Self.length(after: self.failures, steps, jitter: jitter)))
        }
    }

    /// Ends any pause, and forgets the failures.
    package mutating func clear() {
        self = BackOff()
    }

    /// Ends any pause; the failures still count.
    package mutating func endPause() {
        self.pause = .none
    }

    /// Ends the pause and forgets the failures, unless the service has asked for it.
    package mutating func tryAgain() {
        if case .asked = self.pause { return }
        self.clear()
    }

    /// The end of the last pause, as uptime; nil if there was none.
    package var pausedUntil: Duration? {
        switch self.pause {
        case .none: nil
        case .own(let until), .asked(let until): until
        }
    }

    package func isPaused(at now: Duration) -> Bool {
        self.pausedUntil.map { $0 > now } ?? false
    }

    /// What is left of a pause that the service has asked for; nil for none.
    package func askedPause(at now: Duration) -> Duration? {
        if case .asked(let until) = self.pause, until > now { until - now } else { nil }
    }

    // MARK: - Lengths

    /// The longest `Retry-After` that asks for no pause.
    private static let atOnce = Duration.seconds(1)

    /// The pause that the service asked for, up to 24 h; nil if it asked for none, or for one of at most 1 s.
    static func asked(_ error: SignetError) -> Duration? {
        error.retryAfter.flatMap { $0 > Self.atOnce ? min($0, .seconds(86400)) : nil }
    }

    /// The length of a pause of our own.
    static func length(after failures: Int, _ steps: [Duration], jitter: Double) -> Duration {
        steps[min(max(failures, 1), steps.count) - 1] * (1 + min(max(jitter, 0), 1) / 5)
    }
}
