// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct DeliveryPauseTests {
    private func pause(_ error: SignetError, _ failures: Int = 1, jitter: Double = 0) -> Duration {
        DeliveryPause.after(error, failures: failures, jitter: jitter)
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
        #expect(self.pause(SignetError(.throttled, "", retryAfter: .zero)) == .seconds(1))
        #expect(self.pause(SignetError(.throttled, "", retryAfter: .seconds(999_999))) == .seconds(86_400))
        #expect(self.pause(SignetError(.throttled, "")) == .seconds(7200))
        #expect(self.pause(SignetError(.serverFailure, "", httpStatus: 503)) == .seconds(7200))
        #expect(self.pause(SignetError(.serverFailure, "", httpStatus: 500)) == .seconds(5))
    }

    @Test func whoKnowsBetterThanTheErrorSaysSo() {
        let error = SignetError(.throttled, "", httpStatus: 429)
        #expect(DeliveryPause.after(error, .failed, failures: 2, jitter: 0) == .seconds(15))
        #expect(DeliveryPause.after(error, .asked, failures: 2, jitter: 0) == .seconds(7200))
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
