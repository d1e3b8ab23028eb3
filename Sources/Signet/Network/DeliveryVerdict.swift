// SPDX-License-Identifier: Apache-2.0

import SignetWire

/// The meaning of a failed delivery for its content (design: deliver at least once, never delete on a doubt).
enum DeliveryVerdict: Sendable, Hashable {
    /// The platform itself will never take these bytes: 400, 422 and others with its own body.
    case refused
    /// 413: the halves of the batch may be taken. A single event is refused for good if the platform itself says so.
    case tooLarge(isOfPlatform: Bool)
    /// 400 without the platform's own body: tried again for a day.
    case unexplained
    /// The key or the secret is not accepted: 401, 403.
    case unauthorized
    /// Something other than the platform answers, or it does not know the path: 3xx, 404, 405, 407, 410, 421.
    ///
    /// This includes 415: each body is JSON, so the compression is refused, which is one line of the configuration.
    case misdirected
    /// The platform asks for a pause, by `Retry-After` or by 429 and 503.
    case asked
    /// A later try may work: 408, 425, any other 4xx without the platform's own body, other 5xx, no answer, no
    /// connection.
    case failed

    init(_ error: SignetError) {
        let isOfPlatform = ErrorReply.isOfPlatform(error.errors)
        let status = error.httpStatus ?? 0
        // A delivery names nothing that the platform may not have.
        if let objection = Objection(status: status, isOfService: isOfPlatform, namesSubject: false) {
            self.init(objection, error)
            return
        }
        switch status {
        case 300...399: self = .misdirected
        case 503: self = .asked
        default:
            switch error.code {
            case .rejected: self = .refused
            case .unauthorized: self = .unauthorized
            case .throttled: self = .asked
            default: self = error.retryAfter == nil ? .failed : .asked
            }
        }
    }

    private init(_ objection: Objection, _ error: SignetError) {
        switch objection {
        case .refused: self = .refused
        case .tooLarge(let isOfPlatform): self = .tooLarge(isOfPlatform: isOfPlatform)
        case .unexplained: self = .unexplained
        case .unauthorized: self = .unauthorized
        case .throttled: self = .asked
        case .misdirected: self = .misdirected
        case .failed: self = error.retryAfter == nil ? .failed : .asked
        }
    }

    /// True if the platform itself says that it will never take the delivery.
    var isFinal: Bool { self == .refused || self == .tooLarge(isOfPlatform: true) }

    /// True if the status is about the content as far as anyone can tell: parts of it may be taken.
    var isAboutContent: Bool {
        switch self {
        case .refused, .tooLarge, .unexplained: true
        case .unauthorized, .misdirected, .asked, .failed: false
        }
    }
}
