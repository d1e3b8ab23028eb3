// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Removes an installation whose row several processes share; ``RowRemoval`` decides.
struct SharedRemoval: Sendable {
    private let core: InstallationCore
    private let store: SharedInstallationStore
    private let delivery: RemovalDelivery

    /// Makes the removal of an installation.
    ///
    /// - Parameters:
    ///   - core: The installation.
    ///   - store: Its store.
    ///   - deadline: The uptime at which it gives up.
    init(of core: InstallationCore, in store: SharedInstallationStore, until deadline: Duration) {
        (self.core, self.store) = (core, store)
        self.delivery = RemovalDelivery(of: core, until: deadline)
    }

    /// Delivers what this replica has of the installation, then removes its row: the next open of its id makes a new one.
    ///
    /// The session ends first, for all replicas. Then it waits for the answers to this replica's events, and until no identity call of
    /// any replica is under way. Alias requests stay, and are sent in their time: they are about users. Events that other replicas hold
    /// by then are dropped there, and counted as ``DropCause/installationGone``; so are events without a user here. Handles of this
    /// process throw `closed` at once. Those of other replicas do so from their next call on, or about a second after their next event.
    ///
    /// - Throws: `timedOut` at the deadline; `uploadPaused` while its events wait for the end of a pause; the errors of the shared
    ///   store; `closed`; `notRunning`, also if events wait without `run()`. Then the installation stays and works; only its session
    ///   has ended. After `cancelled` and `outcomeUnknown` it may be gone; a repetition finds out.
    func remove() async throws(SignetError) {
        var hasEndedSession = false
        do throws(SignetError) {
            try await self.remove(&hasEndedSession)
        } catch {
            throw self.worst(of: error, hasEndedSession: hasEndedSession)
        }
    }

    private func remove(_ hasEndedSession: inout Bool) async throws(SignetError) {
        var removal = RowRemoval()
        var event = RowRemoval.Event.asked(self.facts.handle)
        while true {
            switch removal.next(event, at: self.moment) {
            case .attempt(let part):
                event = try await self.attempt(part)
                if case .endSession = part { hasEndedSession = true }
            case .pause(let pause):
                do { try await self.core.context.time.sleep(for: pause) } catch { throw .cancelled }
                event = .pauseEnded
            case .leave:
                return await self.leave()
            case .fail(let failure):
                throw SignetError(failure)
            }
        }
    }

    /// The error of the call after what its parts have done before the last one.
    private func worst(of error: SignetError, hasEndedSession: Bool) -> SignetError {
        switch error.code {
        case .storeUnreachable, .storeBusy, .storeFailed, .timedOut:
            if self.store.mayBeRemoved { return .removalUnknown(error) }
            guard hasEndedSession, error.code == .storeUnreachable || error.code == .storeBusy else { return error }
            return .sessionEndedOnly(error)
        default: return error
        }
    }

    // MARK: - Facts

    private var facts: RowRemoval.Facts {
        let store = self.store
        // The phase first: a row that goes after it shows as gone, not as closed.
        let phase = self.core.phase
        return RowRemoval.Facts(
            handle: store.isGone ? .gone : phase == .open ? .open : .closed,
            row: store.hasRow ? RowRemoval.Facts.Row(session: store.openSession, outbox: store.outbox) : nil,
            activity: store.hasActivity ? .untold : .told
        )
    }

    private var moment: RowRemoval.Moment {
        RowRemoval.Moment(stage: self.core.context.lifecycle.stage, left: self.delivery.left)
    }

    // MARK: - Parts of a try

    /// Does a part of a try.
    ///
    /// - Returns: The answer; `foundGone` if it failed because another replica was first.
    private func attempt(_ part: RowRemoval.Part) async throws(SignetError) -> RowRemoval.Event {
        do throws(SignetError) {
            return try await self.perform(part)
        } catch {
            guard self.store.isGone else { throw error }
            return .foundGone
        }
    }

    private func perform(_ part: RowRemoval.Part) async throws(SignetError) -> RowRemoval.Event {
        switch part {
        case .readRow:
            try await self.store.refresh()
            return .rowRead(self.facts)
        case .endSession:
            try await self.endSession()
            return .sessionEnded(self.facts)
        case .logOutbox:
            self.core.follow(try await self.store.logOutbox(before: self.core.context.time.milliseconds))
            return .outboxLogged(self.facts)
        case .findEvents:
            return try await self.areEventsAnswered() ? .noEventsWait : .eventsWait
        case .deliverEvents:
            try await self.delivery.deliverEvents()
            return .eventsDelivered
        case .removeRow:
            return try await self.store.removeRow() ? .rowRemoved : .rowChanged
        }
    }

    /// Ends the session for all replicas.
    private func endSession() async throws(SignetError) {
        guard self.core.isOptedOut else { return try await self.core.endSession() }
        try await self.core.commit(decides: true, confirms: false) { machine, transaction in
            machine.endIfOver(told: .max, &transaction)
        }
    }

    /// True if nothing that this replica has of the installation is on its way; events without a user count if they get one.
    private func areEventsAnswered() async throws(SignetError) -> Bool {
        let hasUser = self.core.store.read { $0.identity.state.directory.firstUser != nil }
        try self.core.context.emptyMemory()
        return try await self.core.managers.events.isDelivered(self.core.number, hasUser: hasUser)
    }

    // MARK: - After the removal

    /// Retires the object after the removal of its row, and tells once that its user has left.
    private func leave() async {
        let number = self.core.number
        let commit = self.store.leaves() ? self.leaveOnce() : nil
        self.store.lose()
        if let commit { self.core.follow(commit) }
        await self.core.identity.stop(.closed)
        // Events that wait without a user are dropped with the next reading.
        if number != 0 { self.core.context.ingress.look(at: number) }
    }

    private func leaveOnce() -> InstallationCommit<Void>? {
        do throws(SignetError) {
            return try self.core.registry.remove(self.core) { () throws(SignetError) in
                // Before the id can be opened again: its events get another number.
                self.store.seal()
                return try self.retire()
            }
        } catch {
            // An open has replaced the object, or the runtime has ended: the row is gone all the same.
            do throws(SignetError) { return try self.retire() } catch { return nil }
        }
    }

    private func retire() throws(SignetError) -> InstallationCommit<Void> {
        try self.store.transact { machine, transaction throws(SignetError) in
            machine.leave(now: transaction.moment.now.milliseconds, &transaction)
        }
    }
}

extension InstallationMachine {
    /// Retires an installation whose shared row was removed, and announces that its user has left.
    fileprivate mutating func leave(now: Int64, _ transaction: inout InstallationTransaction) {
        if let user = self.state.directory.currentUser(now: now) {
            transaction.add(.userChange(previous: user, current: nil))
        }
        self.retire()
    }
}

extension SignetError {
    fileprivate static func removalUnknown(_ error: SignetError) -> SignetError {
        SignetError(
            .outcomeUnknown,
            "An answer of the shared store was lost, so the installation may be removed. Call `remove(within:)` again to find out.",
            cause: error
        )
    }

    fileprivate static func sessionEndedOnly(_ error: SignetError) -> SignetError {
        SignetError(
            error.code,
            "The shared store did not remove the installation: it stays, and its session has ended. Call `remove(within:)` again.",
            cause: error
        )
    }

    fileprivate init(_ failure: RowRemoval.Failure) {
        self =
            switch failure {
            case .closed: .closed
            case .notRunning: .notRunning
            case .timedOut: .notRemoved("Another call uses it.", isShared: true)
            }
    }
}
