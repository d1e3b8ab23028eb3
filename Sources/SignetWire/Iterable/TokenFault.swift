//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What is wrong with a token, by the message of the service.
package enum TokenFault: Sendable, Hashable, CaseIterable {
    /// Its `exp` is too far from its `iat`.
    case expirationInvalid
    /// It is no token at all.
    case formatInvalid
    /// Its time is over.
    case expired
    /// It was not signed with the secret of the project.
    case signatureInvalid
    /// It names nobody, or nobody that there is.
    case userKeyInvalid
    /// It was ended before its time.
    case invalidated
    /// What it says cannot be read.
    case payloadInvalid
    /// There was none.
    case missing
    /// Anything else; a token for somebody else than the request among it.
    case other

    /// Reads the message of a refusal: the whole of it, without regard to the case of ASCII letters.
    package init(message: String) {
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
