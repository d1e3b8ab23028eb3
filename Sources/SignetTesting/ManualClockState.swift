// SPDX-License-Identifier: Apache-2.0

/// The locked state of a ``ManualClock``: a pure machine, whose methods return the tasks to wake when the lock is free.
///
/// `Sleeper` and `Watcher` are the suspended tasks; the machine only returns them.
package struct ManualClockState<Sleeper: Sendable, Watcher: Sendable>: Sendable {
    /// The tasks to wake once the lock is free.
    package struct WakeUp: Sendable {
        /// Due sleepers, in the order in which they wake.
        package var due: [Sleeper] = []
        /// A sleeper that was cancelled.
        package var cancelled: Sleeper?
        /// A watcher that has its result.
        package var watcher: Watcher?
    }

    private struct Sleep: Sendable {
        let deadline: ManualClock.Instant
        let sleeper: Sleeper
        var isReported: Bool
    }

    // A task that is about to suspend: a cancellation may overtake it.
    private enum Arrival: Sendable {
        case coming
        case cancelled
    }

    /// The current moment of the clock.
    package private(set) var now = ManualClock.Instant()
    private var sleeps: [Int: Sleep] = [:]
    private var watchers: [Int: Watcher] = [:]
    private var arrivals: [Int: Arrival] = [:]
    private var nextID = 0
    private let startMilliseconds: Int64
    private var wallClockShift = Duration.zero

    /// Makes the state of a clock whose wall clock shows a time in milliseconds since 1970.
    package init(startMilliseconds: Int64) {
        self.startMilliseconds = startMilliseconds
    }

    /// The time of the wall clock, in milliseconds since 1970, rounded down.
    package var milliseconds: Int64 {
        self.startMilliseconds + Self.wholeMilliseconds(self.now.offset + self.wallClockShift)
    }

    /// The number of sleeping tasks.
    package var sleepers: Int {
        self.sleeps.count
    }

    /// The deadline of the next sleeper; nil when no task sleeps.
    package var nextDeadline: ManualClock.Instant? {
        self.sleeps.values.map(\.deadline).min()
    }

    /// Grows with each sleep and each watch that is announced.
    package var activity: Int {
        self.nextID
    }

    // MARK: Sleeping

    /// Announces a sleep and returns its id.
    package mutating func announceSleep() -> Int {
        self.announce()
    }

    /// Begins an announced sleep.
    package mutating func beginSleep(_ id: Int, until deadline: ManualClock.Instant, _ sleeper: Sleeper) -> WakeUp {
        if self.arrivals.removeValue(forKey: id) == .cancelled {
            return WakeUp(cancelled: sleeper)
        }
        if deadline <= self.now {
            return WakeUp(due: [sleeper])
        }
        let watcher = self.watchers.keys.min().flatMap { self.watchers.removeValue(forKey: $0) }
        self.sleeps[id] = Sleep(deadline: deadline, sleeper: sleeper, isReported: watcher != nil)
        return WakeUp(watcher: watcher)
    }

    /// Cancels a sleep: before it, during it or, too late, after it.
    package mutating func cancelSleep(_ id: Int) -> WakeUp {
        self.cancelArrival(id)
        return WakeUp(cancelled: self.sleeps.removeValue(forKey: id)?.sleeper)
    }

    // MARK: Watching others fall asleep

    /// Announces a wait for the next sleep and returns its id.
    package mutating func announceWatch() -> Int {
        self.announce()
    }

    /// Begins an announced wait for the next sleep.
    package mutating func beginWatch(_ id: Int, _ watcher: Watcher) -> WakeUp {
        if self.arrivals.removeValue(forKey: id) == .cancelled {
            return WakeUp(watcher: watcher)
        }
        if let first = self.sleeps.filter({ !$0.value.isReported }).keys.min() {
            self.sleeps[first]?.isReported = true
            return WakeUp(watcher: watcher)
        }
        self.watchers[id] = watcher
        return WakeUp()
    }

    /// Cancels a wait: before it, during it or, too late, after it.
    package mutating func cancelWatch(_ id: Int) -> WakeUp {
        self.cancelArrival(id)
        return WakeUp(watcher: self.watchers.removeValue(forKey: id))
    }

    // MARK: Moving

    /// Moves the clock; wakes by deadline, sleepers of one deadline in the order in which their sleep began.
    package mutating func advance(by duration: Duration) -> WakeUp {
        self.now = self.now.advanced(by: duration)
        let due = self.sleeps
            .filter { $0.value.deadline <= self.now }
            .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        for (id, _) in due {
            self.sleeps[id] = nil
        }
        return WakeUp(due: due.map(\.value.sleeper))
    }

    /// Moves the clock until the wall clock shows a time; does nothing when it already shows a later one.
    package mutating func advance(toMilliseconds milliseconds: Int64) -> WakeUp {
        let target = Duration.milliseconds(milliseconds - self.startMilliseconds) - self.wallClockShift
        return self.advance(by: max(.zero, target - self.now.offset))
    }

    /// Moves the wall clock only.
    package mutating func shiftWallClock(by duration: Duration) {
        self.wallClockShift += duration
    }

    // One sequence for sleeps and watches, so that a lower id began earlier.
    private mutating func announce() -> Int {
        defer { self.nextID += 1 }
        self.arrivals[self.nextID] = .coming
        return self.nextID
    }

    private mutating func cancelArrival(_ id: Int) {
        if self.arrivals[id] != nil {
            self.arrivals[id] = .cancelled
        }
    }

    private static func wholeMilliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
        var milliseconds = seconds * 1000 + attoseconds / attosecondsPerMillisecond
        if attoseconds < 0, attoseconds % attosecondsPerMillisecond != 0 {
            milliseconds -= 1
        }
        return milliseconds
    }
}
