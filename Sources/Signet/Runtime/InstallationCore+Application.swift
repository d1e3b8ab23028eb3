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
    /// The app goes to the background.
    func enterBackground() throws(SignetError) {
        defer {
            self.saveLaunch(isClosedInOrder: true)
            self.infobipFollowsUse(false)
            // Many systems end what is in the background.
            self.services.ingress.hasten(self.identityState.number)
        }
        try self.conclude(self.advance { sessions, now, timeout in sessions.enterBackground(at: now, timeout) })
    }

    /// The app comes to the foreground.
    func enterForeground(_ referral: String?) throws(SignetError) {
        defer {
            self.saveLaunch(isClosedInOrder: false)
            // Closed or opted out, it is in nobody's hands.
            self.infobipFollowsUse(self.state.withLock { $0.phase == .open && !$0.identity.isOptedOut })
        }
        try self.conclude(
            self.advance(Transition(referral: referral)) { sessions, now, timeout in
                sessions.enterForeground(at: now, timeout, newID: self.services.newSessionID)
            }
        )
    }

    /// What the disk remembers of launches.
    var launches: LaunchCounts? {
        get throws(SignetError) {
            guard self.services.sessionRules.reportsApplicationState else { return nil }
            return try self.services.store.value(for: StateKey.launch(self.id)).flatMap { LaunchRecord($0) }.map {
                LaunchCounts($0)
            }
        }
    }

    /// Writes down whether an end of the process from now on is one in order.
    func saveLaunch(isClosedInOrder: Bool) {
        guard self.services.sessionRules.reportsApplicationState else { return }
        let failure = self.state.withLock { state -> SignetError? in
            guard state.phase == .open, !state.identity.isOptedOut else { return nil }
            let key = StateKey.launch(self.id)
            do throws(SignetError) {
                guard let bytes = try self.services.store.value(for: key), var record = LaunchRecord(bytes),
                    record.isClosedInOrder != isClosedInOrder
                else { return nil }
                record.isClosedInOrder = isClosedInOrder
                try self.services.store.put(record.encoded(), for: key)
                return nil
            } catch {
                return error
            }
        }
        if let failure { self.services.reportNotSaved(self.id, failure) }
    }
}
