// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

import struct FoundationEssentials.UUID

/// Looks up users for delivery: in memory if the installation is there, else on disk.
struct UserLookup: EventUsers {
    private let registry: InstallationRegistry
    private let store: StateStore
    private let recovery: SessionRecovery

    init(_ registry: InstallationRegistry, _ context: RuntimeContext) {
        (self.registry, self.store, self.recovery) = (registry, context.store, context.sessionRecovery)
    }

    func batchUser(_ id: InstallationID, _ mpid: MPID) throws(SignetError) -> BatchUser {
        guard let state = try self.state(of: id) else { return BatchUser() }
        let entry = state.directory.entries[mpid]
        var departed: ConsentState?
        if state.number != 0, entry?.consent == nil {
            departed = try self.store.departedConsents(of: state.number).consent(of: mpid)
        }
        return BatchUser(
            deviceApplicationStamp: state.deviceApplicationStamp,
            attributes: entry?.attributes ?? [:],
            removals: (entry?.removals ?? [:]).sorted { $0.value < $1.value }.map { ($0.key, $0.value) },
            consent: state.consent ?? entry?.consent,
            unsentConsent: entry?.unsentConsent,
            departedConsent: departed,
            attribution: state.attribution,
            identities: entry?.identities.mapValues(\.value) ?? [:],
            deviceIdentities: state.devices.values
        )
    }

    func removalsCarried(_ id: InstallationID, _ mpid: MPID, upTo number: Int64) throws(SignetError) {
        while true {
            let isTaken = try self.registry.find(id)?.transact { machine, transaction in
                machine.removalsCarried(of: mpid, upTo: number, &transaction)
            }
            if isTaken == true { return }
            let opened = try self.registry.unlessPresent(id) { () throws(SignetError) in
                guard var state = try self.state(of: id, in: nil) else { return }
                guard state.directory.forgetRemovals(of: mpid, upTo: number) else { return }
                try self.store.put(state, of: id)
            }
            if opened == nil { return }
        }
    }

    func removalsNotSent(
        _ id: InstallationID,
        _ mpid: MPID,
        _ keys: [String],
        of batch: UUID
    ) throws(SignetError) {
        while true {
            let isTaken = try self.registry.find(id)?.transact { machine, transaction in
                machine.removalsNotSent(keys, of: mpid, &transaction)
            }
            if isTaken == true { return }
            let opened = try self.registry.unlessPresent(id) { () throws(SignetError) in
                guard var state = try self.state(of: id, in: nil) else { return }
                guard state.directory.noteRemovals(keys, of: mpid) else { return }
                try self.store.put(state, of: id)
            }
            if opened == nil { return }
        }
    }

    func consentSent(_ id: InstallationID, _ mpid: MPID, upTo number: Int64) throws(SignetError) {
        while true {
            let isTaken = try self.registry.find(id)?.transact { machine, transaction in
                machine.consentSent(of: mpid, upTo: number, &transaction)
            }
            if isTaken == true { return }
            let opened = try self.registry.unlessPresent(id) { () throws(SignetError) in
                guard var state = try self.state(of: id, in: nil) else { return }
                guard state.directory.consentSent(of: mpid, upTo: number) else { return }
                try self.store.put(state, of: id)
            }
            if opened == nil { return }
        }
    }

    func unsentConsents(_ id: InstallationID) throws(SignetError) -> [MPID: Int64] {
        try self.state(of: id)?.unsentConsents ?? [:]
    }

    func departedCarried(
        _ id: InstallationID,
        _ number: UInt32,
        _ isDone: (DepartedConsents.Entry) -> Bool
    ) throws(SignetError) {
        while true {
            let isTaken = try self.registry.find(id)?.transact { machine, transaction throws(SignetError) in
                guard !machine.phase.isRetired else { return false }
                // Not the machine's number: after damage the installation has another one by now.
                try transaction.forgetDeparted(of: number, isDone)
                return true
            }
            if isTaken == true { return }
            let opened = try self.registry.unlessPresent(id) { () throws(SignetError) in
                try self.store.forgetDeparted(of: number, isDone)
            }
            if opened == nil { return }
        }
    }

    func optedOutAfter(_ id: InstallationID) throws(SignetError) -> UInt64? {
        try self.state(of: id)?.optedOutAfter
    }

    func isOptedOut(_ id: InstallationID) throws(SignetError) -> Bool {
        try self.state(of: id)?.isOptedOut ?? false
    }

    func anonymousAttributions(_ id: InstallationID) throws(SignetError) -> [AnonymousAttribution] {
        try self.state(of: id)?.directory.anonymousAttributions ?? []
    }

    func number(_ id: InstallationID) throws(SignetError) -> UInt32? {
        try self.state(of: id).flatMap { $0.number == 0 ? nil : $0.number }
    }

    func fold(_ number: UInt32, of id: InstallationID) throws(SignetError) {
        // Nobody opens the installation meanwhile: an object in memory writes the record itself.
        let core = try self.registry.unlessPresent(id) { () throws(SignetError) in try self.recovery.fold(number) }
        try core?.fold()
    }

    /// The identity state of an installation.
    ///
    /// - Returns: The state; nil if it is missing or unreadable. The next open reports damage; a batch goes without the data.
    /// - Throws: Errors of the disk that may pass: a batch made now would lack the data for ever.
    func state(of id: InstallationID) throws(SignetError) -> IdentityState? {
        try self.state(of: id, in: self.registry.find(id))
    }

    private func state(of id: InstallationID, in core: InstallationCore?) throws(SignetError) -> IdentityState? {
        if let core { return core.identityState }
        let bytes: [UInt8]?
        do throws(SignetError) {
            bytes = try self.store.value(for: StateKey.identity(id))
        } catch {
            guard error.isDamage else { throw error }
            return nil
        }
        guard let bytes else { return nil }
        do throws(SignetError) { return try IdentityState(decoding: bytes) } catch { return nil }
    }
}
