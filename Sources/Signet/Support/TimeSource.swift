// SPDX-License-Identifier: Apache-2.0

/// All clocks that the runtime reads, in one value, so that tests can control them.
///
/// Durations and waits use a clock that never jumps; timestamps use the wall clock, which may jump.
package struct TimeSource: Sendable {
    private let sleeper: @Sendable (Duration) async throws -> Void
    private let sleeperUntil: @Sendable (Duration) async throws -> Void
    private let elapsed: @Sendable () -> Duration
    private let wallClock: @Sendable () -> Int64
    private let machineClock: @Sendable () -> Int64

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - clock: The clock for waits and durations.
    ///   - milliseconds: The wall clock, in milliseconds since 1970.
    package init<C: Clock>(clock: C, milliseconds: @escaping @Sendable () -> Int64) where C.Duration == Duration {
        let start = clock.now
        self.init(clock: clock, since: start, elapsed: { start.duration(to: clock.now) }, milliseconds: milliseconds)
    }

    /// Makes a source whose uptime is read in another way than from the clock, of which it is the time.
    ///
    /// - Parameters:
    ///   - clock: The clock for waits.
    ///   - start: The moment of uptime zero; nil for now.
    ///   - elapsed: The time of that clock since then.
    ///   - milliseconds: The wall clock, in milliseconds since 1970.
    init<C: Clock>(
        clock: C,
        since start: C.Instant? = nil,
        elapsed: @escaping @Sendable () -> Duration,
        milliseconds: @escaping @Sendable () -> Int64
    ) where C.Duration == Duration {
        let start = start ?? clock.now
        self.sleeper = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
        self.sleeperUntil = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
        self.elapsed = elapsed
        self.wallClock = milliseconds
        self.machineClock = milliseconds
    }

    private init(_ other: TimeSource, wallClock: @escaping @Sendable () -> Int64) {
        (self.sleeper, self.sleeperUntil, self.elapsed) = (other.sleeper, other.sleeperUntil, other.elapsed)
        (self.wallClock, self.machineClock) = (wallClock, other.machineClock)
    }

    /// The same clocks with another wall clock.
    ///
    /// - Parameter milliseconds: The wall clock at an uptime, in milliseconds since 1970; nil for the one of this source.
    /// - Returns: The clocks.
    func corrected(_ milliseconds: @escaping @Sendable (Duration) -> Int64?) -> TimeSource {
        let (elapsed, wallClock) = (self.elapsed, self.wallClock)
        return TimeSource(self) { milliseconds(elapsed()) ?? wallClock() }
    }

    /// A hundred years, practically for ever: clocks trap on moments that they cannot represent.
    private static let longestSleep = Duration.seconds(100 * 365 * 86_400)

    /// The time since this source was made; never goes back.
    package var uptime: Duration {
        self.elapsed()
    }

    /// The uptime at which a duration from now on is over; that of a duration beyond a hundred years is a hundred years away.
    func uptime(after duration: Duration) -> Duration {
        self.uptime + min(duration, Self.longestSleep)
    }

    /// The wall clock, in milliseconds since 1970; may jump either way.
    package var milliseconds: Int64 {
        self.wallClock()
    }

    /// The wall clock of the machine, in milliseconds since 1970, where another one has replaced it; see ``corrected(_:)``.
    var machineMilliseconds: Int64 {
        self.machineClock()
    }

    /// Waits for a duration.
    ///
    /// - Parameter duration: The duration; zero or less returns at once.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return try Task.checkCancellation() }
        try await self.sleeper(min(duration, Self.longestSleep))
    }

    /// Waits until a moment; a delay before the sleep does not postpone it.
    ///
    /// - Parameter uptime: The moment as uptime; a past moment returns at once.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func sleep(until uptime: Duration) async throws {
        guard uptime > self.uptime else { return try Task.checkCancellation() }
        try await self.sleeperUntil(min(uptime, self.uptime + Self.longestSleep))
    }
}
