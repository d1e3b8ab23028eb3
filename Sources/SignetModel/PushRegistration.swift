//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A device can be reached by push from now on, or no longer (Events API v2, `push_registration`).
public struct PushRegistration: Sendable, Hashable {
    /// Whether it can be reached.
    public var isRegistered: Bool
    /// The token of the push service.
    public var token: Secret

    /// Makes a registration.
    public init(isRegistered: Bool, token: Secret) {
        self.isRegistered = isRegistered
        self.token = token
    }
}
