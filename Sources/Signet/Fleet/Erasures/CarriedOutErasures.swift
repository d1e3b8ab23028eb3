// SPDX-License-Identifier: Apache-2.0

import struct FoundationEssentials.UUID

/// The ids of the fleet's erasures that a directory has carried out, in the directory itself.
///
/// The store keeps acknowledgements by the id of the replica, which a copy of the directory has, too. A directory that was restored from a
/// backup finds here what it lacks.
protocol CarriedOutErasures: Sendable {
    /// The ids of all that were noted and not forgotten.
    ///
    /// - Returns: Them, and those whose record of work still stands.
    /// - Throws: `SignetError` from the disk.
    func all() async throws(SignetError) -> (noted: Set<UUID>, unfinished: Set<UUID>)

    /// True if an erasure was noted.
    func contains(_ erasure: UUID) -> Bool

    /// Notes an erasure whose rows are done, and whose bytes are off the disk.
    ///
    /// - Throws: `SignetError` from the disk.
    func note(_ erasure: UUID) throws(SignetError)

    /// Forgets erasures that the shared store has forgotten.
    ///
    /// - Throws: `SignetError` from the disk.
    func forget(_ erasures: Set<UUID>) throws(SignetError)
}
