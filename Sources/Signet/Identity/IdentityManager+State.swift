//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

// Changes that need no platform: persisted before they return.
extension IdentityManager {
    /// Sets or removes an attribute of the addressed user.
    ///
    /// - Parameters:
    ///   - value: nil removes.
    ///   - key: Which attribute.
    ///   - mpid: Whose; nil for whoever is current now.
    /// - Throws: `optOut`, `noUser`, `closed`, `diskFull`, `diskFailed`; then nothing was changed.
    func setAttribute(_ value: AttributeValue?, for key: String, of mpid: MPID?) throws(SignetError) {
        guard !self.machine.state.isOptedOut else { throw .optOut }
        let target = mpid ?? self.machine.state.directory.current
        let before = self.machine.state
        guard self.machine.setAttribute(value, for: key, of: target) else { throw .noUser }
        let directory = self.machine.state.directory
        let attributes = target.map { directory.entries[$0]?.attributes ?? [:] } ?? directory.orphanedAttributes
        if let violation = UserLimits.violation(of: attributes) {
            self.machine.replaceState(before)
            throw SignetError(.invalidArgument, violation.message, cause: violation)
        }
        try self.save(orRestore: before)
    }

    /// Opts out or in.
    func setOptedOut(_ isOptedOut: Bool) throws(SignetError) {
        let before = self.machine.state
        self.machine.setOptedOut(isOptedOut)
        try self.save(orRestore: before)
    }

    /// Sets or removes what brought the users to the app.
    func setAttribution(_ attribution: Attribution?) throws(SignetError) {
        let before = self.machine.state
        self.machine.setAttribution(attribution)
        try self.save(orRestore: before)
    }

    /// Sets or removes an identity of the device; a changed push token is told to the platform.
    func setDeviceIdentity(_ value: String?, for type: IdentityType) throws(SignetError) {
        let before = self.machine.state
        self.machine.setDeviceIdentity(value, for: type)
        try self.save(orRestore: before)
        self.beginPushTokenCall()
    }

    private func save(orRestore before: IdentityState) throws(SignetError) {
        guard let home = self.home.target else { throw .closed }
        do throws(SignetError) {
            try home.save(self.machine.state)
        } catch {
            self.machine.replaceState(before)
            throw error
        }
    }
}
