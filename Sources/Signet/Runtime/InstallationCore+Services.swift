// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

import struct FoundationEssentials.UUID

extension InstallationCore: FollowedInstallation {
    var currentMPID: MPID? {
        self.state.withLock { $0.identity.directory.current }
    }

    var isOptedOut: Bool {
        self.state.withLock { $0.identity.isOptedOut }
    }

    var number: UInt32 {
        self.state.withLock { $0.identity.number }
    }

    var deviceApplicationStamp: UUID {
        self.state.withLock { $0.identity.deviceApplicationStamp }
    }

    func mentions(_ mpid: MPID) -> Bool {
        self.state.withLock { $0.identity.directory.mentioned.contains(mpid) }
    }

    var isOpen: Bool {
        self.phase == .open
    }

    var isInForeground: Bool {
        self.state.withLock { $0.sessions.appState == .foreground }
    }

    var hasOutbox: Bool {
        self.services.store.contains(StateKey.outbox(self.id))
    }

    func manager(of service: IdentitySyncOutcome.Service) -> (any LinkedManager)? {
        self.state.withLock { $0.managers[service] }
    }

    func keep(_ manager: any LinkedManager, of service: IdentitySyncOutcome.Service) -> Bool {
        self.state.withLock { own in
            guard own.phase != .retired else { return false }
            own.managers[service] = manager
            return true
        }
    }

    var isReset: Bool {
        self.state.withLock { $0.isReset }
    }

    func reportNotSaved(_ error: SignetError) {
        self.services.reportNotSaved(self.id, error)
    }

    func outbox() throws(SignetError) -> Outbox {
        let (outbox, isDamaged) = try self.state.withLock { own throws(SignetError) in
            if let outbox = own.outbox { return (outbox, false) }
            let key = StateKey.outbox(self.id)
            var outbox: Outbox? = Outbox()
            do throws(SignetError) {
                if let bytes = try self.services.store.value(for: key) { outbox = try Outbox(bytes) }
            } catch {
                guard error.isDamage else { throw error }
                outbox = nil
            }
            let isDamaged = outbox == nil
            var found = outbox ?? Outbox()
            found.begin(with: own.identity.directory.current)
            own.outbox = found
            return (found, isDamaged)
        }
        if isDamaged {
            self.services.reportDamage("The identity syncs of an installation cannot be read. They are lost.")
        }
        return outbox
    }

    /// Reads the outbox if any service follows logins; reports errors of the disk.
    func loadOutbox() {
        guard !self.services.linked.ofLogins.isEmpty else { return }
        do throws(SignetError) {
            _ = try self.outbox()
        } catch {
            self.services.reportDamage("The identity syncs of an installation cannot be read: \(error.message)")
        }
    }

    /// Records the identity sync of a user change in the outbox, before the new user is saved.
    ///
    /// Call it under the lock of the installation, with the outbox loaded.
    ///
    /// - Returns: The record that was dropped to make room, if any.
    func addToOutbox(
        _ previous: User?,
        _ current: User,
        _ own: inout State
    ) throws(SignetError) -> OutboxEntry? {
        guard let record = OutboxEntry(previous, current, for: self.services.linked.ofLogins) else { return nil }
        // Nil: only a newer version can read it; reported at the attempt to load it.
        guard own.outbox != nil else { return nil }
        let dropped = own.outbox?.add(record)
        try self.saveOutbox(own)
        return dropped
    }

    private func saveOutbox(_ own: borrowing State) throws(SignetError) {
        let key = StateKey.outbox(self.id)
        guard let outbox = own.outbox, !outbox.records.isEmpty else { return try self.services.store.remove(key) }
        try self.services.store.put(outbox.encoded(), for: key)
    }

    /// Hands the current user to the other services; on return, each has saved it or the disk refused.
    ///
    /// The identity machine keeps its slot meanwhile, so no other user comes before.
    func syncIdentity() async {
        for service in self.services.linked.all {
            do throws(SignetError) {
                guard try !self.outbox().open(for: service.service).isEmpty else { continue }
                try await service.followUser(of: self)
            } catch {
                // It stays on disk: retried before any other request of the service, and at the next start.
                self.services.observer.identitySyncFailed(
                    installation: self.id,
                    service: service.service,
                    error: error
                )
            }
        }
    }

    func endOutboxEntry(_ record: OutboxEntry, _ service: IdentitySyncOutcome.Service, _ kind: IdentitySyncOutcome.Kind)
    {
        let (ended, failure) = self.state.withLock { own -> ([OutboxEntry], SignetError?) in
            // The next object of the installation reports it.
            guard own.phase != .retired else { return ([], nil) }
            let ended = own.outbox?.end(record.id, for: service) ?? []
            guard !ended.isEmpty else { return ([], nil) }
            do throws(SignetError) {
                try self.saveOutbox(own)
                return (ended, nil)
            } catch {
                return (ended, error)
            }
        }
        if let failure { self.services.reportNotSaved(self.id, failure) }
        for other in ended.dropLast() { self.publishSyncOutcome(other, service, .superseded) }
        if !ended.isEmpty { self.publishSyncOutcome(record, service, kind) }
    }

    func publishSyncOutcome(
        _ record: OutboxEntry,
        _ service: IdentitySyncOutcome.Service,
        _ kind: IdentitySyncOutcome.Kind
    ) {
        if case .failed(let error) = kind {
            self.services.observer.identitySyncFailed(installation: self.id, service: service, error: error)
        }
        guard let mpid = record.mpid else { return }
        let outcome = IdentitySyncOutcome(installation: self.id, mpid: mpid, service: service, kind: kind)
        self.services.identitySyncOutcomes.send(outcome, of: self.id)
    }

    /// Removes the identities of an erased user, current or not.
    ///
    /// - Parameters:
    ///   - mpid: The erased user's MPID.
    ///   - all: True to remove all records, because the services forget the installation.
    /// - Throws: `SignetError` from the disk.
    func eraseFromOutbox(_ mpid: MPID, all: Bool) throws(SignetError) {
        _ = try self.outbox()
        try self.state.withLock { own throws(SignetError) in
            guard own.phase != .retired else { return }
            if all { own.outbox = Outbox() }
            _ = own.outbox?.forget { $0 == mpid }
            // Written in any case: the record on disk may name a user whose change was never saved.
            try self.saveOutbox(own)
        }
    }
}
