// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
/// The texts of a PgBouncer about a statement that it has given to no server.
///
/// A PgBouncer ends a client's connection with one code, 08P01, whatever the reason: only the text tells a statement that waited for a
/// server from one that a server may have carried out. These are the texts of 1.8 to 1.25 for clients that wait, that log in, or that
/// have nothing under way. All others leave the statement in doubt: `server conn crashed?` is about one that a server has, and
/// `query_timeout` may be.
enum PoolerRefusal {
    /// True if a PgBouncer has given the statement to no server.
    ///
    /// - Parameter message: The text of the failure.
    /// - Returns: False if a server may have had it.
    static func isUnsent(_ message: String) -> Bool {
        Self.beginnings.contains { message.hasPrefix($0) }
    }

    private static let beginnings = [
        // No server connection is there, and the last attempt to make one has failed.
        "server login has been failing", "pgbouncer cannot connect to server", "server login failed",
        // The client has waited too long for a server connection, or can no longer get one.
        "query_wait_timeout", "server shutting down", "pooler is shutting down", "pause failed",
        // The client has nothing under way.
        "client_idle_timeout",
        // The client has not logged in yet.
        "no more connections allowed", "client connections exceeded",
        // Passed on from a server that refuses the log-in of the PgBouncer: up to 1.24 with the code of the PgBouncer.
        "the database system is ", "sorry, too many clients already", "too many connections for ",
        "remaining connection slots are reserved",
    ]
}
#endif
