// SPDX-License-Identifier: Apache-2.0

import SignetModel

import struct FoundationEssentials.UUID

// What the services that follow see of an installation.
extension InstallationCore: FollowedInstallation {
    var currentMPID: MPID? {
        self.store.read { $0.mpid }
    }

    var isOptedOut: Bool {
        self.store.read { $0.isOptedOut }
    }

    var number: UInt32 {
        self.store.read { $0.identity.state.number }
    }

    func durableNumber() throws(SignetError) -> UInt32 {
        if self.store.read({ $0.isUnsaved }) {
            try self.transact { machine, transaction throws(SignetError) in try machine.requireDurable(&transaction) }
        }
        return self.number
    }

    var deviceApplicationStamp: UUID {
        self.store.read { $0.identity.state.deviceApplicationStamp }
    }

    func mentions(_ mpid: MPID) -> Bool {
        self.store.read { $0.identity.state.directory.mentioned.contains(mpid) }
    }

    var isOpen: Bool {
        self.phase == .open
    }

    var isRetired: Bool {
        self.phase.isRetired
    }

    var isReset: Bool {
        self.phase == .reset
    }

    var isInForeground: Bool {
        self.store.read { $0.sessions.appState == .foreground }
    }

    func reportNotSaved(_ error: SignetError) {
        self.context.reportNotSaved(self.id, error)
    }

    // MARK: - The outbox

    var hasOutbox: Bool {
        self.context.store.contains(StateKey.outbox(self.id))
    }

    func outbox() throws(SignetError) -> Outbox {
        let (outbox, isDamaged) = try self.transact { machine, transaction throws(SignetError) in
            try machine.loadOutbox(&transaction)
        }
        if isDamaged {
            self.context.reportDamage("The identity syncs of an installation cannot be read. They are lost.")
        }
        return outbox
    }

    /// Asks each service that follows logins what it knows of the user.
    ///
    /// - Returns: None if the outbox cannot be read, which is reported.
    func syncStates() -> [ServiceSyncState] {
        let services = self.managers.linked.all.filter(\.followsLogin)
        guard !services.isEmpty else { return [] }
        do throws(SignetError) {
            let outbox = try self.outbox()
            return services.map { service in
                var syncState = service.syncState(of: self)
                if let entry = outbox.due(for: service.service, after: syncState.followed).last {
                    syncState.expect(entry)
                }
                return syncState
            }
        } catch {
            self.context.reportDamage("The identity syncs of an installation cannot be read: \(error.message)")
            return []
        }
    }

    /// Hands the current user to the other services; on return, each has saved it or the disk refused.
    ///
    /// The identity machine keeps its slot meanwhile, so no other user comes before.
    func syncIdentity() async {
        for service in self.managers.linked.all {
            do throws(SignetError) {
                guard try !self.outbox().open(for: service.service).isEmpty else { continue }
                try await service.followUser(of: self)
            } catch {
                // It stays on disk: retried before any other request of the service, and by the runner of due work.
                self.context.dueWork.report { [number = self.number] in $0.services.append(number) }
                self.context.observer.identitySyncFailed(
                    installation: self.id,
                    service: service.service,
                    error: error
                )
            }
        }
    }

    func endOutboxEntry(
        _ record: OutboxEntry,
        _ service: IdentitySyncOutcome.Service,
        _ kind: IdentitySyncOutcome.Kind
    ) {
        var ended: [OutboxEntry] = []
        self.transactOrReport { machine, transaction in
            ended = machine.endOutboxEntry(record, service, &transaction)
        }
        for other in ended.dropLast() { self.publishSyncOutcome(other, service, .superseded) }
        if !ended.isEmpty { self.publishSyncOutcome(record, service, kind) }
    }

    func publishSyncOutcome(
        _ record: OutboxEntry,
        _ service: IdentitySyncOutcome.Service,
        _ kind: IdentitySyncOutcome.Kind
    ) {
        if case .failed(let error) = kind {
            self.context.observer.identitySyncFailed(installation: self.id, service: service, error: error)
        }
        guard let mpid = record.mpid else { return }
        let outcome = IdentitySyncOutcome(installation: self.id, mpid: mpid, service: service, kind: kind)
        self.context.identitySyncOutcomes.send(outcome, of: self.id)
    }
}
