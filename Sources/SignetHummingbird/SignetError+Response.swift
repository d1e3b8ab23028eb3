// SPDX-License-Identifier: Apache-2.0

#if SIGNET_HUMMINGBIRD
public import HTTPTypes
public import Hummingbird
import Logging
public import Signet

/// A `SignetError` that leaves a route is an answer: a status, and the code of the error as JSON.
///
/// ```
/// pages.post("/login") { _, context in
///     // Throws what is answered with 409, 502, 503 or 504.
///     let result = try await context.signet.requireInstallation().login([.customerID: "c-17"])
///     return "Hello, \(result.user.mpid)"
/// }
/// ```
///
/// The error is logged with the logger of the request. Catch it in the route for another answer.
extension SignetError: HTTPResponseError {
    /// The status of the answer to the visitor; that of the platform's answer is in `httpStatus`.
    ///
    /// | status | codes |
    /// |---|---|
    /// | 400 | `invalidArgument`: a route mostly passes on what the visitor has sent |
    /// | 403 | `optedOut` |
    /// | 409 | `requestInProgress`, `superseded`: another call of the same visitor |
    /// | 503 | `throttled`, `notSent`, `notRunning`, `cancelled`; `uploadPaused`; `limitReached`, `diskFull`, `diskFailed`; `storeUnreachable`, `storeBusy`, `storeFailed` |
    /// | 504 | `timedOut`, `outcomeUnknown`: the call may have taken effect |
    /// | 502 | any other |
    public var status: HTTPResponse.Status {
        switch self.code {
        case .invalidArgument: .badRequest
        case .optedOut: .forbidden
        case .requestInProgress, .superseded: .conflict
        case .throttled, .notSent, .notRunning, .cancelled, .uploadPaused, .limitReached, .diskFull, .diskFailed,
            .storeUnreachable, .storeBusy, .storeFailed:
            .serviceUnavailable
        case .timedOut, .outcomeUnknown: .gatewayTimeout
        default: .badGateway
        }
    }

    /// Logs the error, and makes its answer: `{"error":{"code":"throttled"}}`, by the encoder of the context.
    ///
    /// Nothing else of the error is in the answer: its texts are for the log, and those of the platform may name people. A 503 has
    /// `Retry-After`: `retryAfter` in whole seconds, or 5. An error of the server is logged at `error`, one of the visitor at `info`,
    /// with `signet.error` as its metadata.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: The context of the request.
    /// - Returns: The answer.
    /// - Throws: The error of the encoder.
    public func response(from request: Request, context: some RequestContext) throws -> Response {
        let status = self.status
        context.logger.log(
            level: status.kind == .serverError ? .error : .info,
            "A call of Signet has failed, and its error is the answer of the request.",
            metadata: ["signet.error": "\(self)"]
        )
        var response = try context.responseEncoder.encode(ErrorBody(self.code), from: request, context: context)
        response.status = status
        if status == .serviceUnavailable { response.headers[.retryAfter] = "\(self.secondsUntilRetry)" }
        return response
    }

    /// The value of `Retry-After`: at least 1, as 0 means at once.
    private var secondsUntilRetry: Int64 {
        guard let delay = self.retryAfter else { return 5 }
        let parts = delay.components
        return max(1, parts.seconds + (parts.attoseconds > 0 ? 1 : 0))
    }
}

/// The body of an answer; the same form as that of Hummingbird's own errors, with a code in place of a message.
private struct ErrorBody: Encodable {
    struct Content: Encodable {
        let code: String
    }

    let error: Content

    init(_ code: SignetError.Code) {
        self.error = Content(code: "\(code)")
    }
}
#endif
