// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

extension SignetError {
    static let notRegistered = SignetError(
        .notRegistered,
        "The installation is not registered with Infobip. Set a push token and await registration()."
    )

    /// The error of calls that wait behind a request that is repeated: `rejected` would say that nothing changes any more.
    func whileRepeating(_ operation: InfobipOperation) -> SignetError {
        guard self.code == .rejected else { return self }
        if case .register = operation {
            return SignetError(
                .notRegistered,
                "Infobip has rejected the registration, which is repeated. Nothing was sent without it.",
                httpStatus: self.httpStatus,
                errors: self.errors,
                cause: self
            )
        }
        return SignetError(
            .unexpectedAnswer,
            "\(self.message) The request is repeated.",
            httpStatus: self.httpStatus,
            errors: self.errors,
            cause: self
        )
    }

    static let depersonalizationPending = SignetError(
        .depersonalizationPending,
        "A depersonalize is in progress. Try again after InfobipUpdate.Kind.depersonalized."
    )

    static let personGone = SignetError(
        .identityUndetermined,
        "The person of this call has left the installation, so Infobip cannot be notified any more."
    )
    static let superseded = SignetError(
        .identityUndetermined,
        "A later call has changed the person of the installation, so this one was not sent."
    )

    /// What the service would answer; a request of ours could do harm, so it is not sent.
    static let personalizationImpossible: SignetError = {
        let said = PlatformError(
            code: InfobipRefusal.Reason.personalizationImpossible.rawValue,
            message: "The installation belongs to a person with another external id."
        )
        return SignetError(
            .rejected,
            "The installation belongs to another person. Depersonalize it first, or pass forceDepersonalize.",
            errors: [said]
        )
    }()
}
