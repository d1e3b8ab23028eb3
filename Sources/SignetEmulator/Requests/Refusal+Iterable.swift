// SPDX-License-Identifier: Apache-2.0

import SignetTransport

// The refusals of Iterable's API: `{"code","msg","params"}`. Codes and messages of tokens, `BadApiKey` and the
// status of each are as the vendor's clients read them. The clients read no other code, so the others are our own choice;
// rely on the status. Not emulated: rate limits (script a 429 with faults), and fields whose type changes (a code that no
// source at hand describes).
extension Refusal {
    /// The key is missing or unknown.
    static let badAPIKey = Refusal(status: 401, code: "BadApiKey", message: "Invalid API key")
    /// The token is missing.
    static let missingToken = Refusal(
        status: 401,
        code: "BadAuthorizationHeader",
        message: "JWT Authorization header is not set"
    )
    /// The token is valid, but for another user.
    static let tokenOfAnother = Refusal(
        status: 401,
        code: "JwtUserIdentifiersMismatched",
        message: "JWT user identifiers do not match those of the request"
    )

    /// The token is invalid; the message is one of those that clients know.
    static func invalidToken(_ message: String) -> Refusal {
        Refusal(status: 401, code: "InvalidJwtPayload", message: message)
    }

    static func badParameters(_ message: String) -> Refusal {
        Refusal(status: 400, code: "BadParams", message: message)
    }

    /// The user does not exist.
    ///
    /// No source documents the status; 404 distinguishes it from an invalid request.
    static func unknownUser(_ id: EmulatedIterableUserID) -> Refusal {
        switch id {
        case .email: Refusal(status: 404, code: "UnknownEmailError", message: "The user could not be found.")
        case .userID: Refusal(status: 404, code: "UnknownUserIdError", message: "The user could not be found.")
        }
    }

    /// The matched criterion is not among those of the project: the client must fetch them again.
    static let staleCriteria = Refusal(
        status: 409,
        code: "Conflict",
        message: "The matched criteria are not criteria of the project."
    )

    /// The refusal of a scripted fault in Iterable's API; a new token resolves a 401.
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

    /// The same refusal with a code of Iterable's API, in place of that of the request reader.
    func renamed(_ code: String) -> Refusal {
        self.code == "BAD_REQUEST" ? Refusal(status: self.status, code: code, message: self.message) : self
    }
}

extension TransportResponse {
    /// Makes the answer of Iterable's API, for accepted and refused requests.
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
