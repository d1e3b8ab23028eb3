//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetJournal
import SignetModel

/// What delivery must know of users: from memory when the installation is there, else from disk.
struct UserLookup: Sendable {
    let registry: InstallationRegistry
    let store: StateStore

    /// What a batch says of its user.
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

    /// A batch with removals of attributes is written down: no other will tell of them.
    ///
    /// - Parameters:
    ///   - id: The installation.
    ///   - mpid: Whose.
    ///   - number: Up to which removal.
    /// - Throws: What the disk says; then the next batch may tell of them again.
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

    /// A batch is written down that tells what somebody agreed to who has gone.
    ///
    /// - Parameters:
    ///   - id: The installation.
    ///   - number: Its number.
    ///   - isDone: Whether all events of somebody are in batches.
    /// - Throws: What the disk says; then it stays for a while longer.
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

    /// After which event of the journal an installation has opted out, the last time; nil when it never did.
    func optedOutAfter(_ id: InstallationID) throws(SignetError) -> UInt64? {
        try self.state(of: id)?.optedOutAfter
    }

    /// Who owns what was logged for nobody on an installation.
    func heirs(_ id: InstallationID) throws(SignetError) -> [AnonymousAttribution] {
        try self.state(of: id)?.directory.heirs ?? []
    }

    /// The number of an installation in the tags of its events; nil when it has none.
    func number(_ id: InstallationID) throws(SignetError) -> UInt32? {
        try self.state(of: id).flatMap { $0.number == 0 ? nil : $0.number }
    }

    /// What an installation remembers of identity.
    ///
    /// - Returns: What is known; nil when there is nothing, or nothing readable any more: that is reported when the
    ///   installation is opened, and a batch goes without what it held.
    /// - Throws: What may pass: a batch that was made now would lack for ever what the disk did not give.
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
