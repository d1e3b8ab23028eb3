// SPDX-License-Identifier: Apache-2.0

/// The store that the replicas of a server share.
package struct FleetConfiguration: Sendable {
    /// What `open` does while the store is not reached.
    package enum Unreachable: Sendable, Hashable {
        /// It throws `storeUnreachable`.
        case fail
        /// It returns a handle that logs without a user, until ``Installation/refresh()`` or the next open reads the installation.
        case logOnly
    }

    /// The store.
    package var store: any SharedStore
    /// What `open` does while the store is not reached.
    package var whenUnreachable: Unreachable

    /// Makes a configuration.
    package init(store: any SharedStore, whenUnreachable: Unreachable = .fail) {
        (self.store, self.whenUnreachable) = (store, whenUnreachable)
    }
}
