// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// Removes an installation that one process has; ``InstallationRemoval`` decides.
struct LocalRemoval: Sendable {
    private let core: InstallationCore

    /// Makes the removal of an installation.
    init(of core: InstallationCore) {
        self.core = core
    }

    // MARK: - With delivery

    /// Delivers what waits, then removes the installation.
    ///
    /// - Parameter deadline: The uptime at which the delivery gives up.
    /// - Throws: As `Installation.remove(within:)`.
    func remove(until deadline: Duration) async throws(SignetError) {
        guard self.core.context.lifecycle.acceptsCalls else { throw .notRunning }
        let delivery = RemovalDelivery(of: self.core, until: deadline)
        var removal = InstallationRemoval()
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            let facts = try self.core.store.transact { machine, transaction in
                InstallationRemoval.Facts(machine, transaction.frames)
            }.value
            switch removal.begin(facts, isLate: delivery.left <= .zero) {
            case .refuse:
                throw .closed
            case .finishCalls:
                try await delivery.finishCalls()
            case .endSession:
                try await self.core.endSession()
            case .deliver(let accepted):
                try await delivery.deliver()
                removal.delivered(accepted)
            case .remove:
                // Checked again under the locks: another handle may have logged meanwhile.
                if try await self.commit(removal) { return }
            case .giveUp:
                throw .notRemoved("It is still in use.")
            }
        }
    }

    /// Removes the installation if nothing was accepted since the delivery.
    ///
    /// - Returns: False if something was.
    private func commit(_ removal: InstallationRemoval) async throws(SignetError) -> Bool {
        let committed = try self.core.registry.remove(self.core) {
            () throws(SignetError) -> (commit: InstallationCommit<Bool>, reset: InstallationReset?)? in
            var reset: InstallationReset?
            let commit = try self.core.store.transact { machine, transaction throws(SignetError) in
                let facts = InstallationRemoval.Facts(machine, transaction.frames)
                guard removal.next(facts) == .remove else { return false }
                reset = machine.reset(now: transaction.moment.now.milliseconds, &transaction)
                return true
            }
            if let failure = commit.failure { throw failure }
            return commit.value ? (commit, reset) : nil
        }
        guard let committed else { return false }
        self.core.follow(committed.commit)
        // One that was never on disk is not removed from it.
        if committed.reset != nil { self.core.context.removed(1) }
        try await self.finish(committed.reset)
        return true
    }

    // MARK: - Without delivery

    /// Forgets all data of the installation; from the first record on disk on, its object is retired.
    ///
    /// - Throws: As `Installation.reset()`.
    func reset() async throws(SignetError) {
        guard self.core.context.lifecycle.acceptsCalls else { throw .notRunning }
        var reset: InstallationReset?
        let commit = try self.core.registry.remove(self.core) { () throws(SignetError) -> InstallationCommit<Void>? in
            let commit = try self.core.store.transact { machine, transaction throws(SignetError) in
                try machine.requireOpen()
                // Events in memory must be in the journal to be removed with the rest.
                _ = try transaction.records.lastSequence()
                reset = machine.reset(now: transaction.moment.now.milliseconds, &transaction)
            }
            if let failure = commit.failure { throw failure }
            return commit
        }
        if let commit { self.core.follow(commit) }
        try await self.finish(reset)
    }

    // MARK: - After the commit

    /// Ends what goes on for a removed installation, and removes its data.
    ///
    /// - Parameter reset: The record of the removal; nil if nothing is on disk.
    /// - Throws: `SignetError` from the disk; then the removal stands.
    private func finish(_ reset: InstallationReset?) async throws(SignetError) {
        let (core, managers) = (self.core, self.core.managers)
        // Callers that wait for an answer get `closed`, and late answers change nothing.
        await core.identity.stop(.closed)
        for manager in managers.linked.retire(core.id) { await manager.stop() }
        await managers.aliases.forget(core.id, stamp: core.deviceApplicationStamp)
        if let reset { try await managers.finish(reset, core.context) }
    }
}

extension RuntimeContext {
    /// Counts and reports removed installations.
    func removed(_ count: Int) {
        guard count > 0 else { return }
        self.statistics.record { $0.installationsRemoved += count }
        self.observer.installationsRemoved(count)
    }
}
