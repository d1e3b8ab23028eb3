// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetWire

/// A push token of the installation's device.
struct InfobipPushToken: Sendable, Hashable {
    /// The token in the form that is sent and compared.
    let token: String
    /// The push service.
    let service: String
}

extension InfobipPushToken {
    init(_ token: Secret, service: String) {
        self.init(token: token.withExposed { Self.canonical($0, of: service) }, service: service)
    }

    /// A token in the form that is sent and compared: an APNS token is hexadecimal, so its case does not matter.
    static func canonical(_ token: String, of service: String) -> String {
        service == "APNS" ? token.lowercased() : token
    }
}
