// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

// The identities that the platform has of users, including those of their devices; a modify computes its delta from them.
extension UserDirectory {
    /// Records device identities that were sent to the platform; those not sent stay with the user.
    mutating func tell(_ identities: [IdentityType: String], of mpid: MPID) {
        self.entries[mpid]?.deviceIdentities.merge(identities) { $1 }
    }

    /// Records the device identities in changes that the platform has accepted.
    mutating func tell(_ changes: [IdentityChange], of mpid: MPID) {
        for change in changes where change.type.isDevice {
            self.entries[mpid]?.deviceIdentities[change.type] = change.new
        }
    }

    /// The plain values that the platform has of a user, as far as this installation sent them.
    func identitiesTold(of mpid: MPID) -> [IdentityType: String] {
        self.identities(of: mpid).merging(self.entries[mpid]?.deviceIdentities ?? [:]) { $1 }
    }

    /// Removes a unique identity that the platform took from a user because it belongs to another one now.
    mutating func lose(_ type: IdentityType, of mpid: MPID, to value: String?) {
        guard let value, self.identitiesTold(of: mpid)[type] == value else { return }
        self.entries[mpid]?.identities[type] = nil
        self.entries[mpid]?.deviceIdentities[type] = nil
    }
}
