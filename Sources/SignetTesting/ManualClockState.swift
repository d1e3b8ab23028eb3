//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What a ``ManualClock`` keeps under its lock: a pure machine, whose methods say whom to wake when the lock is free.
///
/// `Sleeper` and `Watcher` stand for the suspended tasks; the machine only hands them back.
package struct ManualClockState<Sleeper: Sendable, Watcher: Sendable>: Sendable {
    /// Whom to wake once the lock is free.
    package struct WakeUp: Sendable {
        /// Sleepers whose deadline has come, in the order in which they wake.
        package var due: [Sleeper] = []
        /// A sleeper that was cancelled.
        package var cancelled: Sleeper?
        /// A watcher that has its answer.
        package var watcher: Watcher?
    }

    private struct Sleep: Sendable {
        let deadline: ManualClock.Instant
        let sleeper: Sleeper
        var isReported: Bool
    }

    // A task on its way into its suspension: a cancellation may overtake it.
    private enum Arrival: Sendable {
        case coming
        case cancelled
    }

    /// Where the clock stands.
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

    /// What the wall clock shows, rounded down.
    package var milliseconds: Int64 {
        self.startMilliseconds + Self.wholeMilliseconds(self.now.offset + self.wallClockShift)
    }

    /// How many sleep.
    package var sleepers: Int {
        self.sleeps.count
    }

    /// When the next sleeper is due.
    package var nextDeadline: ManualClock.Instant? {
        self.sleeps.values.map(\.deadline).min()
    }

    // MARK: Sleeping

    /// Somebody is about to sleep.
    package mutating func announceSleep() -> Int {
        self.announce()
    }

    /// Somebody who was announced sleeps.
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

    /// Somebody was cancelled: before the sleep, during it or, too late, after it.
    package mutating func cancelSleep(_ id: Int) -> WakeUp {
        self.cancelArrival(id)
        return WakeUp(cancelled: self.sleeps.removeValue(forKey: id)?.sleeper)
    }

    // MARK: Watching others fall asleep

    /// Somebody is about to wait for the next sleep.
    package mutating func announceWatch() -> Int {
        self.announce()
    }

    /// Somebody who was announced waits for the next sleep.
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

    /// Somebody was cancelled: before the wait, during it or, too late, after it.
    package mutating func cancelWatch(_ id: Int) -> WakeUp {
        self.cancelArrival(id)
        return WakeUp(watcher: self.watchers.removeValue(forKey: id))
    }

    // MARK: Moving

    /// Moves the clock; wakes by deadline, those of one deadline by the beginning of their sleep.
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

    /// Moves the clock until the wall clock shows a time; does nothing when it shows a later one.
    package mutating func advance(toMilliseconds milliseconds: Int64) -> WakeUp {
        let target = Duration.milliseconds(milliseconds - self.startMilliseconds) - self.wallClockShift
        return self.advance(by: max(.zero, target - self.now.offset))
    }

    /// Moves the wall clock alone.
    package mutating func shiftWallClock(by duration: Duration) {
        self.wallClockShift += duration
    }

    // One sequence for sleeps and watches, so that lower ids came first.
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
