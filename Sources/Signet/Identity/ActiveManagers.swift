//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock

/// The identity managers that have callers to answer, so that the end of a runtime leaves nobody waiting: also those whose
/// installation is no longer in the registry.
final class ActiveManagers: Sendable {
    private let managers = Locked<[ObjectIdentifier: IdentityManager]>([:])

    /// A manager has a caller.
    func insert(_ manager: IdentityManager) {
        self.managers.withLock { $0[ObjectIdentifier(manager)] = manager }
    }

    /// A manager has answered everybody.
    func remove(_ manager: IdentityManager) {
        self.managers.withLock { $0[ObjectIdentifier(manager)] = nil }
    }

    /// Lets all go: nobody can answer any more.
    func removeAll() {
        let released = self.managers.withLock { managers in
            defer { managers = [:] }
            return managers
        }
        withExtendedLifetime(released) {}
    }

    /// All of them.
    var all: [IdentityManager] {
        self.managers.withLock { Array($0.values) }
    }
}
