// SPDX-License-Identifier: Apache-2.0

import SignetTestSupport
import SignetTransport

/// What goes wrong between an installation and Infobip.
enum InfobipFault: String, Sendable, CaseIterable {
    case calm, fine, slow, flaky, down, failing, throttled, unauthorized, refusing

    /// What becomes of one request.
    enum Fault: Sendable {
        /// Nothing happens; the connection fails so.
        case fails(TransportError.Code)
        /// Nothing happens, and nobody ever answers.
        case hangs
        /// Nothing happens; this is answered.
        case answered(status: Int, code: String?, retryAfter: Int?)
        /// It arrives later.
        case delayed(Duration)
        /// It arrives; the connection breaks.
        case answerLost
        /// It arrives; nobody ever answers.
        case answerHangs
        /// It arrives; the answer comes later.
        case answerDelayed(Duration)
        /// It arrives; something between says this.
        case answerReplaced(status: Int)
        /// It arrives; half of the answer comes.
        case truncated
        /// It arrives; the answer has no body.
        case emptied

        /// Whether the request arrives.
        var arrives: Bool {
            switch self {
            case .fails, .hangs, .answered: false
            default: true
            }
        }
    }

    private static let codes = [
        "PHONE_INVALID", "EMAIL_INVALID", "USER_DATA_RESTRICTED", "REQUEST_FORMAT_INVALID", "USER_MERGE_INTERRUPTED",
    ]

    func fault(on kind: InfobipExchange.Kind, _ generator: inout SeededGenerator) -> Fault? {
        let delay = Duration.milliseconds(Int.random(in: 1...4000, using: &generator))
        switch self {
        case .calm:
            return nil
        case .fine:
            return generator.pick(nil, nil, .delayed(delay), .answerDelayed(delay))
        case .slow:
            return generator.pick(.delayed(delay * 8), .answerDelayed(delay * 8))
        case .flaky:
            return generator.pick(
                nil,
                .delayed(delay),
                .answerLost,
                .answerLost,
                .answerHangs,
                .answerReplaced(status: 502),
                .truncated,
                .emptied,
                .fails(.notConnected),
                .hangs
            )
        case .down:
            return generator.pick(.fails(.notConnected), .hangs, .fails(.secureConnectionFailed))
        case .failing:
            return generator.pick(
                nil,
                .answered(status: 500, code: nil, retryAfter: nil),
                .answered(status: 503, code: nil, retryAfter: 20)
            )
        case .throttled:
            return .answered(status: 429, code: nil, retryAfter: generator.pick(3, 40, 900, nil))
        case .unauthorized:
            return .answered(
                status: generator.pick(401, 403),
                code: generator.pick(nil, "UNAUTHORIZED"),
                retryAfter: nil
            )
        case .refusing:
            let code = Self.codes[Int.random(in: 0..<Self.codes.count, using: &generator)]
            return generator.pick(
                nil,
                .answered(status: 400, code: code, retryAfter: nil),
                .answered(status: 400, code: nil, retryAfter: nil)
            )
        }
    }
}
