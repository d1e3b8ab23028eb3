// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A refusal of a request: the status and the content of the error body.
///
/// Messages name members and rules, never the values of a request.
struct Refusal: Error, Sendable, Hashable {
    let status: Int
    let code: String
    let message: String

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    static func badRequest(_ message: String) -> Refusal {
        Refusal(400, "BAD_REQUEST", message)
    }

    /// The request does not identify a profile.
    static func lookupFailed(_ message: String) -> Refusal {
        Refusal(400, "LOOKUP_ERROR", message)
    }

    static func unauthorized(_ message: String) -> Refusal {
        Refusal(401, "UNAUTHORIZED", message)
    }

    static func forbidden(_ message: String) -> Refusal {
        Refusal(403, "FORBIDDEN", message)
    }

    static func notFound(_ message: String) -> Refusal {
        Refusal(404, "NOT_FOUND", message)
    }

    static func methodNotAllowed(_ message: String) -> Refusal {
        Refusal(405, "METHOD_NOT_ALLOWED", message)
    }

    /// Makes the answer to the client.
    ///
    /// The body is `{"errors":[{"code","message"}]}`, for alias `{"code","message"}` alone (IDSync HTTP API; the platform's own
    /// client reads the alias form). Iterable's and Infobip's APIs have forms of their own.
    func response(to route: EmulatorRoute?) -> TransportResponse {
        var response =
            if route?.isIterable == true {
                TransportResponse(iterable: self)
            } else if route?.isInfobip == true {
                TransportResponse(infobip: self)
            } else {
                self.platformResponse(to: route)
            }
        if self.status == 405 {
            response.headers.append(name: "Allow", value: (route?.method ?? .post).rawValue)
        }
        return response
    }

    private func platformResponse(to route: EmulatorRoute?) -> TransportResponse {
        let error: JSONValue = ["code": .string(self.code), "message": .string(self.message)]
        let body = route == .alias || route == .webAlias ? error : ["errors": [error]]
        return TransportResponse(json: body.encoded(), status: self.status)
    }
}

extension TransportResponse {
    /// Makes an answer with a JSON body.
    init(json body: [UInt8], status: Int = 200) {
        var headers = HTTPHeaders()
        headers.append(name: "Content-Type", value: "application/json; charset=utf-8")
        self.init(status: status, headers: headers, body: body)
    }
}

// The refusals of Infobip's API: `{"requestError":{"serviceException":{"messageId","text"}}}`. The ids are the
// documented ones. No source pairs them with a status, and the vendor's clients read only the body: here it is 400, or 401
// for authorization.
extension Refusal {
    /// The application code is missing.
    static let applicationCodeMissing = Refusal(401, "APP_CODE_MISSING", "Application code is missing")
    /// The code is unknown: 1, "invalid application code".
    static let invalidApplicationCode = Refusal(401, "1", "Invalid application code")
    /// The requesting or target registration does not exist, or the bearer may not access it.
    static let noRegistration = Refusal(400, "NO_REGISTRATION", "Registration does not exist")
    /// The header names no registration, or not that of the path: 7, "invalid internal registration id".
    static let invalidRegistration = Refusal(400, "7", "Invalid internal registration id")
    /// The cloud type is missing: 2.
    static let invalidCloudType = Refusal(400, "2", "Invalid cloud type")
    /// The cloud type is not a documented one: 4.
    static let unsupportedCloudType = Refusal(400, "4", "Unsupported cloud type")
    /// A value to save belongs to another person.
    static let mergeInterrupted = Refusal(
        400,
        "USER_MERGE_INTERRUPTED",
        "A phone, an email or the external user id belongs to another person"
    )
    /// The identity matches several people.
    static let ambiguousCandidates = Refusal(
        400,
        "AMBIGUOUS_PERSONALIZE_CANDIDATES",
        "The identity matches several persons"
    )
    /// The installation belongs to another person already.
    static let personalizationImpossible = Refusal(
        400,
        "PERSONALIZATION_IMPOSSIBLE",
        "The installation is personalized with another person; depersonalize it first"
    )
    /// The identity is empty.
    static let identityInvalid = Refusal(
        400,
        "USER_IDENTITY_INVALID",
        "The identity has no phone, no email and no external user id"
    )
    /// The portal forbids the data.
    static let dataRestricted = Refusal(400, "USER_DATA_RESTRICTED", "Saving sensitive data is restricted")

