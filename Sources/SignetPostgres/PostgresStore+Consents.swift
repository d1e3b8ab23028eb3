// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
public import Signet
public import SignetModel

public import struct FoundationEssentials.UUID

extension PostgresStore {
    /// Reads the consents of users.
    public func consents(of mpids: [MPID]) async throws(SharedStoreError) -> SharedAnswer<[SharedConsent]> {
        try Self.check(mpids.count, upTo: SharedStoreLimits.batch, "users")
        return try await self.consents(of: mpids, until: self.deadline)
    }

    private func consents(
        of mpids: [MPID],
        until deadline: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<[SharedConsent]> {
        let statement = PostgresStatement(
            """
            select t.ms, u.mpid, u.tag, u.state from (select \(Self.milliseconds) as ms) t
            left join signet.user_consent u on u.mpid = any((select $1::bigint[])::bigint[])
            """,
            .integers(mpids.map(\.rawValue))
        )
        let rows = try await self.answer(statement, until: deadline).rows
        let found = rows.compactMap { row -> SharedConsent? in
            guard let mpid = row.optionalInteger(1).flatMap(MPID.init(rawValue:)), let tag = row.uuid(2) else {
                return nil
            }
            return SharedConsent(of: mpid, state: row.bytes(3), tag: tag)
        }
        return SharedAnswer(found, at: try Self.time(of: rows))
    }

    /// Writes the consent of a user, if the table has the one with this tag; else it is read afterwards.
    ///
    /// Of two writers one waits for the row, and then finds another tag.
    public func write(
        _ consent: SharedConsent,
        replacing tag: UUID?
    ) async throws(SharedStoreError) -> SharedAnswer<SharedConsent.Outcome> {
        guard consent.state.count <= SharedStoreLimits.valueBytes else {
            throw SharedStoreError(
                .invalidArgument,
                "the consent is larger than \(SharedStoreLimits.valueBytes) bytes"
            )
        }
        let deadline = self.deadline
        let statement = PostgresStatement(
            """
            with t as materialized (select \(Self.milliseconds) as ms, \(Self.today) as today),
            updated as (
                update signet.user_consent u set state = $2, tag = $3, seen = t.today from t
                where u.mpid = $1 and (u.tag = $4 or u.tag = $3) returning u.mpid
            ),
            made as (
                insert into signet.user_consent (mpid, state, tag, seen) select $1, $2, $3, t.today from t
                where $4 is null
                    and exists (select from signet.mention m where m.mpid = $1 limit 1 for key share of m)
                on conflict (mpid) do nothing returning mpid
            )
            select t.ms, exists (select from updated) or exists (select from made) from t
            """,
            .integer(consent.mpid.rawValue),
            .bytes(consent.state),
            .uuid(consent.tag),
            .uuid(tag)
        )
        let written = try await self.answer(statement, until: deadline).rows
        if let row = written.first, row.bool(1) { return SharedAnswer(.written, at: try Self.time(of: written)) }
        do {
            let found = try await self.consents(of: [consent.mpid], until: deadline)
            return SharedAnswer(.differs(found.value.first), at: found.milliseconds)
        } catch {
            throw Self.unanswered(error)
        }
    }

    /// Removes the consent of a user.
    public func removeConsent(of mpid: MPID) async throws(SharedStoreError) {
        let statement = PostgresStatement(
            "delete from signet.user_consent where mpid = $1",
            .integer(mpid.rawValue)
        )
        _ = try await self.answer(statement, until: self.deadline)
    }

    /// Removes consents that were not written for a time, of users whom no row mentions.
    public func removeConsents(days idle: Int, limit: Int) async throws(SharedStoreError) -> SharedAnswer<Int> {
        try Self.check(limit, upTo: SharedStoreLimits.batch, "consents")
        try Self.check(idle, upTo: SharedStoreLimits.days, "days")
        let statement = PostgresStatement(
            """
            with t as materialized (select \(Self.milliseconds) as ms, \(Self.today) as today),
            locked as materialized (
                select u.mpid from signet.user_consent u
                where u.seen < (select today from t) - $1::bigint::integer
                    and not exists (select from signet.mention m where m.mpid = u.mpid)
                limit $2 for update of u skip locked
            ),
            gone as (delete from signet.user_consent u using locked where u.mpid = locked.mpid returning u.mpid)
            select t.ms, (select count(*) from gone) from t
            """,
            .integer(Int64(idle)),
            .integer(Int64(limit))
        )
        return try await self.one(statement) { Int($0.integer(1)) }
    }
}
#endif
