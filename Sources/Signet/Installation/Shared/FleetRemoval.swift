// SPDX-License-Identifier: Apache-2.0

/// Removes rows of a shared store that nobody has used for a time.
struct FleetRemoval: Sendable {
    let fleet: FleetMember

    /// Removes them.
    func removeIdle(days: Int) async throws(SignetError) -> Int {
        throw .notShared("removeInstallations(idleFor:)")
    }
}
