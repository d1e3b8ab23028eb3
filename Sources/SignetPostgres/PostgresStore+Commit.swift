// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
public import Signet

import struct FoundationEssentials.UUID

extension PostgresStore {
    /// Changes rows, all of them in one statement, with those of other calls that wait.
    ///
    /// The tag in `live` guards both rows. `live` is locked first, in the order of the keys, so that two of these never wait for each
    /// other. Rows that were not changed are read afterwards: the statement itself sees what was there when it began.
    public func commit(
        _ commits: [SharedCommit]
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedCommit.Outcome]> {
        try Self.check(commits.count, upTo: SharedStoreLimits.batch, "commits")
        try Self.checkDistinct(commits.map(\.key))
        for commit in commits { try Self.check(commit) }
        let deadline = self.deadline
        guard !commits.isEmpty else {
            return SharedAnswer([], at: try await self.rows([], until: deadline).milliseconds)
        }
        let answer = try await self.outcome(of: .commit(commits), until: deadline).rows
        let committed = Set(answer.compactMap { $0.uuid(1) })
        let others = commits.map(\.key).filter { !committed.contains($0) }
        guard !others.isEmpty else {
            return SharedAnswer(commits.map { _ in .committed }, at: try Self.time(of: answer))
        }
        let rows: SharedAnswer<[SharedInstallation]>
        do {
            rows = try await self.rows(others, until: deadline)
        } catch {
            throw committed.isEmpty ? Self.unanswered(error) : Self.unknown(error)
        }
        let found = Dictionary(rows.value.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        return SharedAnswer(
            commits.map { committed.contains($0.key) ? .committed : .differs(found[$0.key]) },
            at: rows.milliseconds
        )
    }

    /// The error of a second statement, after the first one has changed something.
    static func unknown(_ error: SharedStoreError) -> SharedStoreError {
        error.code == .cancelled ? error : SharedStoreError(.outcomeUnknown, error.message)
    }

    /// The error of a second statement that reads, after the first one has changed nothing: a lost answer leaves nothing in doubt.
    static func unanswered(_ error: SharedStoreError) -> SharedStoreError {
        error.code == .outcomeUnknown ? SharedStoreError(.unreachable, error.message) : error
    }

    private static func check(_ commit: SharedCommit) throws(SharedStoreError) {
        guard commit.id.isValid else {
            throw SharedStoreError(.invalidArgument, "an id of an installation is not valid")
        }
        if case .isMissing = commit.condition, commit.state == nil || commit.slotToken != nil {
            throw SharedStoreError(.invalidArgument, "a commit that makes a row needs its state, and has no slot")
        }
        var sizes = [commit.state?.count ?? 0]
        if case .set(let outbox) = commit.outbox { sizes.append(outbox.count) }
        guard sizes.allSatisfy({ $0 <= SharedStoreLimits.valueBytes }) else {
            throw SharedStoreError(
                .invalidArgument,
                "state or outbox is larger than \(SharedStoreLimits.valueBytes) bytes"
            )
        }
    }
}

extension PostgresStatement {
    private static let commit = Often(
        """
        with t as materialized (select \(PostgresStore.milliseconds) as ms, \(PostgresStore.today) as today),
        c as materialized (
            select * from unnest((select $1::uuid[]), (select $2::text[]), (select $3::smallint[]), (select $4::uuid[]),
                (select $5::bigint[]), (select $21::bigint[]), (select $6::uuid[]), (select $7::uuid[]), (select $8::bytea[]), (select $9::smallint[]),
                (select $10::uuid[]), (select $11::bigint[]), (select $12::bigint[]), (select $13::bigint[]),
                (select $14::smallint[]), (select $15::bigint[]), (select $16::bytea[]))
            as c(k, name, condition, expected, expected_last, expected_events, slot, tag, state,
                session_change, session, started, last, events, look_change, look, outbox)
        ),
        locked as materialized (select l.k from signet.live l where l.k = any((select $1::uuid[])::uuid[]) order by l.k for update of l),
        updated as (
            update signet.live l set tag = c.tag, tags = (array_prepend(c.tag, l.tags))[1:\(SharedStoreLimits.tags)],
                session = case c.session_change when 0 then l.session else c.session end,
                started = case c.session_change when 0 then l.started else c.started end,
                last = case c.session_change when 0 then l.last else c.last end,
                events = case c.session_change when 0 then l.events else c.events end,
                look = case c.look_change when 0 then l.look else c.look end,
                slot = case when c.slot is null then l.slot end,
                slot_owner = case when c.slot is null then l.slot_owner end,
                slot_until = case when c.slot is null then l.slot_until end,
                outbox = coalesce(c.outbox, l.outbox)
            from locked join c on c.k = locked.k
            where l.k = locked.k and c.condition <> 0 and l.tag = c.expected
                and (c.condition = 1 or l.last = c.expected_last and l.events = c.expected_events)
                and (c.slot is null or l.slot = c.slot)
            returning l.k
        ),
        made as (
            insert into signet.live (k, tag, tags, session, started, last, events, look, outbox)
            select c.k, c.tag, array[c.tag], c.session, c.started, c.last, c.events, c.look, coalesce(c.outbox, '')
            from c where c.condition = 0 order by c.k
            on conflict (k) do nothing returning k
        ),
        done as (select k from updated union all select k from made),
        installed as (
            insert into signet.installation (k, name, state, seen)
            select c.k, c.name, c.state, t.today from c join made on made.k = c.k cross join t order by c.k
            on conflict (k) do update set name = excluded.name, state = excluded.state, seen = excluded.seen
        ),
        changed as (
            update signet.installation n set state = coalesce(c.state, n.state), seen = t.today
            from c join updated on updated.k = c.k cross join t
            where n.k = c.k and (c.state is not null or n.seen <> t.today)
        ),
        mentioned as (
            insert into signet.mention (mpid, k) select m.mpid, m.k from unnest((select $17::uuid[]), (select $18::bigint[])) as m(k, mpid)
            where m.k in (select k from done) order by m.mpid, m.k on conflict do nothing
        ),
        forgotten as (
            delete from signet.mention x using unnest((select $19::uuid[]), (select $20::bigint[])) as f(k, mpid)
            where x.k = f.k and x.mpid = f.mpid and f.k in (select k from done)
        )
        select t.ms, done.k from t left join done on true
        """
    )

