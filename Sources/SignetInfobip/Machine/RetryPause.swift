// SPDX-License-Identifier: Apache-2.0

import Signet

/// The pause after failures in a row: a growing one of our own, or the one that the service has asked for.
struct RetryPause: Sendable {
    private enum Kind {
        /// Requests of callers may be sent.
        case own(until: Duration)
        /// No request is sent.
        case asked(until: Duration)
    }

    private static let steps: [Duration] = [5, 15, 60, 120, 300].map { .seconds($0) }

    private var kind: Kind?
    private(set) var failures = 0

    /// The uptime of its end; nil without a pause.
    var until: Duration? {
        switch self.kind {
        case .own(let until), .asked(let until): until
        case nil: nil
        }
    }

    func isOn(_ now: Duration) -> Bool {
        self.until.map { $0 > now } ?? false
    }

    /// The pause that the service has asked for, unless it is over.
    func asked(_ now: Duration) -> SignetError? {
        guard case .asked(let until) = self.kind, until > now else { return nil }
        return SignetError(
            .throttled,
            "Infobip asked for a pause, so nothing was sent.",
            retryAfter: until - now
        )
    }

    /// Begins after a failure.
    mutating func begin(after error: SignetError, now: Duration, jitter: Double) {
        self.failures += 1
        let own = Self.steps[min(self.failures, Self.steps.count) - 1] * (1 - 0.2 * jitter)
        let until = now + min(error.retryAfter ?? own, .seconds(86_400))
        self.kind = error.retryAfter == nil ? .own(until: until) : .asked(until: until)
    }

    /// Ends, unless the service has asked for it.
    mutating func endOwn() {
        if case .asked = self.kind { return }
        self.end()
    }

    /// Ends.
    ///
    /// - Parameter keepsGrowing: True if the next pause is longer all the same.
    mutating func end(keepsGrowing: Bool = false) {
        self.kind = nil
        if !keepsGrowing { self.failures = 0 }
    }
}

/// Registrations that are lost within a minute of each other: one may work for other requests, and be lost for this one
/// again and again.
struct RegistrationLosses: Sendable {
    private var count = 0
    private var last: Duration?

    /// True if the next registration is no cure.
    func isRepeating(_ now: Duration) -> Bool {
        self.count > 1 && self.last.map { now - $0 <= .seconds(60) } ?? false
    }

    mutating func add(_ now: Duration) {
        if let last, now - last > .seconds(60) { self.count = 0 }
        self.last = now
        self.count += 1
    }
}
