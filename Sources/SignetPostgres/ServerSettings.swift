// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
/// The settings of the server that a fleet depends on.
struct ServerSettings {
    /// The columns of ``init(_:)``, the first of which is the fifth of the answer.
    static let columns = """
        current_setting('fsync'), current_setting('synchronous_commit'), current_setting('synchronous_standby_names'),
            coalesce((select split_part(o, '=', 2) from pg_class c, unnest(c.reloptions) o
                where c.oid = \(Self.table) and o like 'autovacuum_vacuum_scale_factor=%'),
                current_setting('autovacuum_vacuum_scale_factor')),
            \(Self.table) is not null
        """

    /// The table whose settings count; not by `to_regclass`, which needs the right to use the schema.
    private static let table =
        "(select x.oid from pg_class x join pg_namespace n on n.oid = x.relnamespace and n.nspname = 'signet' where x.relname = 'live')"

    private let fsync: String
    private let commit: String
    private let standbys: String
    /// That of the tables; nil if there are no tables yet.
    private let scaleFactor: String?

    init(_ row: PostgresResult.Row) {
        (self.fsync, self.commit, self.standbys) = (row.text(4), row.text(5), row.text(6))
        self.scaleFactor = row.bool(8) ? row.text(7) : nil
    }

    /// By the table of `synchronous_commit` in the manual of PostgreSQL, section 20.5.1.
    var durability: PostgresStore.Durability {
        guard self.fsync == "on", self.commit != "off" else { return .nowhere }
        guard !self.standbys.isEmpty, self.commit != "local" else { return .onServer }
        return self.commit == "remote_write" ? .receivedByStandbys(self.standbys) : .onStandbys(self.standbys)
    }

    var hints: [PostgresStore.Hint] {
        var hints: [PostgresStore.Hint] = []
        if self.fsync != "on" {
            hints.append(
                PostgresStore.Hint(
                    setting: "fsync",
                    value: self.fsync,
                    advice: "set it to on: a crash damages the tables"
                )
            )
        }
        if self.commit == "off" {
            hints.append(
                PostgresStore.Hint(
                    setting: "synchronous_commit",
                    value: self.commit,
                    advice: "set it to on: a crash loses consents and opt-outs that were answered"
                )
            )
        }
        if let scaleFactor = self.scaleFactor, (Double(scaleFactor) ?? 1) > 0.02 {
            hints.append(
                PostgresStore.Hint(
                    setting: "autovacuum_vacuum_scale_factor",
                    value: scaleFactor,
                    advice:
                        "alter table signet.live set (autovacuum_vacuum_scale_factor = 0.01): dead rows slow the table down"
                )
            )
        }
        return hints
    }
}
#endif
