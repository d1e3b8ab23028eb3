// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTestSupport
import SignetTransport

/// What goes wrong between a client and the platform for a while.
enum NetworkFaults: String, Sendable, CaseIterable {
    case fine
    /// Answers take some time.
    case slow
    /// Now and then the connection breaks, before the platform has the request or after.
    case flaky
    /// Nothing comes through.
    case down
    /// 429, most often with `Retry-After`.
    case throttled
    /// 401 and 403.
    case unauthorized
    /// 500 and 503.
    case failing
    /// 400 and 413.
    case refusing

    /// What a request meets; nil when nothing goes wrong with it.
    func fault(on endpoint: String, _ generator: inout SeededGenerator) -> FaultInjector.Fault? {
        let delay = Duration.milliseconds(Int.random(in: 1...4000, using: &generator))
        switch self {
        case .fine:
            return generator.chance(0.3) ? .delay(delay) : nil
        case .slow:
            return .delay(delay * Int.random(in: 1...10, using: &generator))
        case .flaky:
            return generator.pick(
                nil,
                .delay(delay),
                .replyLost,
                .connectionRefused,
                .timeout,
                .truncated,
                // Whoever says 200 to a batch has it, whatever else is said.
                endpoint.hasSuffix("events") ? .replyLost : .garbage(Array("{".utf8)),
                .hugeAnswer,
                .failure(TransportError(.secureConnectionFailed, "A certificate has run out."))
            )
        case .down:
            return generator.pick(.connectionRefused, .timeout)
        case .throttled:
            return .status(429, retryAfter: generator.pick(.seconds(3), .seconds(40), .seconds(900), nil))
        case .unauthorized:
            return .status(generator.pick(401, 403))
        case .failing:
            return generator.pick(.status(500), .status(503, retryAfter: .seconds(20)), .status(502), nil)
        case .refusing:
            return generator.pick(.status(400), .status(413), nil)
        }
    }
}
