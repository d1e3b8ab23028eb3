// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetWire

/// A refusal by Infobip: `requestError.serviceException`.
struct InfobipRefusal: Sendable, Hashable {
    /// The documented reasons, by their `messageId`.
    enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A phone, an e-mail address or the external id belongs to another person.
        case userMergeInterrupted = "USER_MERGE_INTERRUPTED"
        /// The identity matches several people.
        case ambiguousPersonalizeCandidates = "AMBIGUOUS_PERSONALIZE_CANDIDATES"
        /// The installation already belongs to another person.
        case personalizationImpossible = "PERSONALIZATION_IMPOSSIBLE"
        /// The identity is empty.
        case userIdentityInvalid = "USER_IDENTITY_INVALID"
        /// A phone number is invalid.
        case phoneInvalid = "PHONE_INVALID"
        /// An e-mail address is invalid.
        case emailInvalid = "EMAIL_INVALID"
        /// The portal does not accept such data.
        case userDataRestricted = "USER_DATA_RESTRICTED"
        /// A field has another type than documented.
        case requestFormatInvalid = "REQUEST_FORMAT_INVALID"
        /// The registration does not exist, or no longer exists.
        case noRegistration = "NO_REGISTRATION"
        /// The application code is missing.
        case applicationCodeMissing = "APP_CODE_MISSING"
        /// The application code belongs to no application.
        case applicationCodeInvalid = "1"

        /// True if phones, addresses and external id go back to what the service is known to have.
        ///
        /// - Parameter route: The route of the request.
        /// - Returns: True if a saved or personalized identity is another person's, or a personalized one is several
        ///   people's.
        func rollsBackIdentity(on route: InfobipRoute) -> Bool {
            switch (self, route) {
            case (.userMergeInterrupted, .updateUser), (.userMergeInterrupted, .personalize),
                (.ambiguousPersonalizeCandidates, .personalize):
                true
            default:
                false
            }
        }
    }

    /// The HTTP status of the answer, which may be 2xx, too.
    let status: Int
    /// The documented reason; nil if it is another.
    let reason: Reason?
    /// The `messageId` and the `text`.
    let error: PlatformError

    init(status: Int, messageID: String, text: String) {
        self.status = status
        self.reason = Reason(rawValue: messageID)
        self.error = PlatformError(code: PlainText.cleaned(messageID), message: PlainText.cleaned(text))
    }

    /// True if the registration of the request is gone, and a new one is needed.
    ///
    /// The service gives the same answer for a registration in the path. If that is another one, the answer says
    /// nothing about the caller's own.
    ///
    /// - Parameters:
    ///   - route: The route of the request.
    ///   - registration: The registration of the caller.
    /// - Returns: True if the answer means the caller's own registration, as far as it says so.
    func endsRegistration(on route: InfobipRoute, of registration: String?) -> Bool {
        self.reason == .noRegistration && registration != nil
            && (route.registration == nil || route.registration == registration)
    }
}

extension InfobipRefusal: CustomStringConvertible {
    /// The status and the id, without the text.
    var description: String {
        "\(self.status) \(self.error.code)"
    }
}
