//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// The identities of the device, added to every request: as the app last gave them, whichever way.
struct DeviceIdentities: Sendable, Hashable {
    /// Identities by type, the push token among them.
    private(set) var values: [IdentityType: String]

    /// Restores, or begins empty.
    init(values: [IdentityType: String] = [:]) {
        self.values = values
    }

    /// Sets or removes one.
    mutating func set(_ value: String?, for type: IdentityType) {
        self.values[type] = value
    }
}
