//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// Where pushes for an installation go: two that have the same are one.
struct PushAddress: Sendable, Hashable {
    let service: String
    let token: String

    /// What the members of an installation name; nil where one of the two is missing.
    ///
    /// Tokens of APNS are hexadecimal and known in lower case; those of the other services are told apart by case.
    init?(_ members: JSONObject) {
        guard let service = members["pushServiceType"]?.string, let token = members["pushServiceToken"]?.string else {
            return nil
        }
        self.service = service
        self.token = service == "APNS" ? token.lowercased() : token
    }
}
