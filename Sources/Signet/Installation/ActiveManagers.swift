// SPDX-License-Identifier: Apache-2.0

import SignetLock

/// The identity managers with waiting callers, so that the end of a runtime answers all of them.
///
/// It includes managers whose installation is no longer in the registry.
final class ActiveManagers: Sendable {
    private struct State {
        var managers: [ObjectIdentifier: (manager: IdentityManager, order: Int)] = [:]
        var nextOrder = 0
    }

    private let state = Locked(State())

    /// Adds a manager that has a caller.
    func insert(_ manager: IdentityManager) {
        self.state.withLock { state in
            state.managers[ObjectIdentifier(manager)] = (manager, state.nextOrder)
            state.nextOrder += 1
        }
    }

    /// Removes a manager that has answered all its callers.
    func remove(_ manager: IdentityManager) {
        self.state.withLock { $0.managers[ObjectIdentifier(manager)] = nil }
    }

    /// Releases all managers when none can answer any more.
    func removeAll() {
        let released = self.state.withLock { state in
            defer { state.managers = [:] }
            return state.managers
        }
        withExtendedLifetime(released) {}
    }

    /// All managers, in the order in which they got a caller.
    var all: [IdentityManager] {
        self.state.withLock { state in
            state.managers.values.sorted { $0.order < $1.order }.map(\.manager)
        }
    }
}
