// SPDX-License-Identifier: Apache-2.0

package import SignetTransport

package import struct SignetModel.PlatformError

/// The meaning of an answer's status for the request.
package enum Verdict: Sendable, Hashable {
    /// 2xx: done, or accepted to be done.
    case success
    /// 401 or 403: the credentials are insufficient; for alias, 403 means that aliasing is not provisioned.
    case unauthorized(status: Int)
    /// 429: too many requests; try again later.
    case throttled(status: Int, retryAfter: Duration?)
    /// Any other 4xx: this request will not succeed as it is.
    ///
    /// ``Objection`` says whether the platform itself has refused it.
    case refused(status: Int)
    /// 5xx, 408 and 425: the platform failed, or the request came too slowly or too early; try again later.
    case failed(status: Int, retryAfter: Duration?)
    /// Any status that the platform does not document: 1xx, 3xx, and invalid numbers.
    case unexpected(status: Int)

    /// Reads the status and `Retry-After` of an answer; the body is ignored.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - milliseconds: The wall clock, milliseconds since 1970, for a `Retry-After` that is a date.
    package init(_ response: TransportResponse, now milliseconds: Int64) {
        let status = response.status
        switch status {
        case 200...299:
            self = .success
        case 401, 403:
            self = .unauthorized(status: status)
        case 429:
            self = .throttled(
                status: status,
                retryAfter: RetryAfter.delay(response.headers, now: milliseconds)
            )
        case 408, 425, 500...599:
            self = .failed(status: status, retryAfter: RetryAfter.delay(response.headers, now: milliseconds))
        case 400...499:
            self = .refused(status: status)
        default:
            self = .unexpected(status: status)
        }
    }
}

/// The errors of a refused request.
package struct ErrorReply: Sendable, Hashable {
    /// The maximum number of errors that are taken from one answer.
    package static let maximumCount = 32

    /// The reasons, in the order of the answer; empty when the body has none that is readable.
    package let errors: [PlatformError]

    /// True if the body is the platform's own: it has a code.
    package var isOfPlatform: Bool { Self.isOfPlatform(self.errors) }

    /// True if these errors of an answer are the platform's own.
    package static func isOfPlatform(_ errors: [PlatformError]) -> Bool {
        errors.contains { !$0.code.isEmpty }
    }

    /// Reads the body of an unsuccessful answer.
    ///
    /// Two forms are in use: `{"errors":[{"code","message"}]}`, and `{"code","message"}` flat. A body of another form
    /// is not a second failure: the status already reports that the request failed. A message that was cut in the
    /// middle of a character does not hide the code beside it.
    package static func read(_ bytes: [UInt8]) -> ErrorReply {
        guard let value = JSONReader.value(bytes, faults: .leftOut) else { return ErrorReply(errors: []) }
        let entries = value["errors"]?.array ?? [value]
        return ErrorReply(errors: Array(entries.lazy.compactMap(Self.platformError).prefix(Self.maximumCount)))
    }

    private static func platformError(_ entry: JSONValue) -> PlatformError? {
        let code = entry["code"].flatMap { $0.string ?? $0.number?.text }
        let message = entry["message"]?.string
        guard code != nil || message != nil else { return nil }
        return PlatformError(code: PlainText.cleaned(code ?? ""), message: PlainText.cleaned(message ?? ""))
    }
}
