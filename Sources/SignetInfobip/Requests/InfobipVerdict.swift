// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTransport
import SignetWire

/// The meaning of an answer of Infobip for the request.
enum InfobipVerdict: Sendable, Hashable {
    /// 2xx, without data to read.
    case done
    /// 2xx with the requested data, as JSON text.
    case data([UInt8])
    /// A refusal with a reason, whatever the status; 2xx included.
    case refused(InfobipRefusal)
    /// 401 or 403 without a documented reason: the code or the token is not accepted.
    case unauthorized(status: Int)
    /// 429: too many requests, try again later.
    ///
    /// Holds the service's reason, if there is one.
    case throttled(retryAfter: Duration?, said: PlatformError? = nil)
    /// Any other 4xx without a reason: something in between may have answered, see ``Objection``.
    case rejected(status: Int)
    /// 5xx: the service failed, try again.
    ///
    /// Holds the service's reason, if there is one.
    case failed(status: Int, retryAfter: Duration?, said: PlatformError? = nil)
    /// An undocumented answer.
    ///
    /// It is 1xx, 3xx, no status at all, or a 2xx that is not JSON or lacks the requested data. The request may have
    /// taken effect. The page of a captive portal arrives like this. An empty body is not data, and must not overwrite
    /// known data.
    case unusable(status: Int)

    /// Judges an answer.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - route: The route of the request.
    ///   - milliseconds: The wall clock, in milliseconds since 1970, for a `Retry-After` that is a date.
    init(_ response: TransportResponse, to route: InfobipRoute, now milliseconds: Int64) {
        let status = response.status
        let retryAfter = RetryAfter.delay(response.headers, now: milliseconds)
        let object = JSONReader.value(response.body, limits: InfobipLimits.answer, faults: .leftOut)?.object
        let refusal = Self.refusal(object, status: status)
        switch status {
        case 200...299:
            if let refusal {
                self = .refused(refusal)
            } else if response.body.isEmpty {
                self = route.wantsData ? .unusable(status: status) : .done
            } else if object == nil || !Self.isJSON(response.headers) {
                self = .unusable(status: status)
            } else {
                self = route.wantsData ? .data(response.body) : .done
            }
        case 500...599:
            // A documented reason counts whatever the status. An unknown one comes with many failures.
            self =
                refusal.flatMap { $0.reason == nil ? nil : .refused($0) }
                ?? .failed(status: status, retryAfter: retryAfter, said: refusal?.error)
        case 400...499:
            self = Self.objection(status, refusal, retryAfter)
        default:
            self = .unusable(status: status)
        }
    }

    private static func objection(
        _ status: Int,
        _ refusal: InfobipRefusal?,
        _ retryAfter: Duration?
    ) -> InfobipVerdict {
        switch Objection(status: status, isOfService: refusal != nil) {
        case .throttled:
            return .throttled(retryAfter: retryAfter, said: refusal?.error)
        case .unauthorized:
            return refusal.map(Self.refused) ?? .unauthorized(status: status)
        case .refused, .tooLarge, .unexplained:
            return refusal.map(Self.refused) ?? .rejected(status: status)
        case .failed, .misdirected, nil:
            // A documented reason counts whatever the status: no source pairs the two.
            if let refusal, refusal.reason != nil { return .refused(refusal) }
            return .rejected(status: status)
        }
    }

    // Both texts are required.
    private static func refusal(_ object: JSONObject?, status: Int) -> InfobipRefusal? {
        let exception = object?["requestError"]?["serviceException"]
        guard let messageID = exception?["messageId"]?.string, let text = exception?["text"]?.string else { return nil }
        return InfobipRefusal(status: status, messageID: messageID, text: text)
    }

    // An answer without a content type is read as JSON; one of another type is not.
    private static func isJSON(_ headers: HTTPHeaders) -> Bool {
        headers["Content-Type"]?.lowercased().contains("json") ?? true
    }
}
