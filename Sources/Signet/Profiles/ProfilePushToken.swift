//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// A push token of the device of an installation.
struct ProfilePushToken: Sendable, Hashable {
    /// In lower case.
    let token: String
    /// The push service.
    let service: String
}
