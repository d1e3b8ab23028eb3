// SPDX-License-Identifier: Apache-2.0

import SignetJournal
import SignetModel

/// Looks up users for delivery: in memory if the installation is there, else on disk.
struct UserLookup: Sendable {
    let registry: InstallationRegistry
    let store: StateStore

    /// The user data of a batch.
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
            consent: state.consent ?? entry?.consent ?? departed,
            hasDeparted: departed != nil,
            attribution: state.attribution,
            identities: entry?.identities.mapValues(\.value) ?? [:],
            deviceIdentities: state.devices.values
        )
    }

    /// Forgets attribute removals that a saved batch carries: no other batch will carry them.
    ///
    /// - Parameters:
    ///   - id: The installation.
    ///   - mpid: The user's MPID.
    ///   - number: The newest removal in the batch.
    /// - Throws: `SignetError` from the disk; then the next batch may carry them again.
    func removalsCarried(_ id: InstallationID, _ mpid: MPID, upTo number: Int64) throws(SignetError) {
        while true {
            if let core = self.registry.find(id), try core.removalsCarried(of: mpid, upTo: number) { return }
            let opened = try self.registry.unlessPresent(id) { () throws(SignetError) in
                guard var state = try self.state(of: id, in: nil) else { return }
                guard state.directory.forgetRemovals(of: mpid, upTo: number) else { return }
                try self.store.put(state.encoded(), for: StateKey.identity(id))
            }
            if opened == nil { return }
        }
    }

    /// Forgets the consent of departed users after a batch with it was saved.
    ///
    /// - Parameters:
    ///   - id: The installation.
    ///   - number: The installation's number in event tags.
    ///   - isDone: Returns true if all events of the entry's user are in batches.
    /// - Throws: `SignetError` from the disk; then the consent stays for a while longer.
    func departedCarried(
        _ id: InstallationID,
        _ number: UInt32,
        _ isDone: (DepartedConsents.Entry) -> Bool
    ) throws(SignetError) {
        while true {
            if let core = self.registry.find(id), try core.departedCarried(number, isDone) { return }
            let opened = try self.registry.unlessPresent(id) { () throws(SignetError) in
                try self.store.forgetDeparted(of: number, isDone)
            }
            if opened == nil { return }
        }
    }

    /// The last journal event before the installation's latest opt-out; nil without one.
    func optedOutAfter(_ id: InstallationID) throws(SignetError) -> UInt64? {
        try self.state(of: id)?.optedOutAfter
    }

    /// The users who own the events that an installation logged without a current user.
    func anonymousAttributions(_ id: InstallationID) throws(SignetError) -> [AnonymousAttribution] {
        try self.state(of: id)?.directory.anonymousAttributions ?? []
    }

    /// The number of an installation in the tags of its events; nil if it has none.
    func number(_ id: InstallationID) throws(SignetError) -> UInt32? {
        try self.state(of: id).flatMap { $0.number == 0 ? nil : $0.number }
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
