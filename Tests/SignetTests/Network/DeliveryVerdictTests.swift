// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import SignetWire
import Testing

@testable import Signet

@Suite struct DeliveryVerdictTests {
    /// What each answer means for events (design, "deliver at least once, recognisably").
    static let table: [(status: Int, verdict: DeliveryVerdict?)] = [
        (200, nil), (202, nil), (204, nil), (299, nil),
        (300, .misdirected), (301, .misdirected), (302, .misdirected), (307, .misdirected), (308, .misdirected),
        (400, .refused), (401, .unauthorized), (403, .unauthorized), (404, .misdirected), (405, .misdirected),
        (406, .refused), (407, .misdirected), (408, .failed), (409, .refused), (410, .misdirected), (413, .refused),
        (415, .misdirected), (421, .misdirected), (422, .refused), (425, .failed), (429, .asked), (431, .refused),
        (500, .failed), (501, .failed), (502, .failed), (503, .asked), (504, .failed), (599, .failed), (100, .failed),
        (600, .failed),
    ]

    @Test(arguments: table) func aStatusMeansWhatTheTableSays(status: Int, verdict: DeliveryVerdict?) {
        let response = TransportResponse(status: status)
        let error = SignetError(Verdict(response, now: 0), of: .events, body: [])
        #expect(error.map { DeliveryVerdict($0) } == verdict)
        // Only a refusal ends it; nothing else is ever taken out of the way.
        #expect(error.map { DeliveryPause.isFinal($0) } == verdict.map { $0 == .refused })
    }

    @Test func noAnswerIsAFailureWhateverTheReason() {
        for code in [
            SignetError.Code.timedOut, .notConnected, .secureConnectionFailed, .transportFailed, .unexpectedAnswer,
            .cancelled,
        ] {
            #expect(DeliveryVerdict(SignetError(code, "")) == .failed)
        }
    }

    @Test func whoSaysHowLongAsksForAPause() {
        for status in [408, 425, 429, 500, 503] {
            let error = SignetError(.serverFailure, "", httpStatus: status, retryAfter: .seconds(7))
            #expect(DeliveryVerdict(error) == .asked)
            #expect(DeliveryPause.after(error, failures: 9, jitter: 1) == .seconds(7))
        }
    }

    @Test func whatTheHeadersSayOfLimitsIsHeard() {
        func answer(_ fields: [(String, String)], retryAfter: Duration? = nil) -> DeliveryAnswer {
            var headers = HTTPHeaders()
            for (name, value) in fields { headers.append(name: name, value: value) }
            let error = SignetError(.throttled, "", httpStatus: 429, retryAfter: retryAfter)
            return DeliveryAnswer(.failure(error), headers)
        }
        #expect(answer([("X-MP-Rate-Limit-Percentage-Used", "91.5")]).percentageUsed == 91.5)
        #expect(answer([("x-mp-rate-limit-percentage-used", "nan"), ("other", "1")]).percentageUsed == nil)
        let acceleration = [("X-mp-rate-limit-exceeded", "Acceleration")]
        #expect(answer(acceleration).verdict == .failed)
        #expect(answer(acceleration, retryAfter: .seconds(3)).verdict == .asked)
        #expect(answer([("X-mp-rate-limit-exceeded", "speed")]).verdict == .asked)
    }
}
