//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// Counts the work of one evaluation in steps, and ends it at a limit.
///
/// A step is about as much as comparing two numbers, 10 to 20 ns; long text and regular expressions take more, by their length.
/// Counted is what criteria and records can multiply with each other, so that the count bounds the time of an evaluation.
final class WorkMeter {
    /// How many steps were taken.
    private(set) var spent = 0

    private let limit: Int
    /// Where the leaf under way must end.
    private var end = 0

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Begins with another leaf, or another record: alone it may take a tenth of all, so that one does not starve the others.
    func begin() {
        self.end = min(self.limit, self.spent + self.share)
    }

    /// Takes steps.
    ///
    /// - Throws: ``WorkLimitReached`` when there are no more.
    func spend(_ steps: Int = 1) throws(WorkLimitReached) {
        self.spent += steps
        if self.spent > self.end { throw WorkLimitReached() }
    }

    /// What one leaf may take on one record.
    var share: Int { max(1, self.limit / 10) }
    /// Whether nothing is left for other leaves either.
    var isSpent: Bool { self.spent >= self.limit }
}

/// An evaluation takes more work than it may.
struct WorkLimitReached: Error {}
