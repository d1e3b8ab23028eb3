//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Keeps to a number of batches a second: a bucket that holds one second's worth.
struct RateLimiter: Sendable {
    /// Batches a second; nil for as many as there are.
    private let rate: Double?
    /// What part of the rate the platform leaves us.
    private var share = 1.0
    private var tokens: Double
    private var refilledAt: Duration

    init(rate: Double?, now: Duration) {
        self.rate = rate
        self.tokens = max(1, rate ?? 1)
        self.refilledAt = now
    }

    /// How many batches may go now.
    mutating func available(now: Duration) -> Int {
        guard let rate = self.currentRate else { return .max }
        let passed = (now - self.refilledAt) / .seconds(1)
        self.refilledAt = max(now, self.refilledAt)
        self.tokens = min(max(1, rate), self.tokens + max(0, passed) * rate)
        // What is a billionth short of one is one: seconds are added up in binary.
        return Int(self.tokens + 1e-9)
    }

    /// When the next batch may go.
    func next(now: Duration) -> Duration {
        guard let rate = self.currentRate else { return now }
        return now + .seconds(max(0, 1 - self.tokens) / rate)
    }

    /// Batches go out.
    mutating func take(_ count: Int) {
        guard self.rate != nil else { return }
        self.tokens = max(0, self.tokens - Double(count))
    }

    /// The platform tells how much of its own limit is used (`X-mp-rate-limit-percentage-used`).
    ///
    /// From 90 % on we slow down, evenly, to a tenth at 100 %. Without a rate of our own there is nothing to slow down.
    mutating func heed(percentageUsed: Double) {
        self.share = min(1, max(0.1, (100 - percentageUsed) / 10))
    }

    private var currentRate: Double? {
        self.rate.map { max(0.1, $0 * self.share) }
    }
}
