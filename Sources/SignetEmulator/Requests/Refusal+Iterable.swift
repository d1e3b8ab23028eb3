//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

// What Iterable's API says no with: `{"code","msg","params"}`. Codes and messages of tokens, `BadApiKey` and the
// status of each are as the vendor's clients read them. The clients read no other code, so the others are our own choice;
// what to rely on is the status. Not emulated: limits on the rate of requests (faults says 429 when it is told to), and
// fields whose type is another than before (a code that no source at hand describes).
extension Refusal {
    /// The key is missing or of no project.
    static let badAPIKey = Refusal(status: 401, code: "BadApiKey", message: "Invalid API key")
    /// There is no token.
    static let missingToken = Refusal(
        status: 401,
        code: "BadAuthorizationHeader",
        message: "JWT Authorization header is not set"
    )
    /// The token is good, but for somebody else.
    static let tokenOfAnother = Refusal(
        status: 401,
        code: "JwtUserIdentifiersMismatched",
        message: "JWT user identifiers do not match those of the request"
    )

    /// The token proves nothing; the message is one of those that clients know.
    static func invalidToken(_ message: String) -> Refusal {
        Refusal(status: 401, code: "InvalidJwtPayload", message: message)
    }

    static func badParameters(_ message: String) -> Refusal {
        Refusal(status: 400, code: "BadParams", message: message)
    }

    /// Nobody is called so.
    ///
    /// No source says the status; 404 tells it from what is wrong with a request itself.
    static func unknownUser(_ id: EmulatedIterableUserID) -> Refusal {
        switch id {
        case .email: Refusal(status: 404, code: "UnknownEmailError", message: "The user could not be found.")
        case .userID: Refusal(status: 404, code: "UnknownUserIdError", message: "The user could not be found.")
        }
    }

    /// The criterion that is said to have matched is not among those of the project: to be fetched again.
    static let staleCriteria = Refusal(
        status: 409,
        code: "Conflict",
        message: "The matched criteria are not those of the project."
    )

    /// What faults says in Iterable's API; a 401 is one that a new token mends.
    static func iterableFault(_ status: Int) -> Refusal {
        let code =
            switch status {
            case 400: "BadParams"
            case 401: "InvalidJwtPayload"
            case 403: "Forbidden"
            case 404: "NotFound"
            case 409: "Conflict"
            case 429: "RateLimitExceeded"
            default: "GenericError"
            }
        let message = status == 401 ? "JWT token is expired" : "As scripted in Emulator.faults."
        return Refusal(status: status, code: code, message: message)
    }

    /// The same under the code of Iterable's API, where the reading of requests has given its own.
    func renamed(_ code: String) -> Refusal {
        self.code == "BAD_REQUEST" ? Refusal(status: self.status, code: code, message: self.message) : self
    }
}

extension TransportResponse {
    /// The answer of Iterable's API to what it took and what it refused alike.
    init(iterable refusal: Refusal?) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("msg", refusal?.message ?? "")
        writer.member("code", refusal?.code ?? "Success")
        writer.key("params")
        writer.null()
        writer.endObject()
        self.init(json: writer.bytes, status: refusal?.status ?? 200)
    }
}
