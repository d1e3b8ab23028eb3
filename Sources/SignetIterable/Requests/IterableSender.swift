// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel
import SignetTransport
import SignetWire

/// Sends requests to Iterable, and classifies the answers.
struct IterableSender: Sendable {
    private let sender: LinkedSender
    private let builder: IterableRequestBuilder

    /// The largest answer that is read, in bytes.
    static let responseLimit = 1 << 20

    init(_ configuration: IterableConfiguration, _ exchange: Exchange) {
        self.sender = LinkedSender(
            exchange,
            timeout: configuration.requestTimeout,
            maximumInFlight: configuration.maximumInFlight
        )
        self.builder = IterableRequestBuilder(
            apiKey: configuration.apiKey.withExposed { $0 },
            server: configuration.server
        )
    }

    /// An answer of Iterable.
    struct Reply: Sendable {
        let verdict: IterableVerdict
        let body: [UInt8]
    }

    /// Sends one request, once, and waits for its answer.
    ///
    /// - Parameters:
    ///   - route: The route of the request.
    ///   - body: The JSON; empty for a GET.
    ///   - token: The token that is held now; nil for none.
    ///   - limits: The limits for JSON.
    /// - Returns: The answer, or the error in its place.
    func send(
        _ route: IterableRoute,
        _ body: [UInt8],
        token: String?,
        limits: JSONLimits = JSONLimits()
    ) async -> Result<Reply, SignetError> {
        await self.sender.send(to: route.name, template: route.template) { milliseconds throws(WireError) in
            try self.builder.request(
                for: route,
                body: body,
                token: token.map { Secret($0) },
                at: milliseconds,
                timeout: self.sender.timeout,
                responseLimit: Self.responseLimit
            )
        } reading: { response, milliseconds in
            let verdict = IterableVerdict(response, now: milliseconds, limits: limits)
            return (Reply(verdict: verdict, body: response.body), SignetError(verdict, of: route)?.code)
        }
    }
}

extension SignetError {
    /// Converts a refusal of Iterable to an error of the public API; nil for a success.
    init?(_ verdict: IterableVerdict, of route: IterableRoute) {
        let name = route.name
        switch verdict {
        case .success:
            return nil
        case .tokenRefused(_, let error):
            self.init(.unauthorized, "Iterable refused the token of \(name).", httpStatus: 401, errors: [error])
        case .unauthorized(let status, let error):
            self.init(
                .unauthorized,
                "Iterable did not authorize \(name). Check the API key of the project.",
                httpStatus: status,
                errors: [error]
            )
        case .conflict(let error):
            self.init(.rejected, "The criteria of the project have changed.", httpStatus: 409, errors: [error])
        case .throttled(let delay):
            self.init(
                .throttled,
                "Iterable received too many requests. Signet tries \(name) again later.",
                httpStatus: 429,
                retryAfter: delay
            )
        case .refused(let status, let error):
            self.init(.rejected, "Iterable rejected \(name) for good.", httpStatus: status, errors: [error])
        case .unexplained(let status):
            self.init(
                .rejected,
                "\(name) was rejected without a reason of Iterable. Check any proxy in between.",
                httpStatus: status
            )
        case .failed(let status, let delay):
            self.init(
                .serverFailure,
                "Iterable, or something in between, failed at \(name). Signet tries again later.",
                httpStatus: status,
                retryAfter: delay
            )
        case .unusable(let status):
            self.init(
                .unexpectedAnswer,
                "The answer to \(name) is not from Iterable. Check the base URL and any proxy in between.",
                httpStatus: status
            )
        }
    }
}
