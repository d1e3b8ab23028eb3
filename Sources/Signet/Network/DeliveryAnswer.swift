// SPDX-License-Identifier: Apache-2.0

import SignetTransport

/// The platform's answer to a delivery, with the limits from its headers (Events API, "Rate limits").
struct DeliveryAnswer: Sendable {
    /// The body of a successful answer, or the error.
    let result: Result<[UInt8], SignetError>
    /// The meaning of the error; nil after a success.
    ///
    /// The limit of acceleration asks for no pause: uploads may go on, but must not grow as fast.
    let verdict: DeliveryVerdict?
    /// The used part of the platform's limit in percent; nil if the answer does not contain it.
    let percentageUsed: Double?

    init(_ result: Result<[UInt8], SignetError>, _ headers: HTTPHeaders?) {
        self.result = result
        self.percentageUsed = headers?.values(of: "X-mp-rate-limit-percentage-used").compactMap { Double($0) }
            .filter(\.isFinite).max()
        guard case .failure(let error) = result else {
            self.verdict = nil
            return
        }
        let isThrottled = error.httpStatus == 429 && error.retryAfter == nil
        self.verdict = isThrottled && headers?.isAboutAcceleration == true ? .failed : DeliveryVerdict(error)
    }

    private init(_ result: Result<[UInt8], SignetError>, _ verdict: DeliveryVerdict?, percentageUsed: Double?) {
        (self.result, self.verdict, self.percentageUsed) = (result, verdict, percentageUsed)
    }

    /// The same answer; an error names the remedy of its code, unless it has one.
    func naming(_ remedy: (SignetError.Code) -> String?) -> DeliveryAnswer {
        DeliveryAnswer(
            self.result.mapError { $0.naming(remedy($0.code)) },
            self.verdict,
            percentageUsed: self.percentageUsed
        )
    }
}

extension HTTPHeaders {
    /// True when the header of a 429 names acceleration (default service limits, `X-mp-rate-limit-exceeded`).
    var isAboutAcceleration: Bool {
        self.values(of: "X-mp-rate-limit-exceeded").contains { $0.lowercased().contains("acceleration") }
    }
}
