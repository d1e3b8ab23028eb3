// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

import struct FoundationEssentials.UUID

/// Looks up users for delivery: in memory if the installation is there, else on disk.
struct UserLookup: EventUsers {
    private let registry: InstallationRegistry
    private let store: StateStore
    private let recovery: SessionRecovery
    private let context: RuntimeContext

    init(_ registry: InstallationRegistry, _ context: RuntimeContext) {
        (self.registry, self.store, self.recovery) = (registry, context.store, context.sessionRecovery)
        self.context = context
    }

    func batchUser(_ id: InstallationID, _ mpid: MPID) throws(SignetError) -> BatchUser {
        guard let state = try self.state(of: id) else { return BatchUser() }
        let entry = state.directory.entries[mpid]
        var departed: ConsentState?
        if state.number != 0, entry?.consent == nil {
            departed = try self.store.departedConsents(of: state.number).consent(of: mpid)
        }
        var user = BatchUser(state, mpid, departed: departed)
        // Ephemeral users have no record.
        guard entry?.isEphemeral != true else { return user }
        user.take(
            try self.context.consentRecord(of: mpid),
            on: state,
            carrying: self.context.configuration.events.userFacts,
            at: self.context.time.milliseconds
        )
        return user
    }

    func accepted(
        _ id: InstallationID,
        _ mpid: MPID,
        _ facts: NumberedFacts
    ) throws(SignetError) -> FactsAcceptance {
        // The installation owes what is late before the record says that it was accepted: a kill in between repeats the
        // batch, and one after it finds the debt.
        let consents = self.context.consents
        let consent = try facts.version.map { version throws(SignetError) in
            try consents?.meaning(of: version, for: mpid) ?? .inOrder
        }
        var acceptance = consent ?? .inOrder
        if facts.concernInstallation || consent == .late {
            let found = try self.change(
                id,
                { machine, transaction in machine.accepted(facts, of: mpid, consent: consent, &transaction) },
                onDisk: { directory in directory.accept(facts, of: mpid, consent: consent) }
            )
            if found == .late { acceptance = .late }
        }
        if let version = facts.version, try self.accepted(version, of: mpid, on: id) == .late { acceptance = .late }
        return acceptance
    }

    /// Notes a consent that the platform has accepted in the record of the user.
    private func accepted(
        _ version: UserConsent.Version,
        of mpid: MPID,
        on id: InstallationID
    ) throws(SignetError) -> FactsAcceptance? {
        guard let consents = self.context.consents else { return nil }
        guard version.number > 0, try consents.record(of: mpid) == nil else {
            return try consents.accepted(version, of: mpid)
        }
        // That of the installation needs no answer of the user. An erasure takes the user from the installation first, under the same lock.
        while true {
            let made = try self.registry.find(id)?.store.read { machine in
                Result { () throws(SignetError) in
                    guard !machine.phase.isRetired else { return FactsAcceptance?.none }
                    let isMade = machine.state.consent != nil && machine.state.mayHaveRecord(of: mpid)
                    return try consents.accepted(version, of: mpid, makingRecord: isMade)
                }
            }
            .get()
            if let made = made ?? nil { return made }
            var acceptance = FactsAcceptance.inOrder
            let opened = try self.registry.unlessPresent(id) { () throws(SignetError) in
                let state = try self.state(of: id, in: nil)
                let isMade = state?.consent != nil && state?.mayHaveRecord(of: mpid) == true
                acceptance = try consents.accepted(version, of: mpid, makingRecord: isMade)
            }
            if opened == nil { return acceptance }
        }
    }

    func consentNotBrought(_ id: InstallationID, _ mpid: MPID, upTo number: Int64) throws(SignetError) {
        _ = try self.change(
            id,
            { machine, transaction in machine.leaveConsentToEvents(of: mpid, upTo: number, &transaction) },
            onDisk: { directory in directory.leaveConsentToEvents(of: mpid, upTo: number) ? .inOrder : nil }
        )
    }

    /// Changes the users of an installation: in its object if there is one, else on disk.
    ///
    /// - Parameters:
    ///   - id: The installation.
    ///   - change: Changes the object; nil if it has left memory.
    ///   - onDisk: Changes the users; nil if that changes nothing.
    /// - Returns: The meaning; nil if nothing was changed.
    /// - Throws: The error of the disk.
    private func change(
        _ id: InstallationID,
        _ change: (inout InstallationMachine, inout InstallationTransaction) -> InstallationMachine.FactsChange?,
        onDisk: (inout UserDirectory) -> FactsAcceptance?
    ) throws(SignetError) -> FactsAcceptance? {
        while true {
            let made = try self.registry.find(id)?.transact { machine, transaction in change(&machine, &transaction) }
            if let made { return made.acceptance }
            var acceptance: FactsAcceptance?
            let opened = try self.registry.unlessPresent(id) { () throws(SignetError) in
                guard var state = try self.state(of: id, in: nil) else { return }
                acceptance = onDisk(&state.directory)
                if acceptance != nil { try self.store.put(state, of: id) }
            }
            if opened == nil { return acceptance }
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
