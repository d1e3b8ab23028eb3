// SPDX-License-Identifier: Apache-2.0

#if PostgresStore
public import Signet

extension PostgresStore {
    /// The findings of `signet store check`.
    public struct Report: Sendable, Hashable {
        /// The server's version.
        public var version: String
        /// True if this connection is encrypted.
        public var isEncrypted: Bool
        /// The standbys that must have a commit before it is answered, as the server's settings name them; nil for none.
        public var synchronousStandbys: String?
        /// The tables that are missing, and the rights that the user lacks, as `update on signet.live`.
        public var missing: [String]
        /// True if the user can use no table at all.
        public var hasNothing: Bool {
            self.missing.count == PostgresSchema.tables.count * PostgresSchema.rights.count
        }
        /// The format of the rows; nil without tables.
        public var format: Int?
        /// True if a workspace is bound to the database.
        public var isBound: Bool
    }

    /// Makes the tables that are missing; may run twice at once.
    public func setup() async throws(SharedStoreError) {
        var script = PostgresStatement(PostgresSchema.setup)
        script.isScript = true
        _ = try await self.answer(script, until: self.deadline + .seconds(30))
    }

    /// Looks at everything that ``prepare(workspace:)`` and the other calls need.
    public func check() async throws(SharedStoreError) -> Report {
        let rights = PostgresSchema.tables.flatMap { table in
            PostgresSchema.rights.map { (table, $0) }
        }
        let list = rights.map { "('signet.\($0.0)', '\($0.1)')" }.joined(separator: ", ")
        let statement = PostgresStatement(
            """
            select current_setting('server_version'),
                coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false),
                current_setting('synchronous_standby_names'),
                (select string_agg(r.what || ' on ' || r.tab, ', ' order by r.tab, r.what) from (values \(list)) as r(tab, what)
                    where case when to_regnamespace('signet') is null then true
                        when not has_schema_privilege('signet', 'usage') then true
                        when to_regclass(r.tab) is null then true
                        else not has_table_privilege(r.tab, r.what) end)
            """
        )
        guard let row = try await self.answer(statement, until: self.deadline + .seconds(4)).rows.first else {
            throw SharedStoreError(.failed, "the database has answered without a row")
        }
        let standbys = row.text(2)
        let missing = row.isNull(3) ? [] : row.text(3).split(separator: ", ").map(String.init)
        var report = Report(
            version: row.text(0),
            isEncrypted: row.bool(1),
            synchronousStandbys: standbys.isEmpty ? nil : standbys,
            missing: missing,
            format: nil,
            isBound: false
        )
        guard missing.isEmpty else { return report }
        let meta = PostgresStatement("select format, key_hash is not null from signet.meta")
        if let row = try await self.answer(meta, until: self.deadline + .seconds(4)).rows.first {
            report.format = Int(row.integer(0))
            report.isBound = row.bool(1)
        }
        return report
    }

    /// Adds what newer tables need; with `finish`, replicas write the newest format from their next start on.
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
