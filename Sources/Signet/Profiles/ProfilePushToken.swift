//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A push token of the device of an installation.
struct ProfilePushToken: Sendable, Hashable {
    /// Of APNS in lower case: it is hexadecimal.
    ///
    /// Those of the other services are told apart by case.
    let token: String
    /// The push service.
    let service: String
}

extension ProfilePushToken {
    init(_ token: Secret, service: String) {
        self.init(token: token.withExposed { service == "APNS" ? $0.lowercased() : $0 }, service: service)
    }
}
