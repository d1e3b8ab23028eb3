// SPDX-License-Identifier: Apache-2.0

/// A bucket that fills at a rate, and from which each new visitor takes a token.
struct TokenBucket {
    private let rate: Double
    private let capacity: Double
    private var tokens: Double
    private var filledAt: Duration

    /// Makes a full bucket.
    init(perSecond rate: Double, capacity: Int, at now: Duration) {
        self.rate = rate
        self.capacity = Double(capacity)
        self.tokens = self.capacity
        self.filledAt = now
    }

    /// Takes a token if there is one.
    mutating func take(at now: Duration) -> Bool {
        self.fill(to: now)
        guard self.tokens >= 1 else { return false }
        self.tokens -= 1
        return true
    }

    /// True if the bucket is as one that was just made.
    mutating func isFull(at now: Duration) -> Bool {
        self.fill(to: now)
        return self.tokens >= self.capacity
    }

    private mutating func fill(to now: Duration) {
        guard now > self.filledAt else { return }
        self.tokens = min(self.capacity, self.tokens + (now - self.filledAt) / .seconds(1) * self.rate)
        self.filledAt = now
    }
}
