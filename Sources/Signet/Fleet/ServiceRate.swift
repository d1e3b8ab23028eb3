// SPDX-License-Identifier: Apache-2.0

/// The number of calls that a service answers a second, and from it the number that may be under way at once.
///
/// Calls for which the time of ``Bounds/target`` is not enough are refused when they come. The rate is measured in rounds of 100 ms. A
/// round says how much the service can do only if it had more to do: calls were refused, or took longer than the target. After any
/// other round the rate is at least what was answered, and it returns within some seconds to what it was at first, so that an idle
/// service is trusted again.
struct ServiceRate: Hashable {
    /// The numbers between which the places stay.
    struct Bounds: Hashable {
        /// The places of the slowest service.
        let fewest: Int
        /// The places of a service that was not measured yet.
        let first: Int
        /// The places of the fastest service.
        let most: Int
        /// The time that a call may take.
        let target: Duration

        /// The rate at which the first are answered in time, in calls a second.
        fileprivate var rate: Double { Double(self.first) / (self.target / .seconds(1)) }
    }

    /// Some calls that have ended.
    struct Ended: Hashable {
        /// Their number.
        let count: Int
        /// The calls among them that were answered.
        let answered: Int
        /// The sum of the times that all of them took.
        let time: Duration
        /// The calls that were under way before.
        let underWay: Int
    }

    private struct Round: Hashable {
        let begin: Duration
        /// The moments at which its first call ended, and its last.
        var first: Duration?
        var last: Duration?
        var count = 0
        var answered = 0
        var time = Duration.zero
        var underWay = 0
        var hasRefused = false
    }

    private static let round = Duration.milliseconds(100)
    /// The time in which the calls of one statement end.
    private static let statement = Duration.milliseconds(20)
    /// The weight of a round against those before, and of the first one against what was assumed.
    private static let weight = 0.3
    private static let firstWeight = 0.8
    /// The part of the way back to the first rate that one round goes.
    private static let recovery = 0.02

    private let bounds: Bounds
    /// Calls a second.
    private var rate: Double
    private var isMeasured = false
    private var round = Round(begin: .zero)

    init(_ bounds: Bounds) {
        self.bounds = bounds
        self.rate = bounds.rate
    }

    /// The number of calls that may be under way.
    var places: Int { self.places(within: self.bounds.target) }

    /// The number of calls under way of which the last is answered within a time.
    func places(within time: Duration) -> Int {
        let served = self.rate * (time / .seconds(1))
        return max(self.bounds.fewest, Int(min(served, Double(self.bounds.most))))
    }

    /// The time until calls are answered that are under way.
    func time(for calls: Int) -> Duration {
        .seconds(Double(calls) / max(self.rate, 1))
    }

    /// Ends the round if its time is over.
    mutating func advance(to now: Duration) {
        let elapsed = now - self.round.begin
        guard self.isOver(at: now) else { return }
        var idle = elapsed
        if self.isFull(self.round) {
            // There may have been no call for long since.
            let busy = min(elapsed, max(Self.round, (self.round.last ?? now) - self.round.begin))
            let weight = self.isMeasured ? Self.weight : Self.firstWeight
            self.rate += (Double(self.round.answered) / (busy / .seconds(1)) - self.rate) * weight
            self.isMeasured = true
            idle -= busy
        } else {
            self.rate = max(self.rate, Double(self.round.answered) / (elapsed / .seconds(1)))
        }
        let way = min(1, idle / Self.round * Self.recovery)
        self.rate += max(0, self.bounds.rate - self.rate) * way
        self.round = Round(begin: now)
    }

    /// True if the round can be measured.
    ///
    /// Calls end together, as one statement has answered them. A round waits for the first of them, unless the service is stuck, and
    /// for the others.
    private func isOver(at now: Duration) -> Bool {
        let elapsed = now - self.round.begin
        guard elapsed >= Self.round else { return false }
        guard self.isFull(self.round) else { return true }
        return self.round.first.map { now - $0 >= Self.statement } ?? (elapsed >= self.bounds.target)
    }

    /// True if the service had more to do than it can: not if few calls were under way, of which one may wait for something else.
    private func isFull(_ round: Round) -> Bool {
        guard !round.hasRefused else { return true }
        return round.underWay >= self.bounds.fewest && round.time > self.bounds.target * round.count
    }

    /// Notes that a call was refused because no place was free.
    mutating func refused() {
        self.round.hasRefused = true
    }

    /// Notes the end of calls.
    mutating func ended(_ calls: Ended, at now: Duration) {
        self.advance(to: now)
        self.round.first = self.round.first ?? now
        self.round.last = now
        self.round.count += calls.count
        self.round.answered += calls.answered
        self.round.time += calls.time
        self.round.underWay = max(self.round.underWay, calls.underWay)
    }
}