    init(committing commits: [SharedCommit]) {
        var mentions: [(UUID, Int64)] = []
        var forgets: [(UUID, Int64)] = []
        for commit in commits {
            let kept = Set(commit.mentions)
            mentions += kept.map { (commit.key, $0.rawValue) }
            forgets += commit.forgets.filter { !kept.contains($0) }.map { (commit.key, $0.rawValue) }
        }
        let conditions = commits.map(\.condition)
        let sessions = commits.map(\.session)
        let looks = commits.map(\.look)
        self.init(
            Self.commit,
            .uuids(commits.map(\.key)),
            .texts(commits.map(\.id.rawValue)),
            .smalls(conditions.map(\.number)),
            .uuids(conditions.map(\.tag)),
            .integers(conditions.map(\.last)),
            .uuids(commits.map(\.slotToken)),
            .uuids(commits.map(\.tag)),
            .bytesArray(commits.map(\.state)),
            .smalls(sessions.map { $0 == .keep ? 0 : 1 }),
            .uuids(sessions.map(\.begun?.id)),
            .integers(sessions.map(\.begun?.started)),
            .integers(sessions.map(\.begun?.last)),
            .integers(sessions.map { $0.begun.map { Int64(min($0.events, SharedStoreLimits.sessionEvents)) } }),
            .smalls(looks.map { $0 == .keep ? 0 : 1 }),
            .integers(looks.map { if case .set(let look) = $0 { look } else { nil } }),
            .bytesArray(commits.map { if case .set(let outbox) = $0.outbox { outbox } else { nil } }),
            .uuids(mentions.map(\.0)),
            .integers(mentions.map(\.1)),
            .uuids(forgets.map(\.0)),
            .integers(forgets.map(\.1)),
            .integers(conditions.map(\.events))
        )
    }
}

extension SharedCommit {
    /// About how many bytes its values have.
    var bytes: Int {
        let outbox = if case .set(let outbox) = self.outbox { outbox.count } else { 0 }
        return (self.state?.count ?? 0) + outbox + 16 * (self.mentions.count + self.forgets.count)
    }
}

extension SharedCommit.Condition {
    fileprivate var number: Int16 {
        switch self {
        case .isMissing: 0
        case .tag: 1
        case .unchanged: 2
        }
    }

    fileprivate var tag: UUID? {
        switch self {
        case .isMissing: nil
        case .tag(let tag), .unchanged(let tag, _, _): tag
        }
    }

    fileprivate var last: Int64? {
        if case .unchanged(_, let last, _) = self { last } else { nil }
    }

    fileprivate var events: Int64? {
        if case .unchanged(_, _, let events) = self { Int64(events) } else { nil }
    }
}

extension SharedCommit.SessionChange {
    fileprivate var begun: SharedInstallation.OpenSession? {
        if case .begin(let session) = self { session } else { nil }
    }
}
#endif
