// SPDX-License-Identifier: Apache-2.0

import SignetLock
import Synchronization

/// The clock of the store's database, as far as this process knows it; read by every event.
final class FleetClock: Sendable {
    private let clock = Locked(EngineClock())
    /// The difference of the database's clock to uptime, in milliseconds; the least number before the first answer.
    private let difference = Atomic<Int64>(.min)

    /// Takes in an answer; see ``EngineClock/note(_:sent:received:)``.
    func note(_ milliseconds: Int64, sent: Duration, received: Duration) {
        self.clock.withLock { clock in
            clock.note(milliseconds, sent: sent, received: received)
            self.difference.store(clock.milliseconds(at: .zero) ?? .min, ordering: .relaxed)
        }
    }

    /// The time of the database, in milliseconds since 1970; nil before the first answer.
    func milliseconds(at uptime: Duration) -> Int64? {
        let difference = self.difference.load(ordering: .relaxed)
        return difference == .min ? nil : difference + uptime.milliseconds
    }

    /// The difference of a wall clock to the database's, in milliseconds, if it is worth a report.
    func skew(of milliseconds: Int64, at uptime: Duration) -> Int64? {
        self.clock.withLock { $0.skew(of: milliseconds, at: uptime) }
    }
}
