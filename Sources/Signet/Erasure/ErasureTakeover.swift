// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

/// Decides which replica finishes the rows of an erasure.
///
/// The one that has noted it, as long as it lives. After that the others, one after the other, so that not all of them do the same
/// work at once. It does no harm if two do.
struct ErasureTakeover: Sendable {
    /// The age of the last beat of the noting replica at which the first of the others takes over, in milliseconds.
    static let patience: Int64 = 60_000
    /// The time that each further one waits for those before it, in milliseconds.
    static let turn: Int64 = 30_000

    /// This replica.
    let replica: UUID
    /// The times at which the database's clock went ahead.
    var jumps = ClockJumps()

    /// True if this replica must finish the rows.
    ///
    /// - Parameters:
    ///   - erasure: The erasure, whose rows are not done.
    ///   - replicas: All replicas.
    ///   - now: The database's time of that answer, in milliseconds since 1970.
    /// - Returns: True if it must.
    func isDue(_ erasure: SharedErasure, among replicas: [SharedReplica], at now: Int64) -> Bool {
        guard erasure.replica != self.replica else { return true }
        let beat = replicas.first { $0.id == erasure.replica }?.beat.map { self.jumps.moved($0) }
        // One that has left in order, or is forgotten, counts as dead since the erasure.
        let dead = beat?.addingSaturated(Self.patience) ?? self.jumps.moved(erasure.milliseconds)
        let before = replicas.count { $0.id < self.replica && $0.id != erasure.replica && self.lives($0, at: now) }
        return now >= dead.addingSaturated(Int64(before) * Self.turn)
    }

    private func lives(_ replica: SharedReplica, at now: Int64) -> Bool {
        guard let beat = replica.beat else { return false }
        return self.jumps.moved(beat) > now.subtractingSaturated(SharedSessionRules.patience)
    }
}
