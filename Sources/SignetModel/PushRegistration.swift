// SPDX-License-Identifier: Apache-2.0

/// A change of whether push reaches a device (Events API v2, `push_registration`).
public struct PushRegistration: Sendable, Hashable {
    /// True when push reaches the device from now on; false when it no longer does.
    public var isRegistered: Bool
    /// The token of the push service.
    public var token: Secret

    /// Makes a registration.
    public init(isRegistered: Bool, token: Secret) {
        self.isRegistered = isRegistered
        self.token = token
    }
}
