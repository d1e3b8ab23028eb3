// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
/// The tables.
///
/// Moments are milliseconds since 1970, because the seam counts in them; a `timestamptz` would be rounded twice.
///
/// `installation` is cold, `live` hot: nothing that an activity changes is indexed, so that its updates stay in their page.
enum PostgresSchema {
    /// A table of the schema `signet`.
    struct Table: Sendable {
        let name: String
        let columns: [Column]
        /// The columns of its primary key, in order.
        let key: [String]
        /// Its storage parameters; empty for none.
        var options = ""
    }

    /// A column.
    struct Column: Sendable {
        let name: String
        /// The type, as `format_type` writes it.
        let type: String
        /// Its constraints, such as `not null`; empty for none.
        let constraints: String

        init(_ name: String, _ type: String, _ constraints: String = "") {
            (self.name, self.type, self.constraints) = (name, type, constraints)
        }

        /// The words that make it.
        var definition: String {
            self.constraints.isEmpty ? self.type : "\(self.type) \(self.constraints)"
        }

        /// True if inserts rely on its default.
        var hasDefault: Bool {
            self.constraints.contains("default ")
        }

        /// The default of its constraints; nil for none.
        var defaultValue: String? {
            guard let begin = self.constraints.firstRange(of: "default ") else { return nil }
            return self.constraints[begin.upperBound...].split(separator: " ").first.map(String.init)
        }
    }

    /// An index beside the primary keys.
    struct Index: Sendable {
        let name: String
        let table: String
        let columns: [String]
        /// The rows that it has; empty for all.
        var condition = ""

        /// The statement that makes it.
        var statement: String {
            let rows = self.condition.isEmpty ? "" : " where \(self.condition)"
            return
                "create index if not exists \(self.name) on signet.\(self.table) (\(self.columns.joined(separator: ", ")))\(rows)"
        }
    }

    static let tables = [
        Table(
            name: "meta",
            columns: [
                Column("one", "boolean", "default true check (one)"), Column("format", "integer", "not null"),
                Column("key_hash", "bytea"),
            ],
            key: ["one"]
        ),
        Table(
            name: "installation",
            columns: [
                Column("k", "uuid"), Column("name", "text", "not null"), Column("state", "bytea", "not null"),
                Column("seen", "date", "not null"),
            ],
            key: ["k"]
        ),
        Table(
            name: "live",
            columns: [
                Column("k", "uuid"), Column("tag", "uuid", "not null"), Column("tags", "uuid[]", "not null"),
                Column("session", "uuid"), Column("started", "bigint"), Column("last", "bigint"),
                Column("events", "bigint"), Column("look", "bigint"), Column("slot", "uuid"),
                Column("slot_owner", "uuid"), Column("slot_until", "bigint"), Column("outbox", "bytea", "not null"),
            ],
            key: ["k"],
            options: "fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01"
        ),
        Table(name: "mention", columns: [Column("mpid", "bigint"), Column("k", "uuid")], key: ["mpid", "k"]),
        Table(
            name: "user_consent",
            columns: [
                Column("mpid", "bigint"), Column("state", "bytea", "not null"), Column("tag", "uuid", "not null"),
                Column("seen", "date", "not null"),
            ],
            key: ["mpid"]
        ),
        Table(
            name: "replica",
            columns: [
                Column("id", "uuid"), Column("beat", "bigint"), Column("seen", "bigint", "not null"),
                Column("flush", "uuid"), Column("joined", "uuid"), Column("known", "boolean", "not null default false"),
            ],
            key: ["id"]
        ),
        Table(
            name: "skipped",
            columns: [
                Column("replica", "uuid"), Column("flush", "uuid", "not null"), Column("keys", "uuid[]", "not null"),
            ],
            key: ["replica"]
        ),
        Table(
            name: "erasure",
            columns: [
                Column("id", "uuid"), Column("hash", "bytea", "not null"), Column("at", "bigint", "not null"),
                Column("replica", "uuid", "not null"), Column("rows_done", "boolean", "not null default false"),
            ],
            key: ["id"]
        ),
        Table(
            name: "erased",
            columns: [Column("erasure", "uuid"), Column("replica", "uuid")],
            key: ["erasure", "replica"]
        ),
    ]

    static let indexes = [
        Index(name: "installation_seen", table: "installation", columns: ["seen"]),
        Index(name: "live_look", table: "live", columns: ["look"], condition: "look is not null"),
        Index(name: "mention_k", table: "mention", columns: ["k"]),
        Index(name: "user_consent_seen", table: "user_consent", columns: ["seen"]),
        Index(name: "erasure_hash", table: "erasure", columns: ["hash"]),
    ]

    /// The rights on each table that a runtime needs.
    static let rights = ["select", "insert", "update", "delete"]

    /// Makes what is missing, in one transaction; of two that run at once, one waits.
    ///
    /// An implicit transaction, so that PgBouncer keeps its connection and a failure leaves nothing open.
    ///
    /// A new database has the newest format; one that is there keeps its own until the upgrade is finished. A table that is there is
    /// locked only if it lacks a column.
    static let setup = """
        select pg_advisory_xact_lock(\(Self.lock));
        do $$ begin
            if to_regnamespace('signet') is null then create schema signet; end if;
        end $$;
        \(Self.tables.map(Self.creation).joined(separator: "\n"))
        \(Self.additions)
        \(Self.indexes.map { $0.statement + ";" }.joined(separator: "\n"))
        insert into signet.meta (format) values (\(PostgresStore.newestFormat)) on conflict do nothing
        """

    /// A number for `pg_advisory_xact_lock`: "signet".
    private static let lock = 0x73_69_67_6e_65_74

    private static func creation(_ table: Table) -> String {
        let columns = table.columns.map { "\($0.name) \($0.definition)" }
        let options = table.options.isEmpty ? "" : " with (\(table.options))"
        return """
            create table if not exists signet.\(table.name) (
                \(columns.joined(separator: ", ")), primary key (\(table.key.joined(separator: ", "))))\(options);
            """
    }

    /// Adds the columns and primary keys that tables lack.
    ///
    /// A column without a default that must not be null fits only into an empty table: its values are not known.
    private static var additions: String {
        let columns = Self.tables.flatMap { table in
            table.columns.map { "('\(table.name)', '\($0.name)', '\($0.definition)')" }
        }
        let keys = Self.tables.map { "('\($0.name)', '\($0.key.joined(separator: ", "))')" }
        return """
            do $$ declare r record; begin
                for r in select v.* from (values \(columns.joined(separator: ", "))) as v(tab, col, def)
                    where not exists (select from pg_attribute a
                        where a.attrelid = ('signet.' || v.tab)::regclass and a.attname = v.col and not a.attisdropped)
                loop
                    execute format('alter table signet.%I add column %I %s', r.tab, r.col, r.def);
                end loop;
                for r in select v.* from (values \(keys.joined(separator: ", "))) as v(tab, cols)
                    where not exists (select from pg_index i where i.indrelid = ('signet.' || v.tab)::regclass and i.indisprimary)
                loop
                    execute format('alter table signet.%I add primary key (%s)', r.tab, r.cols);
                end loop;
            end $$;
            """
    }
}
#endif
