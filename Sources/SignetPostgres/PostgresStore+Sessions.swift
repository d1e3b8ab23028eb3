// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
public import Signet

public import struct FoundationEssentials.UUID

extension PostgresStore {
    /// Adds what installations did since the last flush of a replica.
    ///
    /// The row of the replica goes first: a repetition waits there for the first try, finds its token, and adds nothing. Only here the
    /// server does not wait for its disk; the token is lost with what it stands for. Erasures are counted before rows are locked.
    ///
    /// A row that another transaction keeps locked is skipped, so that it stops no other; it is noted with the token. Flushes of other
    /// replicas lock the same rows for a moment: they are waited for.
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
        let deadline = self.deadline
        let age = Self.milliseconds(age)
        var rows: [PostgresResult.Row]
        do throws(SharedStoreError) {
            let waiting = PostgresStatement(flushing: activities, of: replica, token, age: age)
            rows = try await self.answer(waiting, until: deadline).rows
        } catch {
            guard error.code == .locked else { throw error }
            let skipping = PostgresStatement(flushing: activities, of: replica, token, age: age, skipsLocked: true)
            rows = try await self.answer(skipping, until: deadline).rows
        }
        // The first try may have ended after this one began: only a statement that begins now sees what it has skipped.
        if let row = rows.first, !row.bool(7) {
            rows = try await self.answer(
                PostgresStatement(flushed: activities, of: replica, token),
                until: deadline
            ).rows
        }
        let outcomes = rows.compactMap { row -> SharedActivity.Outcome? in
            guard !row.isNull(1) else { return nil }
            guard !row.bool(6) else { return .isLocked }
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
        let changed = rows.compactMap { $0.isNull(1) || $0.bool(Self.next) ? nil : $0.uuid(1) }
        var again: [UUID: SharedInstallation] = [:]
        if !changed.isEmpty {
            do {
                for row in try await self.rows(changed, until: deadline).value { again[row.key] = row }
            } catch {
                throw Self.unknown(error)
            }
        }
        let claimed = rows.compactMap { row in
            row.bool(Self.next) ? SharedInstallation(row: row) : row.uuid(1).flatMap { again[$0] }
        }
        return SharedAnswer(claimed, at: try Self.time(of: rows))
    }
}

extension PostgresStatement {
    /// The erasures that a replica has not acknowledged, and the token of its last joining.
    private static let facts = """
        (
            select count(*) from (
                select from signet.erasure e
                where not exists (select from signet.erased d where d.erasure = e.id and d.replica = $1)
                limit \(SharedStoreLimits.batch)
            ) p
        ) as pending, (select r.joined from signet.replica r where r.id = $1) as joined
        """

    /// Makes a flush.
    ///
    /// Its columns are the time, the number of the activity, the row's tag, and true if its session has the activity. Then come the
    /// number of pending erasures, the token of joining, true if the row was skipped, and true if the flush is a new one.
    init(
        flushing activities: [SharedActivity],
        of replica: UUID,
        _ token: UUID,
        age: Int64,
        skipsLocked: Bool = false
    ) {
        self.init(
            """
            with t as materialized (
                select \(PostgresStore.milliseconds) as ms, set_config('synchronous_commit', 'off', true) as off, \(Self.facts)
            ),
            a as materialized (
                select * from unnest($3::uuid[], $4::uuid[], $5::bigint[], $6::bigint[]) with ordinality as a(k, session, last, events, n)
            ),
            flushed as (
                insert into signet.replica as r (id, beat, seen, flush) select $1, t.ms - $7, t.ms, $2 from t where t.off is not null
                on conflict (id) do update set
                    beat = case when r.beat <= excluded.seen then greatest(r.beat, excluded.beat) else excluded.beat end,
                    seen = excluded.seen, flush = excluded.flush
                where r.flush is distinct from excluded.flush returning 1
            ),
            beat as materialized (select count(*) > 0 as new from flushed),
            locked as materialized (
                select l.k, l.tag, l.session from signet.live l
                where (select new from beat) and l.k = any($3::uuid[]) order by l.k
                for update of l \(skipsLocked ? "skip locked" : "")
            ),
            skipped as materialized (
                select l.k from signet.live l
                where (select new from beat) and (select count(*) from locked) < cardinality($3::uuid[]) and l.k = any($3::uuid[])
                    and not exists (select from locked where locked.k = l.k)
            ),
            noted as (
                insert into signet.skipped as s (replica, flush, keys)
                select $1, $2, array_agg(k) from skipped having count(*) > 0
                on conflict (replica) do update set flush = excluded.flush, keys = excluded.keys
            ),
            cleared as (
                delete from signet.skipped s
                where s.replica = $1 and (select new from beat) and not exists (select from skipped)
            ),
            added as (
                update signet.live l set last = greatest(l.last, a.last), events = least(l.events + a.events, \(SharedStoreLimits.sessionEvents))
                from locked join a on a.k = locked.k
                where l.k = locked.k and locked.session = a.session
            )
            select t.ms, a.n, locked.tag, coalesce(locked.session = a.session, false), t.pending, t.joined, skipped.k is not null,
                (select new from beat)
            from t left join a on true left join locked on locked.k = a.k left join skipped on skipped.k = a.k order by a.n
            """,
            .uuid(replica),
            .uuid(token),
            .uuids(activities.map(\.key)),
            .uuids(activities.map(\.session)),
            .integers(activities.map(\.last)),
            .integers(activities.map { Int64(min($0.events, SharedStoreLimits.sessionEvents)) }),
            .integer(age)
        )
        self.waitsForStandbys = false
        // There must be time to skip what is locked. Less than a commit of several calls waits for: it may want one of these rows.
        self.lockTenths = 2
    }

    /// Asks for the outcomes of a flush that was carried out before, in the same columns.
    init(flushed activities: [SharedActivity], of replica: UUID, _ token: UUID) {
        self.init(
            """
            select t.ms, a.n, l.tag, coalesce(l.session = a.session, false), t.pending, t.joined, coalesce(l.k = any(s.keys), false), true
            from (select \(PostgresStore.milliseconds) as ms, \(Self.facts)) t
            left join unnest($3::uuid[], $4::uuid[]) with ordinality as a(k, session, n) on true
            left join signet.live l on l.k = a.k left join signet.skipped s on s.replica = $1 and s.flush = $2
            order by a.n
            """,
            .uuid(replica),
            .uuid(token),
            .uuids(activities.map(\.key)),
            .uuids(activities.map(\.session))
        )
    }
}
#endif
