// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
public import Signet

extension PostgresStore {
    /// Takes the slot of an installation.
    public func takeSlot(
        _ slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        try await self.hold(.init(slot: slot, milliseconds: Self.milliseconds(span), condition: .ownOrFree))
    }

    /// Renews a slot that this token still has, even if its time is over.
    public func renewSlot(
        _ slot: SharedSlotRequest,
        for span: Duration
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        try await self.hold(.init(slot: slot, milliseconds: Self.milliseconds(span), condition: .own))
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

    /// Sets a slot, with those of other calls that wait.
    ///
    /// The row of `installation` is the one of the moment at which the statement began. It belongs to the row of `live` if the tag is
    /// still the one of that moment; else the row is read afterwards.
    private func hold(
        _ wish: CallInbox.SlotWish
    ) async throws(SharedStoreError) -> SharedAnswer<SharedSlotRequest.Outcome> {
        let deadline = self.deadline
        let slot = wish.slot
        let rows = try await self.outcome(of: .slot(wish), until: deadline).rows
        let taken = rows.first { $0.uuid(1) == slot.key }
        if let taken, taken.bool(Self.next), let row = SharedInstallation(row: taken) {
            return SharedAnswer(.taken(row), at: try Self.time(of: [taken]))
        }
        let now: SharedAnswer<[SharedInstallation]>
        do {
            now = try await self.rows([slot.key], until: deadline)
        } catch {
            throw taken == nil ? Self.unanswered(error) : Self.unknown(error)
        }
        guard let row = now.value.first else { return SharedAnswer(.isMissing, at: now.milliseconds) }
        let has = taken != nil && row.slot?.token == slot.token
        return SharedAnswer(has ? .taken(row) : .held(row), at: now.milliseconds)
    }
}

extension PostgresStatement {
    /// The rows are locked first, in the order of their keys, as by a commit.
    private static let hold = Often(
        """
        with t as materialized (select \(PostgresStore.milliseconds) as ms),
        w as materialized (
            select * from unnest((select $1::uuid[]), (select $2::uuid[]), (select $3::uuid[]), (select $4::bigint[]),
                (select $5::smallint[])) as w(k, token, owner, span, renews)
        ),
        locked as materialized (select l.k from signet.live l where l.k = any((select $1::uuid[])::uuid[]) order by l.k for update of l),
        l as (
            update signet.live l set slot = w.token, slot_owner = w.owner, slot_until = t.ms + w.span
            from locked join w on w.k = locked.k cross join t
            where l.k = locked.k and (l.slot = w.token or w.renews = 0
                and (l.slot is null or l.slot_until <= t.ms or l.slot_until > t.ms + 2 * w.span))
            returning l.*
        )
        select t.ms, \(PostgresStore.columns), b.tag = l.tag
        from t join l on true left join signet.live b on b.k = l.k left join signet.installation n on n.k = l.k
        """
    )

    init(wishing wishes: [CallInbox.SlotWish]) {
        self.init(
            Self.hold,
            .uuids(wishes.map(\.slot.key)),
            .uuids(wishes.map(\.slot.token)),
            .uuids(wishes.map(\.slot.owner)),
            .integers(wishes.map(\.milliseconds)),
            .smalls(wishes.map(\.condition.rawValue))
        )
    }
}
#endif