    static func phoneInvalid(_ details: String) -> Refusal {
        Refusal(400, "PHONE_INVALID", "Invalid phone number (\(details))")
    }

    static func emailInvalid(_ details: String) -> Refusal {
        Refusal(400, "EMAIL_INVALID", "Invalid email (\(details))")
    }

    static func formatInvalid(_ message: String) -> Refusal {
        Refusal(400, "REQUEST_FORMAT_INVALID", message)
    }

    /// A field does not have the documented format.
    static func formatInvalid(_ field: String, shouldBe type: String) -> Refusal {
        .formatInvalid("\(field) should be \(type)")
    }

    /// The token is invalid; of the service's answer, only the two ids in the vendor's clients are known.
    static func infobipToken(isExpired: Bool, _ message: String) -> Refusal {
        Refusal(401, isExpired ? "JWT_TOKEN_EXPIRED" : "JWT_TOKEN_STRUCTURE_INVALID", message)
    }
}

extension TransportResponse {
    /// Makes the answer of Infobip's API to a refused request.
    init(infobip refusal: Refusal) {
        let exception: JSONValue = ["messageId": .string(refusal.code), "text": .string(refusal.message)]
        let body: JSONValue = ["requestError": ["serviceException": exception]]
        self.init(json: body.encoded(), status: refusal.status)
    }
}

// The refusals of Iterable's API: `{"code","msg","params"}`. Codes and messages of tokens, `BadApiKey` and the
// status of each are as the vendor's clients read them. The clients read no other code, so the others are our own choice;
// rely on the status. Not emulated: rate limits (script a 429 with faults), and fields whose type changes (a code that no
// source at hand describes).
extension Refusal {
    /// The key is missing or unknown.
    static let badAPIKey = Refusal(401, "BadApiKey", "Invalid API key")
    /// The token is missing.
    static let missingToken = Refusal(401, "BadAuthorizationHeader", "JWT Authorization header is not set")
    /// The token is valid, but for another user.
    static let tokenOfAnother = Refusal(
        401,
        "JwtUserIdentifiersMismatched",
        "JWT user identifiers do not match those of the request"
    )

    /// The token is invalid; the message is one of those that clients know.
    static func invalidToken(_ message: String) -> Refusal {
        Refusal(401, "InvalidJwtPayload", message)
    }

    static func badParameters(_ message: String) -> Refusal {
        Refusal(400, "BadParams", message)
    }

    /// The user does not exist.
    ///
    /// No source documents the status; 404 distinguishes it from an invalid request.
    static func unknownUser(_ id: EmulatedIterableUserID) -> Refusal {
        switch id {
        case .email: Refusal(404, "UnknownEmailError", "The user could not be found.")
        case .userID: Refusal(404, "UnknownUserIdError", "The user could not be found.")
        }
    }

    /// The matched criterion is not among those of the project: the client must fetch them again.
    static let staleCriteria = Refusal(409, "Conflict", "The matched criteria are not criteria of the project.")

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
        return Refusal(status, code, message)
    }

    /// The same refusal with a code of Iterable's API, in place of that of the request reader.
    func renamed(_ code: String) -> Refusal {
        self.code == "BAD_REQUEST" ? Refusal(self.status, code, self.message) : self
    }
}

extension TransportResponse {
    /// Makes the answer of Iterable's API, for accepted and refused requests.
    init(iterable refusal: Refusal?) {
        let body: JSONValue = [
            "msg": .string(refusal?.message ?? ""), "code": .string(refusal?.code ?? "Success"), "params": nil,
        ]
        self.init(json: body.encoded(), status: refusal?.status ?? 200)
    }
}
