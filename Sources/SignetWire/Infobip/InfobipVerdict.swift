//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetModel
package import SignetTransport

/// What an answer of Infobip means for the request.
package enum InfobipVerdict: Sendable, Hashable {
    /// 2xx, and nothing in it to be read.
    case done
    /// 2xx with the data that were asked for, as JSON text.
    case data([UInt8])
    /// The service says why not, whatever the status; 2xx among them.
    case refused(InfobipRefusal)
    /// 401 or 403 without a documented reason: the code or the token is not good enough.
    case unauthorized(status: Int)
    /// 429: too much; try again later. With what the service says of it, if anything.
    case throttled(retryAfter: Duration?, said: PlatformError? = nil)
    /// Any other 4xx without a reason.
    case rejected(status: Int)
    /// 5xx: the service failed; try again. With what it says of it, if anything.
    case failed(status: Int, retryAfter: Duration?, said: PlatformError? = nil)
    /// Nothing that the service documents: 1xx, 3xx, no status at all, a 2xx that is no JSON, or without the data that were
    /// asked for.
    ///
    /// Whether it took effect is not known; the page of a captive portal comes so. Empty is not data: nothing that is known
    /// may be overwritten with it.
    case unusable(status: Int)

    /// Judges an answer.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - route: What was asked.
    ///   - milliseconds: The wall clock, milliseconds since 1970, for a `Retry-After` that is a date.
    package init(_ response: TransportResponse, to route: InfobipRoute, now milliseconds: Int64) {
        let status = response.status
        let retryAfter = RetryAfter.delay(response.headers, now: milliseconds)
        let object = Self.object(response.body)
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
        case 429:
            self = .throttled(retryAfter: retryAfter, said: refusal?.error)
        case 500...599:
            // A documented reason holds whatever the status; an unknown one comes with many a failure.
            self =
                refusal.flatMap { $0.reason == nil ? nil : .refused($0) }
                ?? .failed(status: status, retryAfter: retryAfter, said: refusal?.error)
        case 401, 403:
            self = refusal.map(Self.refused) ?? .unauthorized(status: status)
        case 400...499:
            self = refusal.map(Self.refused) ?? .rejected(status: status)
        default:
            self = .unusable(status: status)
        }
    }

    // Both texts have to be there.
    private static func refusal(_ object: JSONObject?, status: Int) -> InfobipRefusal? {
        let exception = object?["requestError"]?["serviceException"]
        guard let messageID = exception?["messageId"]?.string, let text = exception?["text"]?.string else { return nil }
        return InfobipRefusal(status: status, messageID: messageID, text: text)
    }

    // An answer without a type is read as JSON; what says that it is something else is none.
    private static func isJSON(_ headers: HTTPHeaders) -> Bool {
        headers["Content-Type"]?.lowercased().contains("json") ?? true
    }

    private static func object(_ bytes: [UInt8]) -> JSONObject? {
        do throws(JSONError) {
            return try JSONReader.read(bytes).object
        } catch {
            return nil
        }
    }
}
