// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
// A clock that a test sets, as an administrator or a failover does.
extension PostgresServer {
    /// Lets ``setClock(of:ahead:)`` set the clock that the store's statements read in a database.
    ///
    /// They name `clock_timestamp()` without its schema. Sessions that begin after this find one that adds what a table says.
    ///
    /// - Throws: ``NotThere``.
    package func makeClock(of database: String) async throws {
        try await self.sql(
            """
            create schema clock;
            create table clock.ahead (seconds bigint not null);
            insert into clock.ahead values (0);
            create function clock.clock_timestamp() returns timestamptz language sql volatile
                as 'select pg_catalog.clock_timestamp() + seconds * interval ''1 second'' from clock.ahead';
            alter database \(database) set search_path = clock, pg_catalog, public
            """,
            in: database
        )
    }

    /// Sets the clock of a database, for the next statement of each session.
    ///
    /// - Parameters:
    ///   - database: A database with a clock; see ``makeClock(of:)``.
    ///   - seconds: The difference to the real time; negative if it is behind.
    /// - Throws: ``NotThere``.
    package func setClock(of database: String, ahead seconds: Int) async throws {
        try await self.sql("update clock.ahead set seconds = \(seconds)", in: database)
    }
}
#endif
