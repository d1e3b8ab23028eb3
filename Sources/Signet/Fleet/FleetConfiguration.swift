// SPDX-License-Identifier: Apache-2.0

/// The store that the replicas of a server share.
///
/// With it, a visitor is the same installation on each replica: with one user, one session and one consent.
///
/// ```
/// let store = try PostgresStore("postgres://db/shop")  // of SignetPostgres
/// configuration.fleet = FleetConfiguration(store: store, whenUnreachable: .logOnly)
/// ```
///
/// One runtime uses a store; it closes the store at its shutdown. Iterable, Infobip and the application mode of sessions do not
/// work with a store yet: `invalidConfiguration`.
public struct FleetConfiguration: Sendable {
    /// What `open` does while the store is not reached.
    public enum Unreachable: Sendable, Hashable {
        /// It throws `storeUnreachable`.
        case fail
        /// It returns a handle that logs without a user, until ``Installation/refresh()`` or the next open reads the installation.
        case logOnly
    }

    /// The store.
    public var store: any SharedStore
    /// What `open` does while the store is not reached.
    public var whenUnreachable: Unreachable

    /// Makes a configuration.
    public init(store: any SharedStore, whenUnreachable: Unreachable = .fail) {
        (self.store, self.whenUnreachable) = (store, whenUnreachable)
    }
}
