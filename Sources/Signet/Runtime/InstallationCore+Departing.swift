//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetLock
import SignetModel

extension InstallationCore {
    /// An ephemeral user goes at a switch: what they agreed to stays until their events are in batches.
    ///
    /// Call it under the lock, before the state is written.
    ///
    /// - Parameters:
    ///   - state: The one to come.
    ///   - own: What the lock guards.
    /// - Throws: What the disk says.
    func keepConsent(leaving state: IdentityState, _ own: borrowing State) throws(SignetError) {
        guard let mpid = own.identity.directory.current, state.directory.entries[mpid] == nil,
            let consent = own.identity.directory.entries[mpid]?.consent
        else { return }
        let key = StateKey.departedConsents(own.identity.number)
        var departed = try self.services.store.departedConsents(of: own.identity.number)
        departed.add(mpid, consent, lastEvent: try self.services.lastSequence())
        try self.services.store.put(departed.encoded(), for: key)
    }

    /// The events of users who have gone are in batches.
    ///
    /// - Parameters:
    ///   - number: The number under which they were logged: after damage the installation has another one by now.
    ///   - isDone: Says so of one of them.
    /// - Returns: Whether this object could take it; false when it has left memory.
    /// - Throws: What the disk says.
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
    /// What ephemeral users of an installation agreed to who have gone; a record that cannot be read tells of nobody.
    func departedConsents(of number: UInt32) throws(SignetError) -> DepartedConsents {
        do throws(SignetError) {
            guard let bytes = try self.value(for: StateKey.departedConsents(number)) else { return DepartedConsents() }
            return DepartedConsents(bytes) ?? DepartedConsents()
        } catch {
            guard error.isDamage else { throw error }
            return DepartedConsents()
        }
    }

    /// Forgets some of them; for whoever holds the lock of the installation.
    func forgetDeparted(of number: UInt32, _ isDone: (DepartedConsents.Entry) -> Bool) throws(SignetError) {
        let key = StateKey.departedConsents(number)
        guard self.contains(key) else { return }
        var departed = try self.departedConsents(of: number)
        guard departed.remove(where: isDone) else { return }
        if departed.entries.isEmpty { try self.remove(key) } else { try self.put(departed.encoded(), for: key) }
    }
}
