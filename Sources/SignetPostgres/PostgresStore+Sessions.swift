// SPDX-License-Identifier: Apache-2.0

#if PostgresStore
public import Signet

public import struct FoundationEssentials.UUID

extension PostgresStore {
    /// Adds what installations did since the last flush of a replica.
    ///
    /// The row of the replica goes first: a repetition waits there for the first try, finds its token, and adds nothing. Only here the
    /// server does not wait for its disk; the token is lost with what it stands for. Erasures are counted before rows are locked.
    public func flush(
        _ activities: [SharedActivity],
        of replica: UUID,
        token: UUID,
        age: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedActivity.Outcome]> {
        try Self.check(activities.count, upTo: SharedStoreLimits.activities, "activities")
        try Self.checkDistinct(activities.map(\.key))
        guard activities.allSatisfy({ $0.events >= 0 }) else {
            throw SharedStoreError(.invalidArgument, "a number of events is negative")
        }
        guard age >= .zero else { throw SharedStoreError(.invalidArgument, "the age of a flush is negative") }
        let statement = PostgresStatement(
            """
            with t as materialized (
                select \(Self.milliseconds) as ms, set_config('synchronous_commit', 'off', true) as off, (
                    select count(*) from (
                        select from signet.erasure e
                        where not exists (select from signet.erased d where d.erasure = e.id and d.replica = $5)
                        limit \(SharedStoreLimits.batch)
                    ) p
                ) as pending, (select r.joined from signet.replica r where r.id = $5) as joined
            ),
            a as materialized (
                select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[]) with ordinality as a(k, session, last, events, n)
            ),
            flushed as (
                insert into signet.replica as r (id, beat, seen, flush) select $5, t.ms - $7, t.ms, $6 from t where t.off is not null
                on conflict (id) do update set
                    beat = case when r.beat <= excluded.seen then greatest(r.beat, excluded.beat) else excluded.beat end,
                    seen = excluded.seen, flush = excluded.flush
                where r.flush is distinct from excluded.flush returning 1
            ),
            beat as materialized (select count(*) as new from flushed),
            locked as materialized (
                select l.k, l.tag, l.session from signet.live l
                where (select new from beat) >= 0 and l.k = any($1::uuid[]) order by l.k for update of l
            ),
            added as (
                update signet.live l set last = greatest(l.last, a.last), events = least(l.events + a.events, \(SharedStoreLimits.sessionEvents))
                from locked join a on a.k = locked.k
                where l.k = locked.k and locked.session = a.session and (select new from beat) > 0
            )
            select t.ms, a.n, locked.tag, coalesce(locked.session = a.session, false), t.pending, t.joined
            from t left join a on true left join locked on locked.k = a.k order by a.n
            """,
            .uuids(activities.map(\.key)),
            .uuids(activities.map(\.session)),
            .integers(activities.map(\.last)),
            .integers(activities.map { Int64(min($0.events, SharedStoreLimits.sessionEvents)) }),
            .uuid(replica),
            .uuid(token),
            .integer(Self.milliseconds(age))
        )
        let rows = try await self.answer(statement, until: self.deadline).rows
        let outcomes = rows.compactMap { row -> SharedActivity.Outcome? in
            guard !row.isNull(1) else { return nil }
            guard let tag = row.uuid(2) else { return .isMissing }
            return row.bool(3) ? .added(tag: tag) : .sessionEnded(tag: tag)
        }
        var answer = SharedAnswer(outcomes, at: try Self.time(of: rows))
        answer.pendingErasures = rows.first.map { Int($0.integer(4)) }
        answer.joining = rows.first?.uuid(5)
        return answer
    }

    /// Claims rows whose `look` has come.
    public func claimDue(
        _ limit: Int,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedInstallation]> {
        try Self.check(limit, upTo: SharedStoreLimits.batch, "rows")
        let deadline = self.deadline
        let statement = PostgresStatement(
            """
            with t as materialized (select \(Self.milliseconds) as ms),
            due as materialized (
                select l.k, l.look as was from signet.live l where l.look <= (select ms from t)
                order by l.look limit $1 for update of l skip locked
            ),
            l as (update signet.live l set look = t.ms + $2 from due, t where l.k = due.k returning l.*, due.was)
            select t.ms, \(Self.columns), b.tag = l.tag
            from t left join l on true left join signet.live b on b.k = l.k left join signet.installation n on n.k = l.k
            order by l.was, l.k
            """,
            .integer(Int64(limit)),
            .integer(Self.milliseconds(span))
        )
        let rows = try await self.answer(statement, until: deadline).rows
        // As with slots: a row that another transaction has changed meanwhile is read again.
        let changed = rows.compactMap { $0.isNull(1) || $0.bool(15) ? nil : $0.uuid(1) }
        var again: [UUID: SharedInstallation] = [:]
        if !changed.isEmpty {
            do {
                for row in try await self.rows(changed, until: deadline).value { again[row.key] = row }
            } catch {
                throw Self.unknown(error)
            }
        }
        let claimed = rows.compactMap { row in
            row.bool(15) ? SharedInstallation(row: row) : row.uuid(1).flatMap { again[$0] }
        }
        return SharedAnswer(claimed, at: try Self.time(of: rows))
    }
}
#endif
