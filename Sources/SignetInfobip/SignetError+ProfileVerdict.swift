// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetWire

extension SignetError {
    /// Makes the error of a verdict; nil for a success.
    init?(_ verdict: InfobipVerdict, of route: InfobipRoute) {
        let name = route.name
        switch verdict {
        case .done, .data:
            return nil
        case .refused(let refusal):
            self.init(
                refusal.isOfApplication ? .unauthorized : .rejected,
                refusal.hasReason
                    ? "Infobip rejected \(name). See errors for its messageId and text."
                    : "Infobip rejected \(name) without a reason.",
                httpStatus: refusal.status,
                errors: refusal.hasReason ? [refusal.error] : []
            )
        case .unauthorized(let status):
            self.init(
                .unauthorized,
                "Infobip did not authorize \(name). Check the application code and the tokens.",
                httpStatus: status
            )
        case .throttled(let delay, let said):
            self.init(
                .throttled,
                "Infobip received too many requests for \(name). Try again later.",
                httpStatus: 429,
                retryAfter: delay,
                errors: said.map { [$0] } ?? []
            )
        case .rejected(let status):
            self.init(.rejected, "Infobip rejected \(name) without a reason.", httpStatus: status)
        case .failed(let status, let delay, let said):
            self.init(
                .serverFailure,
                "Infobip failed at \(name). Try again later.",
                httpStatus: status,
                retryAfter: delay,
                errors: said.map { [$0] } ?? []
            )
        case .unusable(let status):
            self.init(
                .unexpectedAnswer,
                "The answer to \(name) is not from Infobip. Check the base URL and any proxy in between.",
                httpStatus: status
            )
        }
    }

    /// True if the request has certainly not reached the service.
    var isBeforeArrival: Bool {
        switch self.code {
        // Not `notConnected`: the connection may have broken after the request was sent.
        case .secureConnectionFailed, .tokenUnavailable, .invalidConfiguration, .throttled, .unauthorized:
            true
        default: false
        }
    }
}

extension InfobipRefusal {
    /// False if both the `messageId` and the `text` are empty.
    var hasReason: Bool {
        !self.error.code.isEmpty || !self.error.message.isEmpty
    }

    /// True if the refusal is about the code or the token, and says nothing of the data.
    var isOfApplication: Bool {
        switch self.reason {
        case .applicationCodeMissing, .applicationCodeInvalid: true
        case nil: self.status == 401 || self.status == 403
        default: false
        }
    }
}

extension InfobipStateMachine.Answer {
    /// Makes the answer for a verdict without data, or for a refusal; nil for data.
    init?(_ verdict: InfobipVerdict, to route: InfobipRoute, of registration: String?) {
        guard let error = SignetError(verdict, of: route) else {
            guard case .done = verdict else { return nil }
            self = .done
            return
        }
        switch verdict {
        case .refused(let refusal) where refusal.endsRegistration(on: route, of: registration):
            self = .lost(error)
        case .refused(let refusal) where !refusal.isOfApplication:
            let rollsBack = refusal.reason?.rollsBackIdentity(on: route) ?? false
            self = .refused(error, rollsBackIdentity: rollsBack)
        default:
            self = .failed(error, mayHaveHappened: !error.isBeforeArrival)
        }
    }
}
