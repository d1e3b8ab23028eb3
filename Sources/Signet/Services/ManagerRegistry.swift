// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

/// The managers in memory: one per installation, kept alive by handles and by work.
package final class ManagerRegistry<Manager: AnyObject & Sendable>: Sendable {
    private struct Entry {
        weak var manager: Manager?
    }

    private let entries = Locked<[InstallationID: Entry]>([:])

    package init() {}

    /// Finds the manager of an installation, or makes it; the lock is held meanwhile, so that there is one.
    package func manager(
        of id: InstallationID,
        make: () throws(SignetError) -> Manager
    ) throws(SignetError) -> Manager {
        try self.entries.withLock { entries throws(SignetError) in
            if let manager = entries[id]?.manager { return manager }
            let manager = try make()
            entries[id] = Entry(manager: manager)
            if entries.count > 1024, entries.count & 1023 == 0 { entries = entries.filter { $0.value.manager != nil } }
            return manager
        }
    }

    /// The manager of an installation, if it is in memory.
    package func find(_ id: InstallationID) -> Manager? {
        self.entries.withLock { $0[id]?.manager }
    }

    /// Removes a manager from memory.
    ///
    /// - Returns: The manager, to be retired.
    package func remove(_ id: InstallationID) -> Manager? {
        self.entries.withLock { $0.removeValue(forKey: id)?.manager }
    }

    /// Removes this manager from memory, unless another one has its place.
    ///
    /// - Returns: The manager; nil if it was not there.
    package func remove(_ manager: Manager, of id: InstallationID) -> Manager? {
        self.entries.withLock { entries in
            guard entries[id]?.manager === manager else { return nil }
            return entries.removeValue(forKey: id)?.manager
        }
    }

    /// All managers in memory, sorted by installation id.
    package var all: [Manager] {
        self.entries.withLock { entries in
            entries.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap(\.value.manager)
        }
    }
}
