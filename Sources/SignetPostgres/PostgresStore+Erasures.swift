// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
public import Signet
public import SignetModel

public import struct FoundationEssentials.UUID

extension PostgresStore {
    // MARK: - Replicas

    /// Notes a replica, and says what it must know before it sends anything.
    ///
    /// `joined` is the token of the last joining, `known` whether there was one before it. A row that only a flush has made has neither.
    /// It waits for no standby: without the row there are no readings, and a replica whose row is lost joins again.
    public func join(
        _ replica: UUID,
        token: UUID
    ) async throws(SharedStoreError) -> SharedAnswer<SharedReplica.Joining> {
        var statement = PostgresStatement(
            """
            with t as materialized (
                select \(Self.milliseconds) as ms, set_config('synchronous_commit', 'local', true) as locally
            ),
            joined as (
                insert into signet.replica as r (id, beat, seen, joined) select $1, t.ms, t.ms, $2 from t where t.locally is not null
                on conflict (id) do update set
                    beat = case when r.joined = excluded.joined then r.beat else excluded.beat end,
                    seen = case when r.joined = excluded.joined then r.seen else excluded.seen end,
                    known = case when r.joined = excluded.joined then r.known else r.joined is not null end,
                    joined = excluded.joined
                returning known
            )
            select t.ms, (select known from joined), (select min(at) from signet.erasure) from t
            """,
            .uuid(replica),
            .uuid(token)
        )
        statement.waitsForStandbys = false
        return try await self.one(statement) { row in
            SharedReplica.Joining(isKnown: row.bool(1), oldestErasure: row.optionalInteger(2))
        }
    }

    /// Notes that a replica has ended in order.
    public func leave(_ replica: UUID) async throws(SharedStoreError) {
        let statement = PostgresStatement(
            "update signet.replica set beat = null, seen = \(Self.milliseconds) where id = $1",
            .uuid(replica)
        )
        _ = try await self.answer(statement, until: self.deadline)
    }

    /// All replicas that have not been forgotten.
    public func replicas() async throws(SharedStoreError) -> SharedAnswer<[SharedReplica]> {
        let statement = PostgresStatement(
            """
            select t.ms, r.id, r.beat, s.keys from (select \(Self.milliseconds) as ms) t
            left join signet.replica r on true left join signet.skipped s on s.replica = r.id order by r.id
            """
        )
        return try await self.list(statement) { row in
            row.uuid(1).map { SharedReplica(id: $0, beat: row.optionalInteger(2), skipped: Set(row.uuids(3))) }
        }
    }

    // MARK: - Erasures

    /// Notes an erasure; a repetition changes nothing.
    public func erase(_ erasure: SharedErasure) async throws(SharedStoreError) -> SharedAnswer<Void> {
        let statement = PostgresStatement(
            """
            with t as materialized (select \(Self.milliseconds) as ms),
            noted as (
                insert into signet.erasure (id, hash, at, replica) select $1, $2, t.ms, $3 from t on conflict (id) do nothing
            )
            select t.ms from t
            """,
            .uuid(erasure.id),
            .bytes(erasure.hash),
            .uuid(erasure.replica)
        )
        return try await self.one(statement) { _ in }
    }

    /// Notes that no row knows the user of an erasure.
    public func finishRows(of erasure: UUID) async throws(SharedStoreError) {
        let statement = PostgresStatement(
            "update signet.erasure set rows_done = true where id = $1 and not rows_done",
            .uuid(erasure)
        )
        _ = try await self.answer(statement, until: self.deadline)
    }

    /// The users whom rows mention.
    ///
    /// The first number of a page and not the last one before it: so the server reads the index from there, whatever it is.
    public func mentionedUsers(after mpid: MPID?, limit: Int) async throws(SharedStoreError) -> SharedAnswer<[MPID]> {
        try Self.check(limit, upTo: SharedStoreLimits.users, "users")
        let (first, isOver) = mpid?.rawValue.addingReportingOverflow(1) ?? (.min, false)
        let statement = PostgresStatement(
            """
            select t.ms, m.mpid from (select \(Self.milliseconds) as ms) t left join (
                select distinct mpid from signet.mention where mpid >= $1 order by mpid limit $2
            ) m on true order by m.mpid
            """,
            .integer(first),
            .integer(isOver ? 0 : Int64(limit))
        )
        return try await self.list(statement) { $0.optionalInteger(1).flatMap(MPID.init(rawValue:)) }
    }

