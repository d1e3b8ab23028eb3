// SPDX-License-Identifier: Apache-2.0

import SignetTransport

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
