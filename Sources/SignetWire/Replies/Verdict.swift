//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

package import SignetTransport

/// What the status of an answer means for the request.
package enum Verdict: Sendable, Hashable {
    /// 2xx: done, or accepted to be done.
    case success
    /// 401 or 403: the credentials are not good enough. To alias, 403 says that aliasing is not provisioned.
    case unauthorized(status: Int)
    /// 429: too much; try again later.
    case throttled(status: Int, retryAfter: Duration?)
    /// Any other 4xx: this request will never do.
    case refused(status: Int)
    /// 5xx: the platform failed; try again later.
    case failed(status: Int, retryAfter: Duration?)
    /// Nothing that the platform documents: 1xx, 3xx, and numbers that are no status.
    case unexpected(status: Int)

    /// Judges an answer by its status and `Retry-After`; the body is not looked at.
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
        case 400...499:
            self = .refused(status: status)
        case 500...599:
            self = .failed(status: status, retryAfter: RetryAfter.delay(response.headers, now: milliseconds))
        default:
            self = .unexpected(status: status)
        }
    }
}
