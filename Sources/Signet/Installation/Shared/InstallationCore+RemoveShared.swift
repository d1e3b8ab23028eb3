// SPDX-License-Identifier: Apache-2.0

import SignetModel

// Removal of an installation whose row several processes share.
extension InstallationCore {
    /// The pause before it is looked at again what stands in the way: for the first tries, and later.
    private static let removalPauses = (first: Duration.milliseconds(100), later: Duration.seconds(1))
    /// The number of the first tries.
    private static let quickRemovals = 10

    /// Delivers what this replica has of the installation, then removes its row: the next open of its id makes a new one.
    ///
    /// The session ends first, for all replicas. Then it waits for the answers to this replica's events, and until no identity call of
    /// any replica is under way. Alias requests stay, and are sent in their time: they are about users. Events that other replicas hold
    /// by then are dropped there, and counted as ``DropCause/installationGone``; so are events without a user here. Handles of this
    /// process throw `closed` at once. Those of other replicas do so from their next call on, or about a second after their next event.
    ///
    /// - Parameter deadline: The uptime at which it gives up.
    /// - Throws: `timedOut` at the deadline; `uploadPaused` while its events wait for the end of a pause; the errors of the shared
    ///   store; `closed`; `notRunning`, also if events wait without `run()`. Then the installation stays and works; only its session
    ///   has ended. After `cancelled` and `outcomeUnknown` it may be gone; a repetition finds out.
    nonisolated(nonsending) func removeShared(until deadline: Duration) async throws(SignetError) {
        guard let store = self.store.shared else { throw .closed }
        guard self.context.lifecycle.acceptsCalls else { throw .notRunning }
        guard self.phase == .open else { throw .closed }
        let time = self.context.time
        var tries = 0
        while try await !self.tryToRemoveOrFind(store, until: deadline) {
            guard self.context.lifecycle.acceptsCalls else { throw .notRunning }
            let left = deadline - time.uptime
            guard left > .zero else { throw .notRemoved("Another call uses it.", isShared: true) }
            tries += 1
            let pause = tries < Self.quickRemovals ? Self.removalPauses.first : Self.removalPauses.later
            do { try await time.sleep(for: min(pause, left)) } catch { throw .cancelled }
        }
        await self.leave(store)
    }

    private nonisolated(nonsending) func tryToRemoveOrFind(
        _ store: SharedInstallationStore,
        until deadline: Duration
    ) async throws(SignetError) -> Bool {
        do throws(SignetError) {
            return try await self.tryToRemove(store, until: deadline)
        } catch {
            // Another replica was first.
            guard store.isGone else { throw error }
            return true
        }
    }

    /// Removes the row if nothing stands in the way; else does what can be done about it.
    ///
    /// - Returns: True if there is no row now.
    private nonisolated(nonsending) func tryToRemove(
        _ store: SharedInstallationStore,
        until deadline: Duration
    ) async throws(SignetError) -> Bool {
        try await store.refresh()
        // Another replica was first.
        if store.isGone { return true }
        guard self.phase == .open else { throw .closed }
        // Events since the last flush may begin a session.
        if store.hasActivity, self.isRunning { return false }
        if store.openSession != nil { try await self.endSessionOfAll() }
        if store.hasRow { self.follow(try await store.logOutbox(before: self.context.time.milliseconds)) }
        guard store.openSession == nil, store.outbox.isEmpty else { return false }
        let hasUser = self.store.read { $0.identity.state.directory.firstUser != nil }
        // The next try shows the changes since.
        guard try await self.isDelivered(hasUser: hasUser, until: deadline) else { return false }
        return try await store.removeRow()
    }

    /// Delivers the events that this replica has of the installation; it asks nothing of the store meanwhile.
    ///
    /// - Parameters:
    ///   - hasUser: True if events without a user get one.
    ///   - deadline: The uptime at which it gives up.
    /// - Returns: True if none waited.
    /// - Throws: As ``removeShared(until:)``.
    private func isDelivered(hasUser: Bool, until deadline: Duration) async throws(SignetError) -> Bool {
        try self.context.emptyMemory()
        guard try await !self.managers.events.isDelivered(self.number, hasUser: hasUser) else { return true }
        try await self.deliverEvents(until: deadline)
        return false
    }

    private var isRunning: Bool {
        self.context.lifecycle.stage == .running
    }

    private nonisolated(nonsending) func endSessionOfAll() async throws(SignetError) {
        guard self.isOptedOut else { return try await self.endSession() }
        try await self.commit(decides: true, confirms: false) { machine, transaction in
            machine.endIfOver(told: .max, &transaction)
        }
    }

    /// Retires this object after the removal of its row, and tells once that its user has left.
    private func leave(_ store: SharedInstallationStore) async {
        let number = self.number
        let commit = store.leaves() ? self.leaveOnce(store) : nil
        store.lose()
        if let commit { self.follow(commit) }
        await self.identity.stop(.closed)
        // Events that wait without a user are dropped with the next reading.
        if number != 0 { self.context.ingress.look(at: number) }
    }

    private func leaveOnce(_ store: SharedInstallationStore) -> InstallationCommit<Void>? {
        do throws(SignetError) {
            return try self.registry.remove(self) { () throws(SignetError) in
                // Before the id can be opened again: its events get another number.
                store.seal()
                return try Self.retire(store)
            }
        } catch {
            // An open has replaced the object, or the runtime has ended: the row is gone all the same.
            do throws(SignetError) { return try Self.retire(store) } catch { return nil }
        }
    }

    private static func retire(_ store: SharedInstallationStore) throws(SignetError) -> InstallationCommit<Void> {
        try store.transact { machine, transaction throws(SignetError) in
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
