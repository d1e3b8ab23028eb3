// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

/// The difference that a transaction makes to an installation's row.
struct SharedChange: Sendable {
    /// The row as this process last read it, without its bytes.
    struct Base: Sendable, Hashable {
        /// Its tag; nil if there is no row.
        var tag: UUID?
        /// Its open session.
        var session: SharedInstallation.OpenSession?
        /// Its outbox.
        var outbox = SharedOutbox()
        /// The moment at which a replica looks at it, in milliseconds since 1970.
        var look: Int64?
        /// The newest format of its bytes; zero if there is no row.
        var format: UInt8 = 0
    }

    /// The commit to send.
    let commit: SharedCommit
    /// The state that it writes.
    let state: SharedState
    /// The row after it.
    let base: Base

    /// Computes the difference; nil if the row stays as it is, or if there is none and nothing to keep.
    ///
    /// - Parameters:
    ///   - id: The installation's id.
    ///   - key: The row's key.
    ///   - base: The row that the transaction was made on.
    ///   - before: The machine that the transaction was made on.
    ///   - transaction: The transaction, with the machine after it.
    ///   - begun: The events that it has begun a session for, and that a flush tells; nil for none.
    ///   - token: The slot that the commit is fenced by; nil for none.
    ///   - tag: The new tag.
    ///   - format: The format to write; see ``RowFormats``.
    init?(
        _ id: InstallationID,
        key: UUID,
        on base: Base,
        before: InstallationMachine,
        _ transaction: InstallationTransaction,
        begun: LocalActivity?,
        fencedBy token: UUID?,
        tag: UUID,
        format: UInt8
    ) {
        guard let after = transaction.steps.last?.after else { return nil }
        let moment = transaction.moment
        var next = base
        var state = SharedState(identity: after.state, part: after.shared.value)
        state.identity.number = 0
        if before.mpid != after.mpid { state.part.note(after.mpid, at: moment.now.milliseconds) }
        var condition = base.tag.map { SharedCommit.Condition.tag($0) } ?? .isMissing
        var session = SharedCommit.SessionChange.keep
        if transaction.scope.decides {
            session = Self.session(base, before, after, &state.part, &next, transaction, begun)
            if let previous = transaction.optOut?.previous { state.part.previous = previous }
            if session != .keep, let tag = base.tag, let open = base.session {
                condition = .unchanged(tag: tag, last: open.last, events: open.events)
            }
        }
        if session == .keep, let open = base.session { Self.follow(open, after, moment, &state.part) }
        next.outbox.remove(transaction.loggedEntries)
        next.outbox.takeOver(transaction.takenEntries, at: moment.now.milliseconds)
        if let optOut = transaction.optOut { next.outbox.add(optOut) }
        for mpid in transaction.forgotten {
            state.part.forget(mpid)
            next.outbox.forget(mpid)
        }
        if case .set(let look) = transaction.look {
            next.look = look
        } else {
            next.look = Self.look(next, moment, owesFacts: state.identity.owesFacts)
        }
        var old = SharedState(identity: before.state, part: before.shared.value)
        old.identity.number = 0
        let isNew = base.tag == nil
        guard isNew && transaction.needsRow || token != nil || state != old || next != base else { return nil }
        next.tag = tag
        var commit = SharedCommit(id, key: key, if: condition, tag: tag)
        if isNew || state != old { commit.state = state.encoded(as: format) }
        if commit.state != nil || next.outbox != base.outbox { next.format = format }
        commit.slotToken = isNew ? nil : token
        commit.session = session
        if next.look != base.look { commit.look = .set(next.look) }
        if next.outbox != base.outbox {
            commit.outbox = .set(next.outbox.isEmpty ? [] : next.outbox.encoded(as: format))
        }
        let was: Set<MPID> = isNew ? [] : old.mentioned.union(base.outbox.mentioned)
        let now = state.mentioned.union(next.outbox.mentioned)
        commit.mentions = now.subtracting(was).sorted()
        // A field of a newer version may have named one whom the rest did not.
        commit.forgets = was.union(isNew ? [] : transaction.forgotten).subtracting(now).sorted()
        (self.commit, self.state, self.base) = (commit, state, next)
    }

    /// The change of the session, where the transaction may decide about it.
    private static func session(
        _ base: Base,
        _ before: InstallationMachine,
        _ after: InstallationMachine,
        _ part: inout SharedPart,
        _ next: inout Base,
        _ transaction: InstallationTransaction,
        _ begun: LocalActivity?
    ) -> SharedCommit.SessionChange {
        let current = after.sessions.current
        guard base.session?.id != current?.uuid else {
            // Begun and ended at once: the next one follows it.
            let left = transaction.steps.last { $0.after.sessions.current != nil }?.after.sessions.totals
            if current == nil, let totals = transaction.sessionEnds.last?.totals ?? left {
                part.previous = PreviousSession(totals)
                for end in transaction.sessionEnds { next.outbox.add(end) }
            }
            return .keep
        }
        if let open = base.session {
            // An app ends a session after its last event: the end says how long it was.
            let end = transaction.sessionEnds.first { $0.totals.session.uuid == open.id }
            let last = (end?.totals ?? before.sessions.totals)?.lastMilliseconds ?? open.last
            part.previous = PreviousSession(
                uuid: open.id,
                start: open.started,
                length: max(0, last.subtractingSaturated(open.started))
            )
        }
        for end in transaction.sessionEnds { next.outbox.add(end) }
        guard let current, let totals = after.sessions.totals else {
            (part.sessionUsers, part.sessionAttributes) = ([], [:])
            next.session = nil
            return .end
        }
        (part.sessionUsers, part.sessionAttributes) = (totals.mpids, totals.attributes)
        // Told by a flush alone: one that takes them while this commit is under way would tell them a second time.
        let logged = begun?.session == current.uuid ? begun?.events ?? 0 : 0
        let untold = logged + transaction.untold(in: current.uuid)
        let open = SharedInstallation.OpenSession(
            id: current.uuid,
            started: current.startTime.milliseconds,
            last: totals.lastMilliseconds,
            events: max(0, totals.events - untold)
        )
        next.session = open
        return .begin(open)
    }

    /// Notes what the transaction changed in the open session.
    private static func follow(
        _ open: SharedInstallation.OpenSession,
        _ after: InstallationMachine,
        _ moment: InstallationMoment,
        _ part: inout SharedPart
    ) {
        guard let totals = after.sessions.totals, totals.session.uuid == open.id else { return }
        part.sessionAttributes = totals.attributes
        for mpid in totals.mpids where !part.sessionUsers.contains(mpid) { part.sessionUsers.append(mpid) }
        if let mpid = after.mpid, part.sessionUsers.last != mpid, totals.mpids.last == mpid,
            part.sessionUsers.count < SessionTotals.returnLimit
        {
            part.sessionUsers.append(mpid)
        }
    }

    /// The moment at which a replica must look: at the session's deadline, to take the outbox over, or to send a consent or a push token.
    private static func look(_ base: Base, _ moment: InstallationMoment, owesFacts: Bool) -> Int64? {
        let deadline = base.session.map { $0.last.addingSaturated(moment.timeout.milliseconds) }
        let now = moment.now.milliseconds
        let facts = owesFacts ? now.addingSaturated(moment.uploadInterval.milliseconds) : nil
        let next = [deadline, base.outbox.takeover, facts].compactMap { $0 }.min()
        // One that was set for this session or these facts stays: activity does not move it, and the look finds the later one.
        if let look = base.look, let next, deadline != nil || facts != nil, look <= next { return look }
        return next
    }
}
