// SPDX-License-Identifier: Apache-2.0

/// The meaning of a 4xx for its request: one rule for all services.
///
/// A proxy, a load balancer and a server at a wrong address answer with 4xx, too, and know nothing of the content. So
/// only the service itself refuses content: its answer is a JSON object with its code. Every other 4xx is tried again.
package enum Objection: Sendable, Hashable {
    /// The service will never take the content.
    case refused
    /// 413: the content is too large for the service, or for something in between. Parts of it may be taken.
    case tooLarge(isOfService: Bool)
    /// 400 without the service's own body: whether it is about the content is unknown.
    case unexplained
    /// 401, 403: the key, the secret or the token is not accepted.
    case unauthorized
    /// 429: too many requests.
    case throttled
    /// Something in between answers, or a server at a wrong address: 404, 405, 407, 410, 415, 421.
    case misdirected
    /// A later try may succeed: 408, 425, and any other 4xx without the service's own body.
    case failed

    /// Reads a status.
    ///
    /// - Parameters:
    ///   - status: The status of the answer; nil is returned for one outside of 400 to 499.
    ///   - isOfService: True if the body is a JSON object with the service's code.
    ///   - namesSubject: True if the request names something that the service may not have. Otherwise 404, 405, 410 and
    ///     415 are about the address or the compression, whatever the body says.
    package init?(status: Int, isOfService: Bool, namesSubject: Bool = true) {
        switch status {
        case 401, 403: self = .unauthorized
        case 404, 405, 410, 415: self = isOfService && namesSubject ? .refused : .misdirected
        // About the connection, by their definition (RFC 9110, 15.5).
        case 407, 421: self = .misdirected
        case 408, 425: self = .failed
        case 413: self = .tooLarge(isOfService: isOfService)
        case 429: self = .throttled
        case 400: self = isOfService ? .refused : .unexplained
        case 402...499: self = isOfService ? .refused : .failed
        default: return nil
        }
    }
}
