//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetModel

/// The identities of the device, added to every request; what the platform was last told of the push token is kept too.
struct DeviceIdentities: Sendable, Hashable {
    /// Injected identities by type, the push token among them.
    private(set) var values: [IdentityType: String]
    /// The push token that the platform was last told; nil when it was told of none.
    private(set) var deliveredPushToken: String?

    /// Restores, or begins empty.
    init(values: [IdentityType: String] = [:], deliveredPushToken: String? = nil) {
        self.values = values
        self.deliveredPushToken = deliveredPushToken
    }

    /// Sets or removes one.
    mutating func set(_ value: String?, for type: IdentityType) {
        self.values[type] = value
    }

    /// What the platform does not know of the push token yet; nil when it knows.
    var pushTokenChange: (old: String?, new: String?)? {
        let current = self.values[.pushToken]
        return current == self.deliveredPushToken ? nil : (self.deliveredPushToken, current)
    }

    /// The platform has been told this token.
    mutating func delivered(pushToken: String?) {
        self.deliveredPushToken = pushToken
    }
}
