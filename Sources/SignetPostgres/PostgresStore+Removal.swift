// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
public import Signet

public import struct FoundationEssentials.UUID

extension PostgresStore {
    /// A row that no session and no slot needs.
    private static let unused = "l.session is null and (l.slot is null or l.slot_until <= (select ms from t))"
    /// Removes the rest of the rows that were deleted from `live`.
    private static let rest = """
        installed as (delete from signet.installation n using gone where n.k = gone.k),
        mentioned as (delete from signet.mention m using gone where m.k = gone.k)
        """

    /// Removes an installation if its row has this tag, no session, and no slot in use.
    public func remove(_ key: UUID, tag: UUID) async throws(SharedStoreError) -> SharedAnswer<Bool> {
        let deadline = self.deadline
        let statement = PostgresStatement(
            """
            with t as materialized (select \(Self.milliseconds) as ms),
            gone as (delete from signet.live l where l.k = $1 and l.tag = $2 and \(Self.unused) returning l.k),
            \(Self.rest)
            select t.ms, exists (select from gone) from t
            """,
            .uuid(key),
            .uuid(tag)
        )
        let row = try await self.answer(statement, until: deadline).rows.first
        if let row, row.bool(1) { return SharedAnswer(true, at: try Self.time(of: [row])) }
        do {
            let rows = try await self.rows([key], until: deadline)
            return SharedAnswer(rows.value.isEmpty, at: rows.milliseconds)
        } catch {
            throw Self.unanswered(error)
        }
    }

    /// Removes installations that nobody has committed to for a time.
    ///
    /// A row is chosen by the lock: one that a commit has changed meanwhile is looked at again as it is then, and one that a commit
    /// holds is skipped.
    public func removeIdle(days idle: Int, limit: Int) async throws(SharedStoreError) -> SharedAnswer<Int> {
        try Self.check(limit, upTo: SharedStoreLimits.batch, "rows")
        try Self.check(idle, upTo: SharedStoreLimits.days, "days")
        let statement = PostgresStatement(
            """
            with t as materialized (select \(Self.milliseconds) as ms, \(Self.today) as today),
            locked as materialized (
                select l.k from signet.installation n join signet.live l on l.k = n.k
                where n.seen < (select today from t) - $1::bigint::integer and l.outbox = '' and \(Self.unused)
                limit $2 for update of l, n skip locked
            ),
            gone as (delete from signet.live l using locked where l.k = locked.k returning l.k),
            \(Self.rest)
            select t.ms, (select count(*) from gone) from t
            """,
            .integer(Int64(idle)),
            .integer(Int64(limit))
        )
        return try await self.one(statement) { Int($0.integer(1)) }
    }

    /// Forgets erasures, and replicas that have ended or died, that are older than a time.
    public func forgetEnded(days: Int) async throws(SharedStoreError) {
        try Self.check(days, upTo: SharedStoreLimits.days, "days")
        let statement = PostgresStatement(
            """
            with t as materialized (select \(Self.milliseconds) - $1::bigint * 86400000 as ms),
            old as materialized (select id from signet.erasure where rows_done and at < (select ms from t) order by id for update),
            erasures as (delete from signet.erasure e using old where e.id = old.id),
            erased as (delete from signet.erased d using old where d.erasure = old.id),
            ended as materialized (select id from signet.replica where seen < (select ms from t) order by id for update),
            skipped as (delete from signet.skipped s using ended where s.replica = ended.id)
            delete from signet.replica r using ended where r.id = ended.id
            """,
            .integer(Int64(days))
        )
        _ = try await self.answer(statement, until: self.deadline)
    }
}
#endif
