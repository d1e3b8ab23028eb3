// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// The drivers with unsent data that is not on disk, because it must not be there: they outlive the handles of their installations.
///
/// The runtime owns them, and a service knows them weakly: else the runtime would never leave memory.
final class UnwrittenDrivers: Sendable {
    private let drivers = Locked<[ObjectIdentifier: any LinkedManager]>([:])

    /// Keeps a driver in memory, or lets go of it.
    func keep(_ driver: any LinkedManager, _ isNeeded: Bool) {
        self.drivers.withLock { $0[ObjectIdentifier(driver)] = isNeeded ? driver : nil }
    }
}
