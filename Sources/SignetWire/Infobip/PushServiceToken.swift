//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How the token of a push service is written.
package enum PushServiceToken {
    /// A token as it is sent and compared.
    ///
    /// - Parameters:
    ///   - token: As somebody gave it.
    ///   - service: The push service, `pushServiceType`.
    /// - Returns: That of APNS in lower case: it is hexadecimal. Those of the other services are told apart by case.
    package static func canonical(_ token: String, of service: String) -> String {
        service == "APNS" ? token.lowercased() : token
    }
}
