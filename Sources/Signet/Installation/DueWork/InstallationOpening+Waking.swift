// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

// Due work needs the object of an installation without an open: no launch, no use, no begin and no end of a session.
extension InstallationOpening {
    /// The object of an installation for due work.
    ///
    /// One that is not in memory is made as if its app had closed it: handles cannot use it, answers count, and the next open replaces it
    /// and is a launch.
    ///
    /// - Parameter number: The installation.
    /// - Returns: The object; nil if there is no such installation, or a record of it cannot be read.
    /// - Throws: The error of the disk; `notRunning`.
    func wake(_ number: UInt32) throws(SignetError) -> InstallationCore? {
        guard let id = try self.context.numbers.installation(number) else { return nil }
        return try self.registry.wake(id) { earlierRequest throws(SignetError) in
            let isReset = self.managers.resets.withLock { resets in resets.all.contains { $0.number == number } }
            guard !isReset, let restored = try self.restored(id, number) else { return nil }
            let core = self.makeCore(id, restored, after: earlierRequest)
            _ = core.markClosed()
            return core
        }
    }

    /// Reads an installation that is not in memory; the caller holds the registry's lock.
    ///
    /// - Returns: Nil if there is none with this number, or a record of it cannot be read: its next open reports that.
    /// - Throws: The error of the disk.
    func restored(_ id: InstallationID, _ number: UInt32) throws(SignetError) -> RestoredInstallation? {
        do throws(SignetError) {
            guard let bytes = try self.context.store.value(for: StateKey.identity(id)) else { return nil }
            let state = try IdentityState(decoding: bytes)
            guard state.number == number else { return nil }
            let sessions = try self.context.store.value(for: StateKey.session(id)).map { bytes throws(SignetError) in
                try SessionRecord(decoding: bytes)
            }
            return RestoredInstallation(
                state: state,
                record: try self.context.sessionRecovery.completed(number, sessions ?? .empty),
                own: try self.context.ownContexts.chosen(id)
            )
        } catch {
            guard error.isUnreadable else { throw error }
            return nil
        }
    }
}

extension InstallationRegistry {
    /// The object of an id; made if there is none, without a launch.
    ///
    /// The lock is held meanwhile, so that there is one object per id.
    ///
    /// - Parameters:
    ///   - id: The installation's id.
    ///   - make: Reads the disk and makes the object; receives the request that it must await.
    /// - Returns: The object; nil if `make` has made none.
    /// - Throws: Rethrows errors of `make`; `notRunning` after the end of the runtime.
    func wake(
        _ id: InstallationID,
        make: (_ request: Promise<Void>?) throws(SignetError) -> InstallationCore?
    ) throws(SignetError) -> InstallationCore? {
        try self.withEntry(of: id) { entry throws(SignetError) in
            if let core = entry.core, !core.isRetired { return core }
            let request = entry.requestToAwait
            guard let core = try make(request) else { return nil }
            entry = Entry(core: core, held: nil, earlierRequest: request)
            return core
        }
    }
}

extension InstallationCore {
    /// Keeps the identify that the runtime owes to events without a user, as the last open wants it.
    func setPendingIdentify(_ pending: PendingIdentify?) throws(SignetError) {
        let isOther = self.store.read { machine in
            machine.phase == .open && machine.mpid == nil && machine.state.pendingIdentify != pending
        }
        guard isOther else { return }
        try self.transact { machine, transaction throws(SignetError) in
            guard machine.phase == .open, machine.mpid == nil else { return }
            machine.state.pendingIdentify = pending
            if !machine.isUnsaved { machine.saveIdentity(&transaction) }
        }
        if pending != nil { self.context.dueWork.report { [number = self.number] in $0.identified.append(number) } }
    }
}
