// SPDX-License-Identifier: Apache-2.0

/// The canonical form of push tokens.
enum PushServiceToken {
    /// A token in the form that is sent and compared.
    ///
    /// - Parameters:
    ///   - token: The token as the app or the service gave it.
    ///   - service: The push service, `pushServiceType`.
    /// - Returns: An APNS token in lower case, because it is hexadecimal; any other unchanged, because case matters.
    static func canonical(_ token: String, of service: String) -> String {
        service == "APNS" ? token.lowercased() : token
    }
}
