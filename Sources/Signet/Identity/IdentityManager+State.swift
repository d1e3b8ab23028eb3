// SPDX-License-Identifier: Apache-2.0

import SignetModel

// Changes that need no platform; they are persisted before they return.
extension IdentityManager {
    /// Opts out or in.
    ///
    /// - Returns: The opt-out whose event is in the journal and must be made durable.
    func setOptedOut(_ isOptedOut: Bool) throws(SignetError) -> DueOptOut {
        let before = self.machine.state
        self.machine.setOptedOut(isOptedOut)
        guard let home = self.home.target else {
            self.machine.replaceState(before)
            throw .closed
        }
        let saved: SavedOptOut
        do throws(SignetError) {
            saved = try home.saveOptOut(self.machine.state)
        } catch {
            self.machine.replaceState(before)
            throw error
        }
        // The opt-out holds once it is persisted, even if its event was refused.
        self.machine.replaceState(saved.state)
        // A push token that changed meanwhile is sent now.
        self.beginPushTokenCall()
        if let failure = saved.failure { throw failure }
        return saved.due
    }

    /// Sets or removes the source that brought the users to the app.
    func setAttribution(_ attribution: Attribution?) throws(SignetError) {
        let before = self.machine.state
        self.machine.setAttribution(attribution)
        try self.save(orRestore: before)
    }

    /// Sets or removes an identity of the device; a changed push token is sent to the platform.
    func setDeviceIdentity(_ value: String?, for type: IdentityType) throws(SignetError) {
        let before = self.machine
        self.machine.setDeviceIdentity(value, for: type)
        do throws(SignetError) {
            try self.save(orRestore: before.state)
        } catch {
            self.machine = before
            throw error
        }
        self.beginPushTokenCall()
    }

    /// Saves the state of the machine, or restores the earlier one.
    func save(orRestore before: IdentityState, updates: [UserUpdate] = []) throws(SignetError) {
        guard let home = self.home.target else { throw .closed }
        do throws(SignetError) {
            try home.save(self.machine.state, updates: updates)
        } catch {
            self.machine.replaceState(before)
            throw error
        }
    }
}
