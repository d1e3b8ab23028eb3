// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The platform's answer to a delivery, with the limits from its headers (Events API, "Rate limits").
struct DeliveryAnswer: Sendable {
    /// The body of a successful answer, or the error.
    var result: Result<[UInt8], SignetError>
    /// The used part of the platform's limit in percent; nil if the answer does not contain it.
    var percentageUsed: Double?
    /// True when the exceeded limit is that of acceleration: uploads may go on, but must not grow as fast.
    var isAccelerating = false

    init(_ result: Result<[UInt8], SignetError>, _ headers: HTTPHeaders?) {
        self.result = result
        guard let headers else { return }
        self.percentageUsed = headers.values(of: "X-mp-rate-limit-percentage-used").compactMap { Double($0) }
            .filter(\.isFinite).max()
        guard case .failure(let error) = result, error.httpStatus == 429, error.retryAfter == nil else { return }
        self.isAccelerating = headers.isAboutAcceleration
    }
}

extension HTTPHeaders {
    /// True when the header of a 429 names acceleration (default service limits, `X-mp-rate-limit-exceeded`).
    var isAboutAcceleration: Bool {
        self.values(of: "X-mp-rate-limit-exceeded").contains { $0.lowercased().contains("acceleration") }
    }
}
