// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct BackOffTests {
    private static let failure = SignetError(.serverFailure, "")
    private static let throttled = SignetError(.throttled, "", retryAfter: .seconds(40))

    private func paused(_ errors: [SignetError]) -> BackOff {
        var backOff = BackOff()
        for error in errors { backOff.fail(error, now: .seconds(100), jitter: 0) }
        return backOff
    }

    @Test func eachFailureInARowPausesLonger() {
        let ends = (1...6).map { self.paused(Array(repeating: Self.failure, count: $0)).pausedUntil }
        #expect(ends == [105, 115, 160, 220, 400, 400].map { .seconds($0) })
    }

    @Test func aServiceThatAsksForNoPauseGetsGrowingOnes() {
        for seconds in [0, 1] {
            let error = SignetError(.serverFailure, "", httpStatus: 503, retryAfter: .seconds(seconds))
            let ends = (1...3).map { self.paused(Array(repeating: error, count: $0)).pausedUntil }
            #expect(ends == [105, 115, 160].map { .seconds($0) })
            var backOff = BackOff()
            backOff.fail(error, now: .zero, jitter: 0, steps: [.zero])
            #expect(backOff.pausedUntil == .seconds(seconds) && backOff.askedPause(at: .zero) == nil)
        }
    }

    @Test func aPauseThatTheServiceAskedForIsNotCutShort() {
        var backOff = self.paused([Self.failure, Self.throttled])
        backOff.tryAgain()
        #expect(backOff.pausedUntil == .seconds(140))
        #expect(backOff.askedPause(at: .seconds(130)) == .seconds(10))
        #expect(backOff.askedPause(at: .seconds(140)) == nil)
        backOff.clear()
        #expect(backOff == BackOff())
    }

    @Test func aPauseOfOurOwnEndsWhenThereIsAReasonToTryAgain() {
        var backOff = self.paused([Self.failure])
        #expect(backOff.isPaused(at: .seconds(104)) && !backOff.isPaused(at: .seconds(105)))
        #expect(backOff.askedPause(at: .seconds(100)) == nil)
        backOff.tryAgain()
        #expect(backOff == BackOff())
    }

    @Test func anEndedPauseDoesNotForgetTheFailures() {
        var backOff = self.paused([Self.failure, Self.failure])
        backOff.endPause()
        #expect(backOff.pausedUntil == nil)
        backOff.fail(Self.failure, now: .zero, jitter: 1)
        #expect(backOff.pausedUntil == .seconds(72))
    }
}
