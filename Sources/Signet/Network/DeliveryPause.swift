//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How long to leave the platform alone after a delivery failed.
///
/// Source: facts of the vendors' upload loops. 5, 15, 60, 120, then 300 s after a failure; 5, 15, 60, then 300 s while the
/// key is not accepted or something else answers; what `Retry-After` says after 429 and 503, 2 h when it says nothing, 24 h
/// at most.
enum DeliveryPause {
    private static let steps: [Duration] = [.seconds(5), .seconds(15), .seconds(60), .seconds(120), .seconds(300)]
    private static let keySteps: [Duration] = [.seconds(5), .seconds(15), .seconds(60), .seconds(300)]

    /// The pause.
    ///
    /// - Parameters:
    ///   - error: What the last try ended with.
    ///   - verdict: What that says of the next try, where somebody knows better than the error.
    ///   - failures: How many tries in a row have failed, this one included.
    ///   - jitter: From 0 to 1; the pause is up to a fifth longer, so that many clients do not return at once.
    /// - Returns: How long to wait.
    static func after(
        _ error: SignetError,
        _ verdict: DeliveryVerdict? = nil,
        failures: Int,
        jitter: Double
    ) -> Duration {
        if let asked = error.retryAfter { return min(max(asked, .seconds(1)), .seconds(86400)) }
        let steps: [Duration]
        switch verdict ?? DeliveryVerdict(error) {
        case .asked: return .seconds(7200)
        case .unauthorized, .misdirected: steps = Self.keySteps
        case .failed, .refused: steps = Self.steps
        }
        let step = steps[min(max(failures, 1), steps.count) - 1]
        return step * (1 + min(max(jitter, 0), 1) / 5)
    }

    /// Whether the platform will never take it.
    static func isFinal(_ error: SignetError) -> Bool {
        DeliveryVerdict(error) == .refused
    }
}
