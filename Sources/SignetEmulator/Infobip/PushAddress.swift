// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The push address of an installation; two registrations with the same address are one installation.
struct PushAddress: Sendable, Hashable {
    let service: String
    let token: String

    /// Reads the address from the members of an installation; nil if service or token is missing.
    ///
    /// APNS tokens are hexadecimal and kept in lower case; tokens of other services are case-sensitive.
    init?(_ members: JSONObject) {
        guard let service = members["pushServiceType"]?.string, let token = members["pushServiceToken"]?.string else {
            return nil
        }
        self.service = service
        self.token = service == "APNS" ? token.lowercased() : token
    }
}
