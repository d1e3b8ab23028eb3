// SPDX-License-Identifier: Apache-2.0

/// The meaning of a failed delivery for its content (design: deliver at least once, never delete on a doubt).
enum DeliveryVerdict: Sendable, Hashable {
    /// The platform will never take these bytes: 400, 413, 422 and any 4xx not listed below.
    ///
    /// After 413 it may take the halves of the batch.
    case refused
    /// The key or the secret is not accepted: 401, 403.
    case unauthorized
    /// Something other than the platform answers, or it does not know the path: 3xx, 404, 405, 407, 410, 421.
    ///
    /// This includes 415: each body is JSON, so the compression is refused, which is one line of the configuration.
    case misdirected
    /// The platform asks for a pause, by `Retry-After` or by 429 and 503.
    case asked
    /// A later try may work: 408, 425, other 5xx, no answer, no connection.
    case failed

    init(_ error: SignetError) {
        switch error.httpStatus {
        case 401, 403: self = .unauthorized
        case 404, 405, 407, 410, 415, 421: self = .misdirected
        case .some(300...399): self = .misdirected
        case 408, 425: self = error.retryAfter == nil ? .failed : .asked
        case 429, 503: self = .asked
        default:
            switch error.code {
            case .rejected: self = .refused
            case .unauthorized: self = .unauthorized
            case .throttled: self = .asked
            default: self = error.retryAfter == nil ? .failed : .asked
            }
        }
    }
}
