// SPDX-License-Identifier: Apache-2.0

import SignetLock
import SignetModel

extension InstallationCore {
    /// Records that the app enters the background.
    func enterBackground() throws(SignetError) {
        defer {
            self.saveLaunch(isClosedInOrder: true)
            self.notifyForeground(false)
            // Many systems end background apps.
            self.services.ingress.hasten(self.identityState.number)
        }
        try self.conclude(self.advance { sessions, now, timeout in sessions.enterBackground(at: now, timeout) })
    }

    /// Records that the app enters the foreground.
    func enterForeground(_ referral: String?) throws(SignetError) {
        defer {
            self.saveLaunch(isClosedInOrder: false)
            // A closed or opted-out installation is not in use.
            self.notifyForeground(self.state.withLock { $0.phase == .open && !$0.identity.isOptedOut })
        }
        try self.conclude(
            self.advance(Transition(referral: referral)) { sessions, now, timeout in
                sessions.enterForeground(at: now, timeout, newID: self.services.newSessionID)
            }
        )
    }

    private func notifyForeground(_ isInForeground: Bool) {
        for service in self.services.linked.all {
            service.followForeground(of: self, isInForeground: isInForeground)
        }
    }

    /// The launch counts on disk; nil without a record, or if the app's state is not reported.
    var launches: Installation.LaunchCounts? {
        get throws(SignetError) {
            guard self.services.sessionRules.reportsApplicationState else { return nil }
            return try self.services.store.value(for: StateKey.launch(self.id)).flatMap { LaunchRecord($0) }.map {
                Installation.LaunchCounts($0)
            }
        }
    }

    /// Records whether an end of the process from now on is a clean exit.
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
