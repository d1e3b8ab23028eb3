// SPDX-License-Identifier: Apache-2.0

/// Counts of durations, log-linear: 32 buckets an octave, so that what it says is at most 3 % too much.
struct Histogram: Sendable {
    private static let bucketBits = 5
    private static let buckets = 1 << Self.bucketBits

    private var counts = [UInt64](repeating: 0, count: 48 << Self.bucketBits)
    private(set) var total: UInt64 = 0
    private(set) var maximum: UInt64 = 0

    /// Counts one duration.
    mutating func record(_ nanoseconds: UInt64) {
        self.counts[Self.bucket(of: nanoseconds)] += 1
        self.total += 1
        if nanoseconds > self.maximum { self.maximum = nanoseconds }
    }

    /// Takes in what another one has counted.
    mutating func merge(_ other: Histogram) {
        for (bucket, count) in other.counts.enumerated() where count > 0 { self.counts[bucket] += count }
        self.total += other.total
        self.maximum = max(self.maximum, other.maximum)
    }

    /// The duration that a share of all durations does not exceed: the upper end of its bucket.
    ///
    /// - Parameter share: From 0 to 1.
    /// - Returns: Nanoseconds; 0 when nothing was counted.
    func quantile(_ share: Double) -> UInt64 {
        let rank = max(1, UInt64((Double(self.total) * share).rounded(.up)))
        var seen: UInt64 = 0
        for (bucket, count) in self.counts.enumerated() {
            seen += count
            if seen >= rank { return min(Self.end(of: bucket), self.maximum) }
        }
        return self.maximum
    }

    private static func bucket(of value: UInt64) -> Int {
        // Below 32 a bucket is one nanosecond; above, the five bits behind the highest one say which.
        let shift = max(0, 63 - value.leadingZeroBitCount - Self.bucketBits)
        let rest = Int(truncatingIfNeeded: value >> UInt64(shift)) & (Self.buckets - 1)
        let bucket = (shift + 1) << Self.bucketBits | rest
        return value < UInt64(Self.buckets) ? Int(value) : min(bucket, (48 << Self.bucketBits) - 1)
    }

    private static func end(of bucket: Int) -> UInt64 {
        guard bucket >= Self.buckets else { return UInt64(bucket) }
        let shift = UInt64(bucket >> Self.bucketBits) - 1
        let first = UInt64(Self.buckets | bucket & (Self.buckets - 1)) << shift
        return first + (1 << shift) - 1
    }
}
