// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetLock
public import SignetModel

/// A database in memory, for the ``MemorySharedStore`` of each replica: the tables, their clock, and their bad days.
///
/// Calls happen one after another. Nothing waits for real time: the clock is the test's. An engine without a clock of its
/// own takes that of the last ``EmulatedSignet`` that was made with its store.
public final class MemorySharedEngine: Sendable {
    /// A change that was made, with the tables before it.
    private struct Change {
        var before: MemoryDatabase
        var access: Access
    }

    private struct State {
        var database = MemoryDatabase()
        var changes: [Change] = []
        var shift: Int64 = 0
        /// The clock of the last runtime, for an engine without a time of its own.
        var clock: ManualClock?
    }

    /// What a call does to the tables.
    enum Access: Sendable {
        case reads
        /// Written to disk when the call returns.
        case writes
        /// Written to disk a moment later, or by the next change that is durable.
        case writesLater
    }

    private static let begin: Int64 = 1_700_000_000_000

    private let time: (@Sendable () -> Int64)?
    private let remembered: Int
    private let state = Locked(State())

    /// Makes an empty database.
    ///
    /// - Parameters:
    ///   - remembered: The number of changes that ``failOver(losing:)`` and ``crash()`` can take back. Each change costs a
    ///     copy of the tables if it is not zero.
    ///   - time: The time in milliseconds since 1970. Nil, the default, for the clock of the last ``EmulatedSignet`` with
    ///     a store of this database; before the first one it stands still at 2023-11-14 22:13:20 UTC.
    public init(remembering remembered: Int = 0, time: (@Sendable () -> Int64)? = nil) {
        self.remembered = remembered
        self.time = time
    }

    /// Makes an empty database that follows a clock.
    ///
    /// - Parameters:
    ///   - clock: The clock, such as that of all replicas.
    ///   - remembered: As for ``init(remembering:time:)``.
    public convenience init(following clock: ManualClock, remembering remembered: Int = 0) {
        self.init(remembering: remembered, time: { clock.milliseconds })
    }

    /// Follows the clock of a runtime, unless it was made with a time of its own.
    func follow(_ clock: ManualClock) {
        self.state.withLock { $0.clock = clock }
    }

    /// The time without the shift.
    private var unshifted: Int64 {
        self.time?() ?? self.state.withLock { $0.clock }?.milliseconds ?? Self.begin
    }

    /// The tables as they are now.
    package var database: MemoryDatabase {
        self.state.withLock { $0.database }
    }

    /// The time of the clock, in milliseconds since 1970.
    public var milliseconds: Int64 {
        let time = self.unshifted
        return self.state.withLock { time + $0.shift }
    }

    /// Moves the clock; back as well, as a database does that was replaced by one on another machine.
    public func moveClock(by span: Duration) {
        self.state.withLock { $0.shift += span.milliseconds }
    }

    /// Raises the format in which replicas write, as `signet store upgrade --finish` does.
    public func upgrade(to format: Int) {
        self.state.withLock { $0.database.format = format }
    }

    /// Locks rows as another transaction does that stays open, such as that of a person at `psql`.
    ///
    /// Changes of them throw `locked`, flushes skip them, readings see them.
    ///
    /// - Parameter ids: The installations; those that were locked before are free.
    public func lock(_ ids: Set<InstallationID>) {
        self.state.withLock { state in
            let rows = state.database.rows.values.map(\.installation).filter { ids.contains($0.id) }
            state.database.locked = Set(rows.map(\.key))
        }
    }

    /// Replaces the database by a standby that has not got the last changes: commits, flushes, all.
    ///
    /// - Returns: The number of changes that are gone; fewer than asked for if fewer were remembered.
    @discardableResult
    public func failOver(losing count: Int) -> Int {
        self.state.withLock { Self.takeBack(count, of: &$0) }
    }

    /// Crashes and starts again: the flushes after the last durable change are gone.
    ///
    /// - Returns: The number of flushes that are gone.
    @discardableResult
    public func crash() -> Int {
        self.state.withLock { state in
            let lost = state.changes.reversed().prefix { $0.access != .writes }.count
            return Self.takeBack(lost, of: &state)
        }
    }

    private static func takeBack(_ count: Int, of state: inout State) -> Int {
        let lost = state.changes.suffix(count)
        if let first = lost.first { state.database = first.before }
        state.changes.removeLast(lost.count)
        return lost.count
    }

    /// Carries out a call as one transaction.
    func perform<Value: Sendable>(
        _ access: Access,
        _ body: (inout MemoryDatabase, Int64) throws(SharedStoreError) -> Value
    ) throws(SharedStoreError) -> SharedAnswer<Value> {
        let time = self.unshifted
        return try self.state.withLock { state throws(SharedStoreError) in
            let now = time + state.shift
            if access != .reads, self.remembered > 0 {
                if state.changes.count == self.remembered { state.changes.removeFirst() }
                state.changes.append(Change(before: state.database, access: access))
            }
            return SharedAnswer(try body(&state.database, now), at: now)
        }
    }
}
