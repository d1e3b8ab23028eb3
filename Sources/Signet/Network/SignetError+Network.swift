// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import SignetWire

extension SignetError {
    /// Converts an error of the transport to a public error.
    init(_ error: TransportError) {
        let code: Code =
            switch error.code {
            case .timedOut: .timedOut
            case .notConnected: .notConnected
            case .secureConnectionFailed: .secureConnectionFailed
            case .responseTooLarge, .badResponse: .unexpectedAnswer
            // A transport that ends has cancelled the request, not the caller.
            case .cancelled: Task.isCancelled ? .cancelled : .transportFailed
            default: .transportFailed
            }
        self.init(code, error.message, cause: error)
    }

    /// Converts a failed answer of the platform to a public error; nil if the answer is a success.
    init?(_ verdict: Verdict, of route: Route, body: [UInt8]) {
        let said = ErrorReply.read(body).errors
        let name = route.name
        switch verdict {
        case .success:
            return nil
        case .unauthorized(let status):
            self.init(
                .unauthorized,
                "The platform did not authorize \(name): a wrong key, secret or clock, or a workspace that is not provisioned for it.",
                httpStatus: status,
                errors: said
            )
        case .throttled(let status, let delay):
            self.init(
                .throttled,
                "The platform received too many requests. Try \(name) again later, with growing pauses.",
                httpStatus: status,
                retryAfter: delay,
                errors: said
            )
        case .refused(let status):
            self.init(
                .rejected,
                ErrorReply.isOfPlatform(said)
                    ? "The platform rejected \(name) for good. See errors for what to change."
                    : "\(name) was rejected without a reason of the platform. Check any proxy in between.",
                httpStatus: status,
                errors: said
            )
        case .failed(let status, let delay):
            self.init(
                .serverFailure,
                "The platform failed at \(name). Try again later.",
                httpStatus: status,
                retryAfter: delay,
                errors: said
            )
        case .unexpected(let status):
            self.init(
                .unexpectedAnswer,
                "The answer to \(name) is not from the platform.",
                httpStatus: status
            )
        }
    }

    static func timedOut(after limit: Duration) -> SignetError {
        SignetError(.timedOut, "No complete answer arrived within \(limit). The request may have taken effect.")
    }

    static func noTurn(within limit: Duration) -> SignetError {
        SignetError(
            .notSent,
            "Too many requests are in flight, so this one did not get its turn within \(limit). Nothing was sent."
        )
    }

    static var tooLate: SignetError {
        SignetError(
            .notSent,
            "The request came to its turn too late to be answered in time. Nothing was sent."
        )
    }

    static func throttled(_ route: Route, remaining: Duration) -> SignetError {
        SignetError(
            .throttled,
            "The platform asked for a pause of \(route.name), so nothing was sent.",
            remedy: Remedy.ofRequest(.throttled, to: route),
            retryAfter: remaining
        )
    }
}
