// SPDX-License-Identifier: Apache-2.0

import SignetTransport
import SignetWire
import Testing

@testable import Signet

@Suite struct DeliveryVerdictTests {
    /// What each answer means for events (design, "deliver at least once, recognisably").
    ///
    /// The first verdict is that of a body of the platform, the second one that of any other body.
    static let table: [(status: Int, ofPlatform: DeliveryVerdict?, ofAnother: DeliveryVerdict?)] = [
        (200, nil, nil), (202, nil, nil), (204, nil, nil), (299, nil, nil),
        (300, .misdirected, .misdirected), (301, .misdirected, .misdirected), (302, .misdirected, .misdirected),
        (307, .misdirected, .misdirected), (308, .misdirected, .misdirected),
        (400, .refused, .unexplained), (401, .unauthorized, .unauthorized), (402, .refused, .failed),
        (403, .unauthorized, .unauthorized), (404, .misdirected, .misdirected), (405, .misdirected, .misdirected),
        (406, .refused, .failed), (407, .misdirected, .misdirected), (408, .failed, .failed),
        (409, .refused, .failed), (410, .misdirected, .misdirected),
        (413, .tooLarge(isOfPlatform: true), .tooLarge(isOfPlatform: false)), (415, .misdirected, .misdirected),
        (421, .misdirected, .misdirected), (422, .refused, .failed), (425, .failed, .failed), (429, .asked, .asked),
        (431, .refused, .failed), (499, .refused, .failed), (500, .failed, .failed), (501, .failed, .failed),
        (502, .failed, .failed), (503, .asked, .asked), (504, .failed, .failed), (599, .failed, .failed),
        (100, .failed, .failed), (600, .failed, .failed),
    ]

    /// Bodies of the platform's two forms, and bodies that a proxy may send.
    private static let bodies: [(text: String, isOfPlatform: Bool)] = [
        (#"{"errors":[{"code":"BAD_REQUEST","message":"m"}]}"#, true), (#"{"code":"BAD_REQUEST","message":"m"}"#, true),
        (#"{"errors":[{"message":"m"},{"code":"C"}]}"#, true),
        ("", false), ("<html>nginx</html>", false), ("{}", false), ("[]", false), ("null", false), ("{", false),
        (#"{"message":"Not Found"}"#, false), (#"{"errors":[]}"#, false), (#"{"errors":[{"message":"m"}]}"#, false),
        (#"{"code":""}"#, false), (#"{"code":null}"#, false), (#"{"errors":"no"}"#, false),
    ]

    /// A transport that is being closed cancels requests of callers who were not cancelled.
    @Test func whatTheTransportHasCancelledIsNoCancellationOfTheCaller() async {
        let cancelled = TransportError(.cancelled, "invalidated")
        #expect(SignetError(cancelled).code == .transportFailed)
        let code = await withTaskGroup(of: SignetError.Code.self) { group in
            group.cancelAll()
            group.addTask { SignetError(cancelled).code }
            return await group.next()
        }
        #expect(code == .cancelled)
    }

    @Test(arguments: table) func aStatusMeansWhatTheTableSays(
        status: Int,
        ofPlatform: DeliveryVerdict?,
        ofAnother: DeliveryVerdict?
    ) {
        for (text, isOfPlatform) in Self.bodies {
            let response = TransportResponse(status: status, body: Array(text.utf8))
            let error = SignetError(Verdict(response, now: 0), of: .events, body: response.body)
            let verdict = isOfPlatform ? ofPlatform : ofAnother
            #expect(error.map { DeliveryVerdict($0) } == verdict, "\(text)")
            // A message refers to the errors only if there are some.
            #expect(error.map { $0.message.contains("See errors") && $0.errors.isEmpty } != true, "\(text)")
            // Only a refusal of the platform ends it; nothing else is ever taken out of the way.
            let isFinal = verdict.map { $0 == .refused || $0 == .tooLarge(isOfPlatform: true) }
            #expect(error.map { DeliveryPause.isFinal($0) } == isFinal, "\(text)")
        }
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
