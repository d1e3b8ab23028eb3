// SPDX-License-Identifier: Apache-2.0

/// Counts the work of one evaluation in steps, and ends it at a limit.
///
/// A step is about as much as comparing two numbers, 10 to 20 ns; long text and regular expressions take more, by their
/// length. Steps count what criteria and records multiply with each other, so the count bounds the time of an
/// evaluation.
final class WorkMeter {
    private(set) var spent = 0

    private let limit: Int
    /// The count of steps at which the current leaf must end.
    private var end = 0

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Begins another leaf or record, which may take a tenth of the limit so that it does not starve the others.
    func begin() {
        self.end = min(self.limit, self.spent + self.share)
    }

    /// Counts steps.
    ///
    /// - Throws: ``WorkLimitReached`` beyond the limit.
    func spend(_ steps: Int = 1) throws(WorkLimitReached) {
        self.spent += steps
        if self.spent > self.end { throw WorkLimitReached() }
    }

    /// The maximum number of steps of one leaf on one record.
    var share: Int { max(1, self.limit / 10) }
    /// True if no work is left for other leaves either.
    var isSpent: Bool { self.spent >= self.limit }
}

/// An evaluation takes more work than its limit.
struct WorkLimitReached: Error {}
