// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetTransport

/// The end of a row's session, by the database's clock and what all replicas have told.
struct SharedSessionRules: Sendable {
    /// The decision about a row whose moment to look has come.
    enum Decision: Sendable, Hashable {
        /// The session is over since its last event and the timeout; end it if no replica flushes meanwhile.
        case end(last: Int64)
        /// Look again at this moment, in milliseconds since 1970.
        case look(at: Int64)
        /// There is nothing to look at.
        case nothing
    }

    /// A replica without a flush for so long is dead: what it had not flushed is lost.
    static let patience: Int64 = 15_000
    /// The time between two flushes of a replica.
    static let flushInterval: Int64 = 1000

    /// The time by which a beat may claim more than was told, in milliseconds.
    ///
    /// A beat is the database's time minus the age of the flush's cut, so it counts the way to the database as well. A call that takes
    /// longer than its limit of 1 s is given up, so a beat is ahead by less than 1 s; the other second is for a process that was without
    /// a processor. A margin costs only a later end. The cut on the database's clock instead would change each store, and would
    /// be wrong when that clock is set.
    static let transit: Int64 = 2000

    /// The timeout of a session, in milliseconds.
    let timeout: Int64
    /// The times at which the database's clock went ahead.
    var jumps = ClockJumps()

    /// The moment up to which all activity is in the rows: of each replica that lives, the last flush, less the margin.
    ///
    /// - Parameters:
    ///   - now: The database's time, in milliseconds since 1970.
    ///   - replicas: All replicas, from an answer that is not older than `now`.
    ///   - key: The row.
    /// - Returns: The moment, in milliseconds since 1970, at most `now`.
    func told(at now: Int64, _ replicas: [SharedReplica], of key: UUID) -> Int64 {
        replicas.reduce(now) { told, replica in
            guard let beat = replica.beat.map({ self.jumps.moved($0) }), beat > now.subtractingSaturated(Self.patience)
            else { return told }
            // It has told all but this.
            guard !replica.skipped.contains(key) else { return min(told, 0) }
            // A flush of the very moment may have been sent before an event of that moment.
            return min(told, beat.subtractingSaturated(Self.transit + 1))
        }
    }

    /// The moment at which a session is over, on the clock of now.
    ///
    /// - Returns: The moment, in milliseconds since 1970; the greatest number for never.
    func deadline(of session: SharedInstallation.OpenSession) -> Int64 {
        self.jumps.moved(session.last).addingSaturated(self.timeout)
    }

    /// Decides about a row.
    ///
    /// - Parameters:
    ///   - row: The row, with the activity that was flushed.
    ///   - now: The database's time of the same answer or a later one.
    ///   - told: The moment up to which all activity is in the rows; see ``told(at:_:)``.
    /// - Returns: The decision.
    func decision(for row: SharedInstallation, at now: Int64, told: Int64) -> Decision {
        guard let session = row.session else { return .nothing }
        let deadline = self.deadline(of: session)
        guard deadline < .max, deadline <= now else { return .look(at: deadline) }
        // A replica that lives may have events that it will flush within a second, of before the deadline.
        return told < deadline ? .look(at: now.addingSaturated(Self.flushInterval)) : .end(last: session.last)
    }
}

/// Ids that each replica derives alike, without asking another one.
enum SharedIDs {
    /// The key of an installation's row: the first 16 bytes of SHA-256 of its id.
    static func key(of id: [UInt8]) -> UUID {
        Self.uuid(SHA256.hash(id))
    }

    /// The session that follows one that is over; the same on each replica.
    static func session(after session: UUID, of key: UUID) -> UUID {
        Self.uuid(SHA256.hash(key.bytes + session.bytes + Array("next".utf8)))
    }

    /// The id of the event that ends a session; the same on each replica.
    static func endEvent(of session: UUID, of key: UUID) -> UUID {
        Self.uuid(SHA256.hash(key.bytes + session.bytes + Array("end".utf8)))
    }

    private static func uuid(_ hash: [UInt8]) -> UUID {
        hash.withUnsafeBytes { bytes in UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)) }
    }
}
