// SPDX-License-Identifier: Apache-2.0

/// Computes the pause of uploads after a failed delivery.
///
/// Source: facts of the vendors' upload loops. After a failure the pause is 5, 15, 60, 120, then 300 s. While the key
/// is not accepted, or something other than the platform answers, it is 5, 15, 60, then 300 s. After 429 and 503 it is
/// the value of `Retry-After`, at most 24 h. Without one, or with one of 0 or 1 s, it is as after a failure; a
/// configuration may name another pause for those without one, as the vendor's SDKs do (2 h).
enum DeliveryPause {
    private static let keySteps: [Duration] = [.seconds(5), .seconds(15), .seconds(60), .seconds(300)]

    /// Returns the pause after a failure.
    ///
    /// - Parameters:
    ///   - error: The error of the last try.
    ///   - verdict: The verdict on the next try, if the caller knows better than the error.
    ///   - unasked: The pause after 429 and 503 without `Retry-After`; nil for that of a failure.
    ///   - failures: The number of tries in a row that have failed, this one included.
    ///   - jitter: A number from 0 to 1. It makes the pause up to a fifth longer, so that many clients do not return at
    ///     once.
    /// - Returns: The length of the pause.
    static func after(
        _ error: SignetError,
        _ verdict: DeliveryVerdict? = nil,
        unasked: Duration? = nil,
        failures: Int,
        jitter: Double
    ) -> Duration {
        if let asked = BackOff.asked(error) { return asked }
        let steps: [Duration]
        switch verdict ?? DeliveryVerdict(error) {
        case .asked:
            if let unasked, error.retryAfter == nil { return unasked }
            steps = BackOff.steps
        case .unauthorized, .misdirected: steps = Self.keySteps
        case .failed, .refused, .unexplained: steps = BackOff.steps
        case .tooLarge: steps = BackOff.longestSteps
        }
        return BackOff.length(after: failures, steps, jitter: jitter)
    }

    /// Returns true if the platform will never take the delivery.
    static func isFinal(_ error: SignetError) -> Bool {
        DeliveryVerdict(error).isFinal
    }
}
