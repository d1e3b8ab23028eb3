//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel

/// What Infobip says no with: `requestError.serviceException`.
package struct InfobipRefusal: Sendable, Hashable {
    /// The documented reasons, by their `messageId`.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A phone, an address or the external id is another person's.
        case userMergeInterrupted = "USER_MERGE_INTERRUPTED"
        /// The identity is true of several people.
        case ambiguousPersonalizeCandidates = "AMBIGUOUS_PERSONALIZE_CANDIDATES"
        /// The installation is somebody else's already.
        case personalizationImpossible = "PERSONALIZATION_IMPOSSIBLE"
        /// The identity says nothing.
        case userIdentityInvalid = "USER_IDENTITY_INVALID"
        /// A number is none.
        case phoneInvalid = "PHONE_INVALID"
        /// An address is none.
        case emailInvalid = "EMAIL_INVALID"
        /// The portal keeps such data out.
        case userDataRestricted = "USER_DATA_RESTRICTED"
        /// A field is of another type than documented.
        case requestFormatInvalid = "REQUEST_FORMAT_INVALID"
        /// There is no such registration, or none any more.
        case noRegistration = "NO_REGISTRATION"
        /// The application code is missing.
        case applicationCodeMissing = "APP_CODE_MISSING"
        /// The application code is of no application.
        case applicationCodeInvalid = "1"

        /// Whether phones, addresses and external id go back to what the service is known to have.
        ///
        /// - Parameter route: What was asked.
        /// - Returns: True for what is another person's when a person is saved or personalized, and for what is several
        ///   people's when it is personalized.
        package func rollsBackIdentity(on route: InfobipRoute) -> Bool {
            switch (self, route) {
            case (.userMergeInterrupted, .updateUser), (.userMergeInterrupted, .personalize),
                (.userMergeInterrupted, .repersonalize), (.ambiguousPersonalizeCandidates, .personalize),
                (.ambiguousPersonalizeCandidates, .repersonalize):
                true
            default:
                false
            }
        }
    }

    /// The status of the answer, which may be 2xx too.
    package let status: Int
    /// The documented reason; nil for another.
    package let reason: Reason?
    /// `messageId` and `text`.
    package let error: PlatformError

    init(status: Int, messageID: String, text: String) {
        self.status = status
        self.reason = Reason(rawValue: messageID)
        self.error = PlatformError(code: PlainText.cleaned(messageID), message: PlainText.cleaned(text))
    }

    /// Whether the registration that asked is gone, and another one is needed.
    ///
    /// The service says the same of the registration in the path: of another than one's own it tells nothing of one's own.
    ///
    /// - Parameters:
    ///   - route: What was asked.
    ///   - registration: Who asked.
    /// - Returns: Whether one's own is meant, as far as the answer tells.
    package func endsRegistration(on route: InfobipRoute, of registration: String?) -> Bool {
        self.reason == .noRegistration && registration != nil
            && (route.registration == nil || route.registration == registration)
    }
}

extension InfobipRefusal: CustomStringConvertible {
    /// The status and the id, without the text.
    package var description: String {
        "\(self.status) \(self.error.code)"
    }
}
