// SPDX-License-Identifier: Apache-2.0

#if PostgresStore
public import Signet

extension PostgresStore {
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
                pg_backend_pid()::bigint,
                (select string_agg(r.what || ' on ' || r.tab, ', ' order by r.tab, r.what) from (values \(list)) as r(tab, what)
                    where case when to_regnamespace('signet') is null then true
                        when not has_schema_privilege('signet', 'usage') then true
                        when to_regclass(r.tab) is null then true
                        else not has_table_privilege(r.tab, r.what) end),
                \(ServerSettings.columns)
            """
        )
        let result = try await self.answer(statement, until: self.deadline + .seconds(4))
        guard let row = result.rows.first else {
            throw SharedStoreError(.failed, "the database has answered without a row")
        }
        let settings = ServerSettings(row)
        let missing = row.isNull(3) ? [] : row.text(3).split(separator: ", ").map(String.init)
        var report = Report(
            version: row.text(0),
            isEncrypted: result.ends.isEncrypted,
            isServerEncrypted: row.bool(1),
            // A pooler makes up the number of a process, or has none.
            hasPooler: Int64(result.ends.process) != row.integer(2),
            durability: settings.durability,
            hints: settings.hints,
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
}
#endif
