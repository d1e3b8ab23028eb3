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
    /// What `open` does while the store is away, or refuses.
    ///
    /// A store that does not answer, has too much to do, or refuses for a time: without rights, without room, read-only, without its
    /// tables. A store of another workspace or another format fails the open in either case.
    public enum Unreachable: Sendable, Hashable {
        /// It throws `storeUnreachable`, `storeBusy`, `outcomeUnknown` or `storeFailed`.
        case fail
        /// It returns a handle.
        ///
        /// If the installation was not read, or has no row yet, the handle logs without a user until ``Installation/refresh()`` or the next
        /// open reads it. If only the open's own change was not made, such as the begin of a session, the handle shows what was read, and
        /// a later call makes the change.
        case logOnly
    }

    /// The store.
    public var store: any SharedStore
    /// What `open` does while the store is not reached.
    public var whenUnreachable: Unreachable
    /// The age of a handle's last reading from which its events belong to the user whom the row has at their moment.
    ///
    /// A duration, at least 3 s; nil, the default, for none. An event carries the user and the session that the process last read. A
    /// handle that logs is read again about once a second, so its readings age only while the store is away. One that logs seldom, such
    /// as for a WebSocket, may log its first event after minutes for a user who has logged out on another replica. With a limit, such
    /// an event belongs to no session, and the row says whose it is: its last 16 users are known, and beyond them the event is dropped
    /// and counted (``DropCause/unknownUser``). The handle is read again within about a second.
    ///
    /// Servers that open a handle per request need none. The handle's facts, such as ``Installation/currentUser``, stay those of its
    /// last reading, and so does ``Installation/isOptedOut``: while it says so, events are refused.
    public var maximumStaleness: Duration?

    /// Makes a configuration.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - whenUnreachable: The behaviour of `open` while the store is not reached.
    ///   - maximumStaleness: The age of a reading that is too old for the user of an event; nil for none.
    public init(
        store: any SharedStore,
        whenUnreachable: Unreachable = .fail,
        maximumStaleness: Duration? = nil
    ) {
        (self.store, self.whenUnreachable) = (store, whenUnreachable)
        self.maximumStaleness = maximumStaleness
    }
}