    /// The keys of the rows that mention a user.
    public func mentions(
        of mpid: MPID,
        after key: UUID?,
        limit: Int
    ) async throws(SharedStoreError) -> SharedAnswer<[UUID]> {
        try Self.check(limit, upTo: SharedStoreLimits.batch, "keys")
        let statement = PostgresStatement(
            """
            select t.ms, m.k from (select \(Self.milliseconds) as ms) t left join (
                select k from signet.mention where mpid = $1 and ($2::uuid is null or k > $2) order by k limit $3
            ) m on true order by m.k
            """,
            .integer(mpid.rawValue),
            .uuid(key),
            .integer(Int64(limit))
        )
        return try await self.list(statement) { $0.uuid(1) }
    }

    /// The erasures that a replica has not acknowledged, oldest first.
    public func pendingErasures(of replica: UUID) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        try await self.erasures(
            "not exists (select from signet.erased d where d.erasure = e.id and d.replica = $1) order by e.at, e.id limit \(SharedStoreLimits.batch)",
            .uuid(replica)
        )
    }

    /// Notes that a replica has erased on its own disk; a repetition changes nothing.
    public func acknowledge(_ erasure: UUID, by replica: UUID) async throws(SharedStoreError) {
        let statement = PostgresStatement(
            "insert into signet.erased (erasure, replica) select id, $2 from signet.erasure where id = $1 on conflict do nothing",
            .uuid(erasure),
            .uuid(replica)
        )
        _ = try await self.answer(statement, until: self.deadline)
    }

    /// The replicas that have acknowledged an erasure.
    public func acknowledgements(of erasure: UUID) async throws(SharedStoreError) -> SharedAnswer<[UUID]> {
        let statement = PostgresStatement(
            """
            select t.ms, d.replica from (select \(Self.milliseconds) as ms) t
            left join signet.erased d on d.erasure = $1 order by d.replica
            """,
            .uuid(erasure)
        )
        return try await self.list(statement) { $0.uuid(1) }
    }

    /// The erasures of users, found by hash.
    public func erasures(of hashes: [[UInt8]]) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        try Self.check(hashes.count, upTo: SharedStoreLimits.batch, "hashes")
        return try await self.erasures("e.hash = any($1::bytea[])", .bytesArray(hashes))
    }

    /// All erasures, in pages.
    public func erasures(after id: UUID?, limit: Int) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        try Self.check(limit, upTo: SharedStoreLimits.batch, "erasures")
        let condition = "($1::uuid is null or e.id > $1) order by e.id limit \(limit)"
        return try await self.erasures(condition, .uuid(id), by: "e.id")
    }

    private func erasures(
        _ condition: String,
        _ parameter: PostgresStatement.Parameter,
        by order: String = "e.at, e.id"
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedErasure]> {
        let statement = PostgresStatement(
            """
            select t.ms, e.id, e.hash, e.at, e.replica, e.rows_done from (select \(Self.milliseconds) as ms) t
            left join (select * from signet.erasure e where \(condition)) e on true order by \(order)
            """,
            parameter
        )
        return try await self.list(statement) { row in
            guard let id = row.uuid(1), let replica = row.uuid(4) else { return nil }
            let (hash, moment) = (row.bytes(2), row.integer(3))
            return SharedErasure(id: id, hash: hash, by: replica, milliseconds: moment, areRowsDone: row.bool(5))
        }
    }

    // MARK: - Answers with the time in the first column

    func one<Value: Sendable>(
        _ statement: PostgresStatement,
        _ value: (PostgresResult.Row) -> Value
    ) async throws(SharedStoreError) -> SharedAnswer<Value> {
        let rows = try await self.answer(statement, until: self.deadline).rows
        let time = try Self.time(of: rows)
        return SharedAnswer(value(rows[0]), at: time)
    }

    func list<Value: Sendable>(
        _ statement: PostgresStatement,
        _ value: (PostgresResult.Row) -> Value?
    ) async throws(SharedStoreError) -> SharedAnswer<[Value]> {
        let rows = try await self.answer(statement, until: self.deadline).rows
        return SharedAnswer(rows.compactMap(value), at: try Self.time(of: rows))
    }
}
#endif
