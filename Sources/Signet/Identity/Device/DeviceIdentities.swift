// SPDX-License-Identifier: Apache-2.0

import SignetModel

/// The identities of the device, added to every request; the app's last value counts, from whichever call.
struct DeviceIdentities: Sendable, Hashable {
    /// Identities by type, the push token among them.
    private(set) var values: [IdentityType: String]

    /// Makes the restored identities, or none.
    init(values: [IdentityType: String] = [:]) {
        self.values = values
    }

    /// Sets an identity, or removes it.
    mutating func set(_ value: String?, for type: IdentityType) {
        self.values[type] = value
    }
}
