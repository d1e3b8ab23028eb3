// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
public import Signet

extension PostgresStore {
    /// Looks at everything that ``prepare(workspace:)`` and the other calls need.
    ///
    /// - Returns: The findings; the database can be used if ``Report/problems`` is empty.
    /// - Throws: ``SharedStoreError`` if the database is not reached.
    public func check() async throws(SharedStoreError) -> Report {
        let rights = PostgresSchema.tables.flatMap { table in
            PostgresSchema.rights.map { (table.name, $0) }
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
        let result = try await self.answer(statement, until: self.checkDeadline)
        guard let row = result.rows.first else {
            throw SharedStoreError(.failed, "the database has answered without a row")
        }
        let settings = ServerSettings(row)
        let missing = row.isNull(3) ? [] : row.text(3).split(separator: ", ").map(String.init)
        let review = try await self.review()
        var report = Report(
            version: row.text(0),
            isEncrypted: result.ends.isEncrypted,
            isServerEncrypted: row.bool(1),
            // A pooler makes up the number of a process, or has none.
            hasPooler: Int64(result.ends.process) != row.integer(2),
            durability: settings.durability,
            hints: settings.hints,
            missing: missing,
            encoding: review.encoding,
            problems: review.problems,
            format: nil,
            isBound: false
        )
        guard review.hasReadableFormat else { return report }
        let meta = PostgresStatement("select format::bigint, key_hash is not null from signet.meta")
        if let row = try await self.answer(meta, until: self.checkDeadline).rows.first {
            report.format = Int(row.integer(0))
            report.isBound = row.bool(1)
        }
        if let problem = Problem(ofFormat: report.format) { report.problems.append(problem) }
        return report
    }

    private var checkDeadline: Duration {
        self.deadline + .seconds(4)
    }

    /// What the catalogs say of the database and the schema `signet`; it takes no right to read them.
    func review() async throws(SharedStoreError) -> SchemaReview {
        let facts = PostgresStatement(
            """
            select quote_ident(current_user), quote_ident(current_database()), current_setting('server_encoding'),
                (select has_schema_privilege(oid, 'usage') from pg_namespace where nspname = 'signet')
            """
        )
        guard let row = try await self.answer(facts, until: self.checkDeadline).rows.first else {
            throw SharedStoreError(.failed, "the database has answered without a row")
        }
        var review = SchemaReview(
            user: row.text(0),
            database: row.text(1),
            encoding: row.text(2),
            usage: row.isNull(3) ? nil : row.bool(3)
        )
        let rights = PostgresSchema.rights.map { "('\($0)')" }.joined(separator: ", ")
        let columns = PostgresStatement(
            """
            select c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod), a.atthasdef,
                (select string_agg(r.what, ',') from (values \(rights)) as r(what) where not has_table_privilege(c.oid, r.what))
            from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'signet'
                left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            where c.relkind in ('r', 'p')
            """
        )
        for row in try await self.answer(columns, until: self.checkDeadline).rows {
            var table = review.tables[row.text(0)] ?? SchemaReview.Table()
            if !row.isNull(1) {
                table.columns[row.text(1)] = SchemaReview.Column(type: row.text(2), hasDefault: row.bool(3))
            }
            table.lackedRights = row.text(4).split(separator: ",").map(String.init)
            review.tables[row.text(0)] = table
        }
        let indexes = PostgresStatement(
            """
            select c.relname::text, x.relname::text, i.indisunique, i.indisvalid, i.indpred is not null,
                (select string_agg(a.attname::text, ',' order by k.place)
                    from unnest((i.indkey::int2[])[0:i.indnkeyatts - 1]) with ordinality as k(number, place)
                        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number)
            from pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid
                join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'signet'
            """
        )
        for row in try await self.answer(indexes, until: self.checkDeadline).rows {
            let index = SchemaReview.Index(
                name: row.text(1),
                columns: row.text(5).split(separator: ",").map(String.init),
                isUnique: row.bool(2),
                isValid: row.bool(3),
                isPartial: row.bool(4)
            )
            review.tables[row.text(0)]?.indexes.append(index)
        }
        return review
    }
}
#endif
