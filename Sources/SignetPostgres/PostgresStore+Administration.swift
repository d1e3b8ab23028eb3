// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
public import Signet

extension PostgresStore {
    /// The findings of `signet store check`.
    public struct Report: Sendable, Hashable {
        /// The server's version.
        public var version: String
        /// True if this connection is encrypted, to the server or to a pooler before it.
        public var isEncrypted: Bool
        /// True if the server itself has an encrypted connection: from here, or from the pooler.
        public var isServerEncrypted: Bool
        /// True if a pooler, such as PgBouncer, answers in place of the server.
        public var hasPooler: Bool
        /// The durability of commits.
        public var durability: Durability
        /// The settings that harm a fleet, for this user and database.
        public var hints: [Hint]
        /// The tables that are missing, and the rights that the user lacks, as `update on signet.live`.
        public var missing: [String]
        /// True if the user can use no table at all.
        public var hasNothing: Bool {
            self.missing.count == PostgresSchema.tables.count * PostgresSchema.rights.count
        }
        /// The encoding of the database; only UTF8 works.
        public var encoding: String
        /// The faults for which a runtime cannot use the database, or not all of it; empty if there are none.
        public var problems: [Problem]
        /// The format of the rows; nil without tables.
        public var format: Int?
        /// True if a workspace is bound to the database.
        public var isBound: Bool
    }

    /// A fault of the database or its tables, with the statement or command that mends it.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// The part, such as "the column look of signet.live".
        public var subject: String
        /// The fault, such as "is missing".
        public var fault: String
        /// The statement or command, in backticks.
        public var remedy: String

        init(_ subject: String, _ fault: String, _ remedy: String) {
            (self.subject, self.fault, self.remedy) = (subject, fault, remedy)
        }

        /// The fault and the remedy in one sentence, without a full stop.
        public var description: String {
            "\(self.subject) \(self.fault): \(self.remedy)"
        }
    }

    /// The place where a commit is when it is answered.
    public enum Durability: Sendable, Hashable {
        /// On the disks of the server and of these standbys.
        case onStandbys(String)
        /// On the server's disk, and in the memory of these standbys: lost if all of them crash at once.
        case receivedByStandbys(String)
        /// On the server's disk alone: a failover may lose the last commits.
        case onServer
        /// In the server's memory: a crash loses the last commits.
        case nowhere
    }

    /// A setting that harms a fleet.
    public struct Hint: Sendable, Hashable {
        /// The name of the setting.
        public var setting: String
        /// Its value.
        public var value: String
        /// The change to make, and its reason.
        public var advice: String
    }

    /// Makes the tables, columns and indexes that are missing; may run twice at once.
    ///
    /// - Throws: ``SharedStoreError``: `notPermitted` for a user who may not; `failed` for a database with another encoding than UTF8, and
    ///   for a table with rows that lacks a column of unknown values.
    public func setup() async throws(SharedStoreError) {
        try await self.checkSetup()
        let script = PostgresStatement(script: PostgresSchema.setup)
        _ = try await self.answer(script, until: self.deadline + .seconds(30))
    }

    /// Checks that the user may make tables, and that they would work.
    private func checkSetup() async throws(SharedStoreError) {
        let statement = PostgresStatement(
            """
            select quote_ident(current_user), quote_ident(current_database()), current_setting('server_encoding'),
                has_database_privilege(current_database(), 'create'),
                (select quote_ident(pg_get_userbyid(nspowner)) from pg_namespace where nspname = 'signet'),
                coalesce((select has_schema_privilege(oid, 'create') from pg_namespace where nspname = 'signet'), true)
                    and coalesce((select bool_and(pg_has_role(c.relowner, 'usage')) from pg_class c
                        join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'signet' where c.relkind in ('r', 'p')), true)
            """
        )
        guard let row = try await self.answer(statement, until: self.deadline + .seconds(4)).rows.first else {
            throw SharedStoreError(.failed, "the database has answered without a row")
        }
        let (user, database) = (row.text(0), row.text(1))
        if let problem = SchemaReview.problem(ofEncoding: row.text(2), database: database) {
            throw SharedStoreError(.failed, problem.description)
        }
        if row.isNull(4), !row.bool(3) {
            throw SharedStoreError(
                .notPermitted,
                "the user \(user) may not create a schema: run it as the owner of the database, or `grant create on database \(database) to \(user)`"
            )
        }
        if !row.isNull(4), !row.bool(5) {
            throw SharedStoreError(
                .notPermitted,
                "only the owner of the schema signet may change its tables: run it as the user \(row.text(4))"
            )
        }
    }

    /// Adds what newer tables need; with `finish`, replicas write the newest format, those that run within a minute.
    ///
    /// Rows keep the format of their last commit; each is written in the newest one with its next.
    ///
    /// - Returns: The format that replicas write.
    public func upgrade(finish: Bool) async throws(SharedStoreError) -> Int {
        try await self.setup()
        let statement = PostgresStatement(
            """
            with raised as (update signet.meta set format = $1 where format < $1 and $2::bigint = 1 returning format)
            select \(Self.milliseconds), coalesce((select format from raised), (select format from signet.meta))
            """,
            .integer(Int64(Self.newestFormat)),
            .integer(finish ? 1 : 0)
        )
        let format = try await self.one(statement) { Int($0.integer(1)) }.value
        guard format <= Self.newestFormat else {
            throw SharedStoreError(
                .newerFormat,
                "the tables have format \(format): upgrade with the newer version of Signet"
            )
        }
        return format
    }
}
#endif
