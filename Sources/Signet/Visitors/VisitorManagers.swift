//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

/// The visitors that are in memory: one manager per installation, kept alive by handles and by work.
final class VisitorManagers: Sendable {
    private struct Entry {
        weak var manager: VisitorManager?
    }

    private let entries = Locked<[InstallationID: Entry]>([:])

    /// Finds the manager of an installation, or makes it; the lock is held meanwhile, so that there is one.
    func manager(
        of id: InstallationID,
        make: () throws(SignetError) -> VisitorManager
    ) throws(SignetError) -> VisitorManager {
        try self.entries.withLock { entries throws(SignetError) in
            if let manager = entries[id]?.manager { return manager }
            let manager = try make()
            entries[id] = Entry(manager: manager)
            if entries.count > 1024, entries.count & 1023 == 0 { entries = entries.filter { $0.value.manager != nil } }
            return manager
        }
    }

    /// The manager of an installation, if it is in memory.
    func find(_ id: InstallationID) -> VisitorManager? {
        self.entries.withLock { $0[id]?.manager }
    }

    /// Takes one out of memory as the death of the process does.
    func evict(_ id: InstallationID) {
        let manager = self.entries.withLock { $0.removeValue(forKey: id)?.manager }
        manager?.retire()
    }

    /// All that are in memory, by name.
    var all: [VisitorManager] {
        self.entries.withLock { $0.values.compactMap(\.manager) }
            .sorted { $0.installation.rawValue < $1.installation.rawValue }
    }
}
