// SPDX-License-Identifier: Apache-2.0

import SignetLock
import Synchronization

/// The clock of the store's database, as far as this process knows it; read by every event.
final class FleetClock: Sendable {
    private struct State {
        var clock = EngineClock()
        var offset = ClockOffset()
    }

    private let state = Locked(State())
    /// The difference of the database's clock to uptime, in milliseconds; the least number before the first answer.
    private let difference = Atomic<Int64>(.min)

    /// Takes in an answer; see ``EngineClock/note(_:sent:received:)``.
    func note(_ milliseconds: Int64, sent: Duration, received: Duration) {
        self.state.withLock { state in
            state.clock.note(milliseconds, sent: sent, received: received)
            self.difference.store(state.clock.milliseconds(at: .zero) ?? .min, ordering: .relaxed)
        }
    }

    /// The time of the database, in milliseconds since 1970; nil before the first answer.
    func milliseconds(at uptime: Duration) -> Int64? {
        let difference = self.difference.load(ordering: .relaxed)
        return difference == .min ? nil : difference + uptime.milliseconds
    }

    /// Compares a wall clock with the database's.
    ///
    /// - Returns: The report to make; nil for none.
    func compare(_ milliseconds: Int64, at uptime: Duration) -> ClockOffset.Report? {
        self.state.withLock { state in
            state.clock.offset(of: milliseconds, at: uptime).flatMap { state.offset.note($0) }
        }
    }

    /// The offset of a wall clock to the database's, in milliseconds; nil before the first answer.
    func offset(of milliseconds: Int64, at uptime: Duration) -> Int64? {
        self.state.withLock { $0.clock.offset(of: milliseconds, at: uptime)?.middle }
    }

    /// The times at which the database's clock went ahead.
    var jumps: ClockJumps {
        self.state.withLock { $0.clock.jumps }
    }
}
