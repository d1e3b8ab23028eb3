// SPDX-License-Identifier: Apache-2.0

#if PostgresStore
public import Signet

extension PostgresStore {
    /// Takes the slot of an installation.
    public func takeSlot(
        _ slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        try await self.hold(
            slot,
            for: span,
            if: "l.slot is null or l.slot = $2 or l.slot_until <= t.ms or l.slot_until > t.ms + 2 * $4"
        )
    }

    /// Renews a slot that this token still has, even if its time is over.
    public func renewSlot(
        _ slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        try await self.hold(slot, for: span, if: "l.slot = $2")
    }

    /// Frees a slot if this token has it.
    public func releaseSlot(_ slot: SharedSlotRequest) async throws(SharedStoreError) {
        let statement = PostgresStatement(
            "update signet.live set slot = null, slot_owner = null, slot_until = null where k = $1 and slot = $2",
            .uuid(slot.key),
            .uuid(slot.token)
        )
        _ = try await self.answer(statement, until: self.deadline)
    }

    /// Sets a slot where a condition holds.
    ///
    /// The row of `installation` is the one of the moment at which the statement began. It belongs to the row of `live` if the tag is
    /// still the one of that moment; else the row is read afterwards.
    private func hold(
        _ slot: SharedSlotRequest,
        for span: Duration,
        if condition: String
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        let deadline = self.deadline
        let statement = PostgresStatement(
            """
            with t as materialized (select \(Self.milliseconds) as ms),
            l as (
                update signet.live l set slot = $2, slot_owner = $3, slot_until = t.ms + $4
                from t where l.k = $1 and (\(condition)) returning l.*
            )
            select t.ms, \(Self.columns), b.tag = l.tag
            from t join l on true left join signet.live b on b.k = l.k left join signet.installation n on n.k = l.k
            """,
            .uuid(slot.key),
            .uuid(slot.token),
            .uuid(slot.owner),
            .integer(Self.milliseconds(span))
        )
        let taken = try await self.answer(statement, until: deadline).rows.first
        if let taken, taken.bool(15), let row = SharedInstallation(row: taken) {
            return SharedAnswer(.taken(row), at: try Self.time(of: [taken]))
        }
        let now: SharedAnswer<[SharedInstallation]>
        do {
            now = try await self.rows([slot.key], until: deadline)
        } catch {
            throw taken == nil ? error : Self.unknown(error)
        }
        guard let row = now.value.first else { return SharedAnswer(.isMissing, at: now.milliseconds) }
        let has = taken != nil && row.slot?.token == slot.token
        return SharedAnswer(has ? .taken(row) : .held(row), at: now.milliseconds)
    }
}
#endif
