//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetTransport

/// What the platform said to a delivery, with what its headers say of its limits (Events API, "Rate limits").
struct DeliveryAnswer: Sendable {
    /// The body of a successful answer, or why there is none.
    var result: Result<[UInt8], SignetError>
    /// How much of the platform's limit is used, in percent; nil when it does not say.
    var percentageUsed: Double?
    /// Whether the limit that was exceeded is that of acceleration: one may go on, but must not grow as fast.
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
    /// Whether a 429 is about acceleration, as its header says (default service limits, `X-mp-rate-limit-exceeded`).
    var isAboutAcceleration: Bool {
        self.values(of: "X-mp-rate-limit-exceeded").contains { $0.lowercased().contains("acceleration") }
    }
}
