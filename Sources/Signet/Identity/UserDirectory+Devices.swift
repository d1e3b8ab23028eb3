//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel
import SignetWire

// What the platform knows of users, the identities of their devices included: what a modify starts from.
extension UserDirectory {
    /// The platform has been told these identities of the device; those it is not told of stay with the user.
    mutating func tell(_ identities: [IdentityType: String], of mpid: MPID) {
        self.entries[mpid]?.deviceIdentities.merge(identities) { $1 }
    }

    /// The platform has taken these changes of a user; what they say of a device is kept here.
    mutating func tell(_ changes: [IdentityChange], of mpid: MPID) {
        for change in changes where change.type.isDevice {
            self.entries[mpid]?.deviceIdentities[change.type] = change.new
        }
    }

    /// The plain values that the platform has of a user, as far as this installation told it.
    func identitiesTold(of mpid: MPID) -> [IdentityType: String] {
        self.identities(of: mpid).merging(self.entries[mpid]?.deviceIdentities ?? [:]) { $1 }
    }

    /// The platform took an identity from a user, because it is unique and belongs to another one now.
    mutating func lose(_ type: IdentityType, of mpid: MPID, to value: String?) {
        guard let value, self.identitiesTold(of: mpid)[type] == value else { return }
        self.entries[mpid]?.identities[type] = nil
        self.entries[mpid]?.deviceIdentities[type] = nil
    }
}
