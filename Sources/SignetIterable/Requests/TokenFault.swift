// SPDX-License-Identifier: Apache-2.0

/// The fault of a token, read from the message of the service.
enum TokenFault: Sendable, Hashable, CaseIterable {
    /// Its `exp` is too far from its `iat`.
    case expirationInvalid
    /// It is not a token.
    case formatInvalid
    /// It has expired.
    case expired
    /// It was not signed with the secret of the project.
    case signatureInvalid
    /// It names no user, or a user that does not exist.
    case userKeyInvalid
    /// It was revoked before its expiry.
    case invalidated
    /// Its payload cannot be read.
    case payloadInvalid
    /// The request had no token.
    case missing
    /// Any other fault, such as a token for another user than the request.
    case other

    /// Reads the message of a refusal, compared as a whole and without regard to the case of ASCII letters.
    init(message: String) {
        self =
            switch message.lowercased() {
            case "exp must be less than 1 year from iat": .expirationInvalid
            case "jwt format is invalid": .formatInvalid
            case "jwt token is expired": .expired
            case "jwt is invalid": .signatureInvalid
            case "jwt payload requires a value for userid or email", "email could not be found": .userKeyInvalid
            case "jwt token has been invalidated": .invalidated
            case "invalid payload": .payloadInvalid
            case "jwt authorization header is not set": .missing
            default: .other
            }
    }
}
