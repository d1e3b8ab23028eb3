// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire

/// The meaning of Iterable's answer for the request.
enum IterableVerdict: Sendable, Hashable {
    /// 200 with a JSON object: the request is done.
    case success
    /// 401 because of the token: a new token may be accepted.
    case tokenRefused(TokenFailure.Reason, PlatformError)
    /// Another 401, or 403: the key is not sufficient.
    case unauthorized(status: Int, PlatformError)
    /// 409 with a code: an activation must fetch the criteria again.
    case conflict(PlatformError)
    /// 429: too many requests; try again later.
    case throttled(retryAfter: Duration?)
    /// Any other 4xx with a code of Iterable: this request will never succeed.
    case refused(status: Int, PlatformError)
    /// 400 or 413 without a code: the request is tried again for a day.
    case unexplained(status: Int)
    /// 5xx, or a 4xx to try again, see ``Objection``: the service failed, or something in between did.
    case failed(status: Int, retryAfter: Duration?)
    /// An undocumented answer: another 2xx, a 200 without a JSON object, 1xx, 3xx, a 4xx of something in between, no
    /// status at all.
    ///
    /// The request may have taken effect or not. The page of a captive portal is an example.
    case unusable(status: Int)

    // A 401 with another code is about the key.
    private static let tokenCodes = ["InvalidJwtPayload", "BadAuthorizationHeader", "JwtUserIdentifiersMismatched"]

    /// Classifies an answer.
    ///
    /// - Parameters:
    ///   - response: The answer. A criteria document is accepted as it is; its content is not checked.
    ///   - milliseconds: The wall clock, milliseconds since 1970, for a `Retry-After` that is a date.
    ///   - limits: The limits for JSON; criteria nest deeper than other answers.
    init(_ response: TransportResponse, now milliseconds: Int64, limits: JSONLimits = JSONLimits()) {
        let status = response.status
        switch status {
        case 200:
            self = Self.json(response, limits)?.object == nil ? .unusable(status: status) : .success
        case 401:
            let object = Self.json(response)
            let error = Self.error(object)
            let message = object?["msg"]?.string ?? ""
            self =
                Self.tokenCodes.contains(error.code)
                ? .tokenRefused(TokenFailure.Reason(message: message), error) : .unauthorized(status: status, error)
        case 403:
            self = .unauthorized(status: status, Self.error(Self.json(response)))
        case 400...499:
            self = Self.objection(response, now: milliseconds)
        case 500...599:
            self = .failed(status: status, retryAfter: RetryAfter.delay(response.headers, now: milliseconds))
        default:
            self = .unusable(status: status)
        }
    }

    private static func objection(_ response: TransportResponse, now milliseconds: Int64) -> IterableVerdict {
        let status = response.status
        let error = Self.error(Self.json(response))
        switch Objection(status: status, isOfService: !error.code.isEmpty) {
        case .refused where status == 409: return .conflict(error)
        case .refused, .tooLarge(isOfService: true): return .refused(status: status, error)
        case .unexplained, .tooLarge(isOfService: false): return .unexplained(status: status)
        case .throttled: return .throttled(retryAfter: RetryAfter.delay(response.headers, now: milliseconds))
        case .unauthorized: return .unauthorized(status: status, error)
        case .failed:
            return .failed(status: status, retryAfter: RetryAfter.delay(response.headers, now: milliseconds))
        case .misdirected, nil: return .unusable(status: status)
        }
    }

    // A message that was cut in the middle of a character does not hide the code beside it.
    private static func json(_ response: TransportResponse, _ limits: JSONLimits = JSONLimits()) -> JSONValue? {
        JSONReader.value(response.body, limits: limits, faults: .leftOut)
    }

    // A body that cannot be read is no second failure: the status already says what happened.
    private static func error(_ object: JSONValue?) -> PlatformError {
        PlatformError(
            code: PlainText.cleaned(object?["code"]?.string ?? ""),
            message: PlainText.cleaned(object?["msg"]?.string ?? "")
        )
    }
}
