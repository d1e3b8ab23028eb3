// SPDX-License-Identifier: Apache-2.0

/// Limits the batches per second: a token bucket that holds one second's worth.
struct RateLimiter: Sendable {
    /// Batches per second; nil for no limit.
    private let rate: Double?
    /// The part of the rate that the platform leaves us.
    private var share = 1.0
    private var tokens: Double
    private var refilledAt: Duration

    init(rate: Double?, now: Duration) {
        self.rate = rate
        self.tokens = max(1, rate ?? 1)
        self.refilledAt = now
    }

    /// Returns the number of batches that may go now.
    mutating func available(now: Duration) -> Int {
        guard let rate = self.currentRate else { return .max }
        let passed = (now - self.refilledAt) / .seconds(1)
        self.refilledAt = max(now, self.refilledAt)
        self.tokens = min(max(1, rate), self.tokens + max(0, passed) * rate)
        // A billionth less than one counts as one: seconds are added up in binary.
        return Int(self.tokens + 1e-9)
    }

    /// Returns the time at which the next batch may go.
    func next(now: Duration) -> Duration {
        guard let rate = self.currentRate else { return now }
        return now + .seconds(max(0, 1 - self.tokens) / rate)
    }

    /// Takes tokens for batches that go out.
    mutating func take(_ count: Int) {
        guard self.rate != nil else { return }
        self.tokens = max(0, self.tokens - Double(count))
    }

    /// Gives tokens back for batches that did not go out.
    mutating func giveBack(_ count: Int) {
        guard let rate = self.rate else { return }
        self.tokens = min(max(1, rate), self.tokens + Double(count))
    }

    /// Adapts the rate to the used part of the platform's limit (`X-mp-rate-limit-percentage-used`).
    ///
    /// From 90 % on it falls evenly, to a tenth at 100 %. Without a rate of our own it changes nothing.
    mutating func heed(percentageUsed: Double) {
        self.share = min(1, max(0.1, (100 - percentageUsed) / 10))
    }

    private var currentRate: Double? {
        self.rate.map { max(0.1, $0 * self.share) }
    }
}
