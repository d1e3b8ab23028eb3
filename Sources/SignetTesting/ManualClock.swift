// SPDX-License-Identifier: Apache-2.0

import SignetLock

public import struct FoundationEssentials.Date

/// A clock that stands still until you move it, with a wall clock that moves along.
///
/// Pass it to the code under test in place of a real clock, wait until the code sleeps, move the clock, and check
/// the effect:
///
/// ```swift
/// let clock = ManualClock()
/// async let result = codeUnderTest.run(clock)
/// await clock.nextSleep()
/// clock.advance(by: .seconds(60))
/// ```
///
/// Nothing here waits for real time. Due sleepers are woken in the order of their deadlines, those of one deadline in the
/// order in which their sleep began. They run later, on their own executors, and then read the time to which the clock
/// was moved, not their deadline. To stop at each deadline, move with ``advance(to:)-(ManualClock.Instant)`` and ``nextDeadline``.
public final class ManualClock: Clock, Sendable {
    /// One moment on this clock: the time since the clock was made.
    public struct Instant: InstantProtocol, Sendable, Hashable {
        /// The time since the clock was made.
        public let offset: Duration

        /// Makes a moment.
        ///
        /// - Parameter offset: The time since the clock was made.
        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// Adds a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: self.offset + duration)
        }

        /// The duration until another moment; negative when that one is earlier.
        public func duration(to other: Instant) -> Duration {
            other.offset - self.offset
        }

        /// Orders moments by time.
        public static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.offset < rhs.offset
        }
    }

    private typealias State = ManualClockState<CheckedContinuation<Void, any Error>, CheckedContinuation<Void, Never>>

    private let state: Locked<State>

    /// Makes a clock that stands still.
    ///
    /// - Parameter date: The first time of the wall clock, rounded down to whole milliseconds; by default
    ///   2023-11-14 22:13:20 UTC.
    public convenience init(startingAt date: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
        self.init(startingAtMilliseconds: ManualClock.milliseconds(of: date))
    }

    /// Makes a clock that stands still.
    ///
    /// - Parameter milliseconds: The first time of the wall clock, in milliseconds since 1970.
    public init(startingAtMilliseconds milliseconds: Int64) {
        self.state = Locked(State(startMilliseconds: milliseconds))
    }

    /// The current moment of the clock.
    public var now: Instant {
        self.state.withLock { $0.now }
    }

    /// Zero: the clock can stop at any moment.
    public var minimumResolution: Duration {
        .zero
    }

    /// The time of the wall clock, in whole milliseconds.
    public var date: Date {
        Date(timeIntervalSince1970: Double(self.milliseconds) / 1000)
    }

    /// The time of the wall clock, in milliseconds since 1970, rounded down.
    public var milliseconds: Int64 {
        self.state.withLock { $0.milliseconds }
    }

    /// The number of tasks that sleep on this clock.
    public var sleepers: Int {
        self.state.withLock { $0.sleepers }
    }

    /// The deadline of the next sleeper; nil when no task sleeps.
    public var nextDeadline: Instant? {
        self.state.withLock { $0.nextDeadline }
    }

    /// Grows with each sleep and each watch that begins.
    package var activity: Int {
        self.state.withLock { $0.activity }
    }

    /// Sleeps until the clock has been moved to a moment, or past it.
    ///
    /// Returns at once when the moment is not later than ``now``.
    ///
    /// - Parameters:
    ///   - deadline: The moment at which to wake.
    ///   - tolerance: Ignored by this clock.
    /// - Throws: `CancellationError` when the task is cancelled, also when it was cancelled before.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = self.state.withLock { $0.announceSleep() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Self.wake(self.state.withLock { $0.beginSleep(id, until: deadline, continuation) })
            }
        } onCancel: {
            Self.wake(self.state.withLock { $0.cancelSleep(id) })
        }
    }

    /// Waits for a sleeping task that no earlier call has reported.
    ///
    /// Each sleep is reported once, in the order in which sleeps began; a sleep that has already ended, by the clock or by
    /// cancellation, is no longer reported. Returns early when the calling task is cancelled.
    public func nextSleep() async {
        let id = self.state.withLock { $0.announceWatch() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.wake(self.state.withLock { $0.beginWatch(id, continuation) })
            }
        } onCancel: {
            Self.wake(self.state.withLock { $0.cancelWatch(id) })
        }
    }

    /// Moves the clock and the wall clock, and wakes the due sleepers.
    ///
    /// - Parameter duration: The distance; must not be negative, because this clock never goes back.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "A clock cannot go back. Use shiftWallClock(by:) to move only the wall clock.")
        Self.wake(self.state.withLock { $0.advance(by: duration) })
    }

    /// Moves the clock and the wall clock to a moment, and wakes the due sleepers.
    ///
    /// - Parameter instant: The moment; one that has passed leaves the clock where it is.
    public func advance(to instant: Instant) {
        Self.wake(self.state.withLock { $0.advance(by: max(.zero, $0.now.duration(to: instant))) })
    }

    /// Moves the clock and the wall clock until the wall clock shows a date, and wakes the due sleepers.
    ///
    /// - Parameter date: The date, rounded down to whole milliseconds; one that the wall clock has passed leaves the
    ///   clock where it is.
    public func advance(to date: Date) {
        self.advance(toMilliseconds: Self.milliseconds(of: date))
    }

    /// Moves the clock and the wall clock until the wall clock shows a time, and wakes the due sleepers.
    ///
    /// - Parameter milliseconds: The time in milliseconds since 1970; one that the wall clock has passed leaves the
    ///   clock where it is.
    public func advance(toMilliseconds milliseconds: Int64) {
        Self.wake(self.state.withLock { $0.advance(toMilliseconds: milliseconds) })
    }

    /// Sets the wall clock forward or back, as an administrator or a time server does.
    ///
    /// It affects no durations and wakes no sleeper.
    ///
    /// - Parameter duration: The distance; negative sets the wall clock back.
    public func shiftWallClock(by duration: Duration) {
        self.state.withLock { $0.shiftWallClock(by: duration) }
    }

    // Resumes after the lock is free, because a resumed task may take it.
    private static func wake(_ wakeUp: State.WakeUp) {
        for sleeper in wakeUp.due {
            sleeper.resume()
        }
        wakeUp.cancelled?.resume(throwing: CancellationError())
        wakeUp.watcher?.resume()
    }

    // Rounds to microseconds first: a `Date` counts from 2001 in binary fractions, so a whole number of milliseconds can
    // come back slightly smaller.
    private static func milliseconds(of date: Date) -> Int64 {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        return Int64((microseconds / 1000).rounded(.down))
    }
}
