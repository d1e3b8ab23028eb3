//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

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
            case .cancelled: .cancelled
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
                "The platform does not let \(name) in: check key, secret, the clock of this machine and what the "
                    + "workspace is provisioned for.",
                httpStatus: status,
                errors: said
            )
        case .throttled(let status, let delay):
            self.init(
                .throttled,
                "The platform is being asked too much; try \(name) again later, with growing pauses.",
                httpStatus: status,
                retryAfter: delay,
                errors: said
            )
        case .refused(let status):
            self.init(
                .rejected,
                "The platform refused \(name) for good; see errors for what to change.",
                httpStatus: status,
                errors: said
            )
        case .failed(let status, let delay):
            self.init(
                .serverFailure,
                "The platform failed at \(name); try again later.",
                httpStatus: status,
                retryAfter: delay,
                errors: said
            )
        case .unexpected(let status):
            self.init(
                .unexpectedAnswer,
                "The answer to \(name) is not one of the platform; check the base URL and what stands between.",
                httpStatus: status
            )
        }
    }

    static func timedOut(after limit: Duration) -> SignetError {
        SignetError(.timedOut, "No complete answer within \(limit); the request may have taken effect.")
    }

    static func noTurn(within limit: Duration) -> SignetError {
        SignetError(.timedOut, "So many requests are under way that none ended within \(limit); nothing was sent.")
    }

    static func throttled(_ route: Route, remaining: Duration) -> SignetError {
        SignetError(
            .throttled,
            "The platform asked for a pause of \(route.name); nothing was sent.",
            retryAfter: remaining
        )
    }
}
