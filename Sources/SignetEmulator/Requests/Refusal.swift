// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// A refusal of a request: the status and the content of the error body.
///
/// Messages name members and rules, never the values of a request.
struct Refusal: Error, Sendable, Hashable {
    let status: Int
    let code: String
    let message: String

    static func badRequest(_ message: String) -> Refusal {
        Refusal(status: 400, code: "BAD_REQUEST", message: message)
    }

    /// The request does not identify a profile.
    static func lookupFailed(_ message: String) -> Refusal {
        Refusal(status: 400, code: "LOOKUP_ERROR", message: message)
    }

    static func unauthorized(_ message: String) -> Refusal {
        Refusal(status: 401, code: "UNAUTHORIZED", message: message)
    }

    static func forbidden(_ message: String) -> Refusal {
        Refusal(status: 403, code: "FORBIDDEN", message: message)
    }

    static func notFound(_ message: String) -> Refusal {
        Refusal(status: 404, code: "NOT_FOUND", message: message)
    }

    static func methodNotAllowed(_ message: String) -> Refusal {
        Refusal(status: 405, code: "METHOD_NOT_ALLOWED", message: message)
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
        var writer = JSONWriter()
        if route != .alias {
            writer.beginObject()
            writer.key("errors")
            writer.beginArray()
        }
        writer.beginObject()
        writer.member("code", self.code)
        writer.member("message", self.message)
        writer.endObject()
        if route != .alias {
            writer.endArray()
            writer.endObject()
        }
        return TransportResponse(json: writer.bytes, status: self.status)
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
    static let applicationCodeMissing = Refusal(
        status: 401,
        code: "APP_CODE_MISSING",
        message: "Application code is missing"
    )
    /// The code is unknown: 1, "invalid application code".
    static let invalidApplicationCode = Refusal(status: 401, code: "1", message: "Invalid application code")
    /// The requesting or target registration does not exist, or the bearer may not access it.
    static let noRegistration = Refusal(status: 400, code: "NO_REGISTRATION", message: "Registration does not exist")
    /// The header names no registration, or not that of the path: 7, "invalid internal registration id".
    static let invalidRegistration = Refusal(status: 400, code: "7", message: "Invalid internal registration id")
    /// The cloud type is missing: 2.
    static let invalidCloudType = Refusal(status: 400, code: "2", message: "Invalid cloud type")
    /// The cloud type is not a documented one: 4.
    static let unsupportedCloudType = Refusal(status: 400, code: "4", message: "Unsupported cloud type")
    /// A value to save belongs to another person.
    static let mergeInterrupted = Refusal(
        status: 400,
        code: "USER_MERGE_INTERRUPTED",
        message: "A phone, an email or the external user id belongs to another person"
    )
    /// The identity matches several people.
    static let ambiguousCandidates = Refusal(
        status: 400,
        code: "AMBIGUOUS_PERSONALIZE_CANDIDATES",
        message: "The identity matches several persons"
    )
    /// The installation belongs to another person already.
    static let personalizationImpossible = Refusal(
        status: 400,
        code: "PERSONALIZATION_IMPOSSIBLE",
        message: "The installation is personalized with another person; depersonalize it first"
    )
    /// The identity is empty.
    static let identityInvalid = Refusal(
        status: 400,
        code: "USER_IDENTITY_INVALID",
        message: "The identity has no phone, no email and no external user id"
    )
    /// The portal forbids the data.
    static let dataRestricted = Refusal(
        status: 400,
        code: "USER_DATA_RESTRICTED",
        message: "Saving sensitive data is restricted"
    )

    static func phoneInvalid(_ details: String) -> Refusal {
        Refusal(status: 400, code: "PHONE_INVALID", message: "Invalid phone number (\(details))")
    }

    static func emailInvalid(_ details: String) -> Refusal {
        Refusal(status: 400, code: "EMAIL_INVALID", message: "Invalid email (\(details))")
    }

    static func formatInvalid(_ message: String) -> Refusal {
        Refusal(status: 400, code: "REQUEST_FORMAT_INVALID", message: message)
    }

    /// A field does not have the documented format.
    static func formatInvalid(_ field: String, shouldBe type: String) -> Refusal {
        .formatInvalid("\(field) should be \(type)")
    }

    /// The token is invalid; of the service's answer, only the two ids in the vendor's clients are known.
    static func infobipToken(isExpired: Bool, _ message: String) -> Refusal {
        Refusal(
            status: 401,
            code: isExpired ? "JWT_TOKEN_EXPIRED" : "JWT_TOKEN_STRUCTURE_INVALID",
            message: message
        )
    }
}

extension TransportResponse {
    /// Makes the answer of Infobip's API to a refused request.
    init(infobip refusal: Refusal) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("requestError")
        writer.beginObject()
        writer.key("serviceException")
        writer.beginObject()
        writer.member("messageId", refusal.code)
        writer.member("text", refusal.message)
        writer.endObject()
        writer.endObject()
        writer.endObject()
        self.init(json: writer.bytes, status: refusal.status)
    }
}

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
