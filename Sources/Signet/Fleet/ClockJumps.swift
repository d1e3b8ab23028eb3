// SPDX-License-Identifier: Apache-2.0

/// The times at which the database's clock went ahead, as this process has seen them by its monotonic clock.
///
/// Rows and beats keep moments of the clock of their time. After a jump of an hour each of them would look an hour old, so that every
/// idle session would end and every replica seem dead. A process that saw the jump counts it: it moves those moments along.
/// A process that has begun after a jump has not seen it.
struct ClockJumps: Sendable, Hashable {
    private struct Jump: Sendable, Hashable {
        /// The greatest moment of the clock before, in milliseconds since 1970.
        let end: Int64
        /// The span by which the clock went ahead, in milliseconds.
        let shift: Int64
    }

    /// The number of jumps that are remembered; a clock that jumps more often measures nothing.
    private static let limit = 8

    /// Oldest first.
    private var jumps: [Jump] = []

    /// Notes that the clock went ahead.
    ///
    /// - Parameters:
    ///   - shift: The span, in milliseconds.
    ///   - end: The greatest moment that the clock can have shown before, in milliseconds since 1970.
    mutating func goAhead(by shift: Int64, after end: Int64) {
        self.jumps.append(Jump(end: end, shift: shift))
        if self.jumps.count > Self.limit { self.jumps.removeFirst() }
    }

    /// Notes that the clock went back: the moments of before are not too old then.
    mutating func goBack() {
        self.jumps = []
    }

    /// Returns the moment on the clock of now at which something happened.
    ///
    /// - Parameter milliseconds: The moment that was noted then, in milliseconds since 1970.
    /// - Returns: The moment, in milliseconds since 1970.
    func moved(_ milliseconds: Int64) -> Int64 {
        var moment = milliseconds
        for jump in self.jumps where moment <= jump.end {
            let (sum, overflow) = moment.addingReportingOverflow(jump.shift)
            if !overflow { moment = sum }
        }
        return moment
    }
}
