// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct DeliveryPauseTests {
    private func pause(
        _ error: SignetError,
        _ failures: Int = 1,
        unasked: Duration? = nil,
        jitter: Double = 0
    ) -> Duration {
        DeliveryPause.after(error, unasked: unasked, failures: failures, jitter: jitter)
    }

    @Test func pausesGrowFromFiveSecondsToFiveMinutes() {
        let error = SignetError(.notConnected, "")
        let pauses = (0...8).map { self.pause(error, $0) }
        #expect(pauses == [5, 5, 15, 60, 120, 300, 300, 300, 300].map { .seconds($0) })
    }

    @Test func chanceMakesThemUpToAFifthLonger() {
        let error = SignetError(.serverFailure, "")
        #expect(self.pause(error, jitter: 1) == .seconds(6))
        #expect(self.pause(error, jitter: 0.5) == .milliseconds(5500))
        #expect(self.pause(error, jitter: 7) == .seconds(6))
        #expect(self.pause(error, jitter: -7) == .seconds(5))
    }

    @Test func whatThePlatformAsksForCounts() {
        #expect(self.pause(SignetError(.throttled, "", retryAfter: .seconds(42))) == .seconds(42))
        #expect(self.pause(SignetError(.throttled, "", retryAfter: .seconds(999_999))) == .seconds(86_400))
        #expect(self.pause(SignetError(.serverFailure, "", httpStatus: 500)) == .seconds(5))
    }

    @Test func withoutRetryAfterPausesGrowUnlessTheConfigurationNamesOne() {
        for error in [SignetError(.throttled, ""), SignetError(.serverFailure, "", httpStatus: 503)] {
            let pauses = [1, 2, 3, 4, 5, 9].map { self.pause(error, $0) }
            #expect(pauses == [5, 15, 60, 120, 300, 300].map { .seconds($0) })
            #expect(self.pause(error, 3, unasked: .seconds(7200), jitter: 1) == .seconds(7200))
        }
        let failure = SignetError(.serverFailure, "", httpStatus: 500)
        #expect(self.pause(failure, unasked: .seconds(7200)) == .seconds(5))
    }

    /// A platform that says "at once" again and again is not asked once a second for ever.
    @Test(arguments: [0, 1]) func aRetryAfterOfASecondOrLessStillGrows(_ seconds: Int) {
        let error = SignetError(.throttled, "", httpStatus: 429, retryAfter: .seconds(seconds))
        let pauses = [1, 2, 3, 4, 5].map { self.pause(error, $0, unasked: .seconds(7200)) }
        #expect(pauses == [5, 15, 60, 120, 300].map { .seconds($0) })
        let longer = SignetError(.throttled, "", retryAfter: .milliseconds(1001))
        #expect(self.pause(longer) == .milliseconds(1001))
    }

    @Test func whoKnowsBetterThanTheErrorSaysSo() {
        let error = SignetError(.throttled, "", httpStatus: 429)
        let two = Duration.seconds(7200)
        #expect(DeliveryPause.after(error, .failed, unasked: two, failures: 2, jitter: 0) == .seconds(15))
        #expect(DeliveryPause.after(error, .asked, unasked: two, failures: 2, jitter: 0) == two)
    }

    @Test func onlyARefusalIsFinal() {
        #expect(DeliveryPause.isFinal(SignetError(.rejected, "")))
        for code in [
            SignetError.Code.unauthorized, .throttled, .serverFailure, .unexpectedAnswer, .timedOut, .cancelled,
        ] {
            #expect(!DeliveryPause.isFinal(SignetError(code, "")))
        }
    }
}
