// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

// Changes of the row: made on a copy, taken by the store if no other process was first, and carried out here.
extension SharedInstallationStore {
    nonisolated(nonsending) func commit<Value>(
        fencedBy token: UUID?,
        decides: Bool,
        confirms: Bool,
        ofOpenSince began: Duration?,
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) async throws(SignetError) -> InstallationCommit<Value> {
        await self.turn.acquire()
        defer { self.turn.release() }
        var hasRead = !self.isRead
        if hasRead { try await self.refresh() }
        for attempt in 0..<Self.tries {
            // Removed by another process: its handles are closed, and nothing makes the row again.
            guard !self.isGone, self.hasRow || !self.needsRow else { throw .closed }
            if attempt > 1 { try await self.stepBack(attempt) }
            // A flush meanwhile claims nothing of after this moment.
            let number = self.unflushed.begin(at: self.writer.context.time)
            defer { self.unflushed.end(number) }
            let drafted: (draft: Draft<Value>, change: SharedChange?, leaving: LeavingUsers)
            do throws(SignetError) {
                drafted = try self.fittingDraft(fencedBy: token, decides: decides, body)
            } catch {
                // Another process may have opted in, or found the user, since the row was last read.
                guard !hasRead, error.mayFollowFromRow else { throw error }
                try await self.refresh()
                hasRead = true
                continue
            }
            let (draft, change, leaving) = drafted
            guard let change else {
                // By the row as it was last read; since then another process may have changed what this call sets.
                guard confirms, !hasRead else { return self.finish(draft, nil, body) }
                try await self.refresh()
                hasRead = true
                continue
            }
            switch try await self.send(change.commit, ofOpenSince: began, once: draft.transaction.isSentOnce) {
            case .committed(let sent, let received):
                var commit = self.finish(draft, (change, sent, received)) {
                    machine,
                    transaction throws(SignetError) in
                    let value = try body(&machine, &transaction)
                    machine.leave(leaving)
                    return value
                }
                commit.usersDropped = leaving.users.count
                return commit
            case .differs(let answer):
                if let token, let row = answer.value, row.slot?.token != token {
                    switch self.fate(of: token, row) {
                    case .taken: break
                    case .notTaken: throw .superseded
                    case .unknown: throw .storeOutcomeHidden
                    }
                    if try !self.take(answer) { try await self.refresh() }
                    return self.finish(draft, nil, body)
                }
                if try !self.take(answer) { try await self.refresh() }
                hasRead = true
            }
        }
        throw .storeBusy
    }

    /// Sends a commit; one that a slot fences is remembered if its outcome is unknown.
    private nonisolated(nonsending) func send(
        _ commit: SharedCommit,
        ofOpenSince began: Duration?,
        once: Bool
    ) async throws(SignetError) -> FleetMember.CommitResult {
        do throws(SignetError) {
            return try await self.fleet.change(ofOpenSince: began) { () async throws(SignetError) in
                try await self.fleet.commit(commit, once: once)
            }
        } catch {
            if let slot = commit.slotToken, error.code == .outcomeUnknown {
                self.state.withLock { state in
                    var doubtful = state.doubtful ?? Doubtful(slot: slot)
                    if doubtful.slot != slot { doubtful = Doubtful(slot: slot) }
                    doubtful.tags.insert(commit.tag)
                    doubtful.base = commit.expectedTag
                    state.doubtful = doubtful
                }
            }
            throw error
        }
    }

    /// The fate of the commits of a slot, in a row that another process may have changed since.
    private enum SlotFate {
        /// One of them, whose answer was lost, has freed the slot: no other process has taken it.
        case taken
        case notTaken
        /// An answer was lost, and all tags that the row remembers are newer.
        case unknown
    }

    private func fate(of slot: UUID, _ row: SharedInstallation) -> SlotFate {
        guard let doubtful = self.state.withLock({ $0.doubtful }), doubtful.slot == slot else { return .notTaken }
        guard doubtful.tags.isDisjoint(with: row.tags) else { return .taken }
        let hidesBase = row.tags.count >= SharedStoreLimits.tags && doubtful.base.map { !row.tags.contains($0) } ?? true
        return hidesBase ? .unknown : .notTaken
    }

    /// Runs a transaction on a copy; users leave the installation with it if its row would be too large.
    ///
    /// - Returns: The draft, the change that it makes to the row, and those who leave.
    /// - Throws: The error of the transaction; `limitReached` if the current user alone is too large.
    private func fittingDraft<Value>(
        fencedBy token: UUID?,
        decides: Bool,
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) throws(SignetError) -> (draft: Draft<Value>, change: SharedChange?, leaving: LeavingUsers) {
        var leaving = LeavingUsers()
        let others = decides ? self.unflushed.missing(besides: self) : []
        while true {
            var drafted: Draft<Value>?
            try self.state.withLock { state throws(SignetError) in
                // A row that is missing may be made by another process first: its stamp is not known before the commit.
                let stamp = state.row.tag == nil ? nil : state.machine.state.deviceApplicationStamp
                drafted = try self.draft(&state, decides: decides, stamp: stamp, others: others) {
                    machine,
                    transaction throws(SignetError) in
                    let value = try body(&machine, &transaction)
                    machine.leave(leaving)
                    return value
                }
            }
            // Set above, or an error was thrown.
            guard let draft = drafted else { throw .closed }
            let format = self.fleet.format(ofRow: draft.base.format)
            let change = SharedChange(
                self.writer.id,
                key: self.key,
                on: draft.base,
                before: draft.before,
                draft.transaction,
                begun: draft.begun,
                fencedBy: token,
                tag: .random(),
                format: format
            )
            guard let change, let size = change.commit.state?.count, size > SharedStoreLimits.valueBytes else {
                return (draft, change, leaving)
            }
            guard let more = change.state.leaving(toFit: SharedStoreLimits.valueBytes, in: format), !more.isEmpty else {
                throw .rowTooLarge(size)
            }
            leaving.users += more.users
            leaving.consents += more.consents
        }
    }

