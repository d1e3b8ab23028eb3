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

    /// The timeout of a session, in milliseconds.
    let timeout: Int64

    /// Decides about a row.
    ///
    /// - Parameters:
    ///   - row: The row, with the activity that was flushed.
    ///   - now: The database's time of the same answer or a later one.
    ///   - replicas: All replicas, from an answer that is not older than `now`.
    /// - Returns: The decision.
    func decision(for row: SharedInstallation, at now: Int64, _ replicas: [SharedReplica]) -> Decision {
        guard let session = row.session else { return .nothing }
        let (deadline, overflow) = session.last.addingReportingOverflow(self.timeout)
        guard !overflow, deadline <= now else { return .look(at: overflow ? .max : deadline) }
        // A replica that lives may have events that it will flush within a second, of before the deadline.
        let isAwaited = replicas.contains { replica in
            guard let beat = replica.beat else { return false }
            return beat > now - Self.patience && beat <= deadline
        }
        return isAwaited ? .look(at: now + Self.flushInterval) : .end(last: session.last)
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
