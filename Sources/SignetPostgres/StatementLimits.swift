// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
/// The limits of one statement at the server, which ends it by them when its caller gives up.
///
/// They are set in the transaction of the statement, so that a pooler gives them to no other client.
struct StatementLimits: Hashable {
    /// The time for the statement, in milliseconds.
    let statement: Int64
    /// The time for each lock, in milliseconds; shorter, so that the server names the lock as the reason.
    let lock: Int64

    /// Makes the limits of a statement.
    ///
    /// - Parameters:
    ///   - left: The time until its callers give up.
    ///   - isJoined: True if it is that of several calls: there must be time for each alone, if the row of one is locked.
    ///   - tenths: The part of it for one lock.
    init(left: Duration, isJoined: Bool, lockTenths tenths: Int64 = 9) {
        // The server's setting has 32 bits.
        let (seconds, attoseconds) = min(left, .milliseconds(Int32.max)).components
        // A tenth is for the way back. Zero would be no limit.
        self.statement = max(1, (seconds * 1_000 + attoseconds / 1_000_000_000_000_000) / 10 * 9)
        self.lock = max(1, self.statement * (isJoined ? min(tenths, 3) : tenths) / 10)
    }

    private static let text = PostgresStatement.Often(
        """
        select set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true), pg_backend_pid()
        """
    )

    /// The statement that sets them; the last column of its answer is the process of the server.
    var setting: PostgresStatement {
        PostgresStatement(Self.text, .text("\(self.statement)"), .text("\(self.lock)"))
    }
}
#endif
