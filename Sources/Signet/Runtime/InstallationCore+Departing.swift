// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

extension InstallationCore {
    /// Keeps the consent of an ephemeral user who departs at a switch, until their events are in batches.
    ///
    /// Call it under the lock, before the state is written.
    ///
    /// - Parameters:
    ///   - state: The next state.
    ///   - own: The state that the lock guards.
    /// - Throws: `SignetError` from the disk.
    func keepConsent(leaving state: IdentityState, _ own: borrowing State) throws(SignetError) {
        guard let mpid = own.identity.directory.current, state.directory.entries[mpid] == nil,
            let consent = own.identity.directory.entries[mpid]?.consent
        else { return }
        let key = StateKey.departedConsents(own.identity.number)
        var departed = try self.services.store.departedConsents(of: own.identity.number)
        departed.add(mpid, consent, lastEvent: try self.services.lastSequence())
        try self.services.store.put(departed.encoded(), for: key)
    }

    /// Forgets the consent of departed users whose events are in batches.
    ///
    /// - Parameters:
    ///   - number: The installation number of their events; after damage the installation has another one by now.
    ///   - isDone: Returns true if the events of the entry's user are in batches.
    /// - Returns: True if this object took it; false if it has left memory.
    /// - Throws: `SignetError` from the disk.
    func departedCarried(
        _ number: UInt32,
        _ isDone: (DepartedConsents.Entry) -> Bool
    ) throws(SignetError) -> Bool {
        try self.state.withLock { own throws(SignetError) -> Bool in
            guard own.phase != .retired else { return false }
            try self.services.store.forgetDeparted(of: number, isDone)
            return true
        }
    }
}

extension StateStore {
    /// The consents of departed ephemeral users of an installation; empty if the record cannot be read.
    func departedConsents(of number: UInt32) throws(SignetError) -> DepartedConsents {
        do throws(SignetError) {
            guard let bytes = try self.value(for: StateKey.departedConsents(number)) else { return DepartedConsents() }
            return DepartedConsents(bytes) ?? DepartedConsents()
        } catch {
            guard error.isDamage else { throw error }
            return DepartedConsents()
        }
    }

    /// Forgets some departed users; the caller holds the lock of the installation.
    func forgetDeparted(of number: UInt32, _ isDone: (DepartedConsents.Entry) -> Bool) throws(SignetError) {
        let key = StateKey.departedConsents(number)
        guard self.contains(key) else { return }
        var departed = try self.departedConsents(of: number)
        guard departed.remove(where: isDone) else { return }
        if departed.entries.isEmpty { try self.remove(key) } else { try self.put(departed.encoded(), for: key) }
    }
}