    /// Lets another process that changes the same row go first, for 10 ms after the second loss and 640 ms after the last.
    private nonisolated(nonsending) func stepBack(_ attempt: Int) async throws(SignetError) {
        let context = self.writer.context
        let pause = Duration.milliseconds(5 << attempt) * context.configuration.jitter()
        do { try await context.time.sleep(for: pause) } catch { throw .cancelled }
    }

    /// Applies a transaction that the store has taken to what this process knows by now, and carries it out.
    private func finish<Value>(
        _ draft: Draft<Value>,
        _ taken: (change: SharedChange, sent: Duration, received: Duration)?,
        _ body: (inout InstallationMachine, inout InstallationTransaction) throws(SignetError) -> Value
    ) -> InstallationCommit<Value> {
        var isFirst = false
        var commit = InstallationCommit(value: draft.value)
        self.state.withLock { state in
            var (transaction, value) = (draft.transaction, draft.value)
            // A reading that came meanwhile is newer than the row that the transaction was made on.
            let newer = state.row.tag == draft.base.tag ? nil : state.machine
            // Its events belong to the row that it has changed.
            if draft.transaction.hasEvents, state.lease == nil { state.setLease(draft.lease) }
            // Calls that came meanwhile have changed the slot and the counts: the same change once more, on the live value.
            var live = state.machine
            let own = live.sessions
            live.takeShared(from: draft.before)
            var again = transaction.restarted(with: state.frames)
            do throws(SignetError) {
                if let begun = draft.begun { _ = live.begin(oneOf: [begun], self.key, &again) }
                value = try body(&live, &again)
                again.step(&live)
                transaction = again
            } catch {
                // Closed or retired meanwhile: the store has the change, and its events are logged.
            }
            // The end of a session has counted what was noted before it was drafted. All else is told by a flush: a session that is
            // open keeps the counts of its row, and later events come after an end.
            if transaction.scope.decides {
                let ended = Set(transaction.sessionEnds.map(\.totals.session.uuid))
                let begun = taken == nil ? nil : draft.begun
                let open = taken?.change.base.session?.id
                state.activity.commit(draft.activity, ended: ended, begun: begun, open: open)
            }
            let noted = state.activity.events(in: own.current?.uuid)
            commit = self.carryOut(transaction, value, &state, &isFirst)
            // An event that the disk refused stays in the outbox: a replica logs it later.
            state.logged.formUnion(commit.entries)
            if !commit.entries.isEmpty { isFirst = true }
            let row = (self.key, state.machine.state.deviceApplicationStamp)
            state.machine.session.resume(own, state.activity.missing(), row)
            state.machine.session.keepCounts(of: own, and: state.activity.events(in: own.current?.uuid) - noted)
            if let newer {
                state.machine.takeShared(from: newer)
            } else if let taken, !state.row.isGone {
                state.row.commit(taken.change.base, sent: taken.sent, received: taken.received)
                state.machine.shared.value = taken.change.state.part
            }
            // Removed since the store took it.
            if state.row.isGone { state.machine.retire() }
            if state.row.tag != nil { self.fitNumber(&state, to: state.machine.state.deviceApplicationStamp) }
            state.wish.read(state.machine.state.directory, state.machine.shared.value)
            self.noteWishOrReport(state)
        }
        if isFirst { self.enter() }
        return commit
    }
}

extension SignetError {
    /// True if the reason may be in a shared row: a newer reading may not have it any more.
    var mayFollowFromRow: Bool {
        switch self.code {
        case .optedOut, .noUser, .noSession, .invalidArgument, .limitReached: true
        default: false
        }
    }
}

extension InstallationMachine {
    /// Takes over what the rows say from another value of the same installation.
    fileprivate mutating func takeShared(from other: InstallationMachine) {
        let number = self.state.number
        self.state = other.state
        self.state.number = number
        self.shared = other.shared
        self.session.set(other.sessions)
    }
}

extension InstallationTransaction {
    /// An empty transaction of the same moment.
    fileprivate func restarted(with frames: InstallationFrames) -> InstallationTransaction {
        var again = InstallationTransaction(
            id: self.id,
            moment: self.moment,
            scope: self.scope,
            records: self.records,
            frames: frames
        )
        again.sharedOutbox = self.sharedOutbox
        again.sharedConsents = self.sharedConsents
        return again
    }
}
