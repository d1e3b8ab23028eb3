// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct RetryPolicyTests {
    private static let failure = SignetError(.serverFailure, "")

    private static func policy(
        total: Duration = .seconds(600),
        maximum: Duration = .seconds(30),
        factor: Double = 2,
        jitter: Double = 0.5,
        attempts: Int = 10
    ) -> RetryPolicy {
        RetryPolicy(
            totalTime: total,
            initialDelay: .seconds(1),
            maximumDelay: maximum,
            factor: factor,
            jitter: jitter,
            maximumAttempts: attempts
        )
    }

    @Test func pausesGrowByTheFactorUpToTheLongest() {
        let pauses = (1...8).map {
            Self.policy().delay(afterAttempt: $0, error: Self.failure, elapsed: .zero, jitter: 0)
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    }

    @Test func chanceShortensAPauseByAtMostTheJitter() {
        let policy = Self.policy(jitter: 0.5)
        for (jitter, seconds) in [(-1, 4.0), (0, 4), (0.5, 3), (1, 2), (7, 2)] {
            let pause = policy.delay(afterAttempt: 3, error: Self.failure, elapsed: .zero, jitter: jitter)
            #expect(pause == .seconds(seconds))
        }
        let steady = Self.policy(jitter: 0)
        #expect(steady.delay(afterAttempt: 3, error: Self.failure, elapsed: .zero, jitter: 1) == .seconds(4))
    }

    @Test func whatThePlatformAsksForIsTheLeastPause() {
        func pause(asked: Duration) -> Duration? {
            let error = SignetError(.throttled, "", httpStatus: 429, retryAfter: asked)
            return Self.policy().delay(afterAttempt: 1, error: error, elapsed: .zero, jitter: 0)
        }
        #expect(pause(asked: .seconds(90)) == .seconds(90))
        #expect(pause(asked: .milliseconds(10)) == .seconds(1))
        #expect(pause(asked: .seconds(601)) == nil)
    }

    @Test func theTotalTimeBoundsTheBeginningOfTheLastTry() {
        let policy = Self.policy(total: .seconds(10))
        #expect(policy.delay(afterAttempt: 4, error: Self.failure, elapsed: .seconds(2), jitter: 0) == .seconds(8))
        #expect(policy.delay(afterAttempt: 4, error: Self.failure, elapsed: .milliseconds(2001), jitter: 0) == nil)
        let none = Self.policy(total: .zero)
        #expect(none.delay(afterAttempt: 1, error: Self.failure, elapsed: .zero, jitter: 0) == nil)
    }

    @Test func theNumberOfTriesIsBounded() {
        let policy = Self.policy(attempts: 3)
        #expect(policy.delay(afterAttempt: 2, error: Self.failure, elapsed: .zero, jitter: 0) != nil)
        #expect(policy.delay(afterAttempt: 3, error: Self.failure, elapsed: .zero, jitter: 0) == nil)
    }

    @Test func onlyWhatCanSucceedLaterIsRepeated() {
        let repeated: Set<SignetError.Code> = [.timedOut, .notSent, .notConnected, .throttled, .serverFailure]
        let all: [SignetError.Code] = [
            .invalidArgument, .invalidConfiguration, .requestInProgress, .optedOut, .noUser, .closed, .notRunning,
            .alreadyRunning, .cancelled, .timedOut, .notSent, .notConnected, .secureConnectionFailed, .transportFailed,
            .unauthorized, .throttled, .rejected, .serverFailure, .unexpectedAnswer, .diskFull, .diskFailed,
            .directoryInUse, .directoryUnusable, .newerFormat, .workspaceMismatch,
        ]
        for code in all {
            let pause = Self.policy().delay(
                afterAttempt: 1,
                error: SignetError(code, ""),
                elapsed: .zero,
                jitter: 0
            )
            #expect((pause != nil) == repeated.contains(code), "\(code)")
        }
    }

    @Test func aPolicyThatCannotWorkIsRefused() throws {
        var broken: [RetryPolicy] = []
        broken.append(RetryPolicy(totalTime: .seconds(-1)))
        broken.append(RetryPolicy(totalTime: .seconds(1), initialDelay: .seconds(-1)))
        broken.append(RetryPolicy(totalTime: .seconds(1), maximumDelay: .seconds(-1)))
        for factor in [0.9, 10.1, .nan, .infinity] {
            broken.append(RetryPolicy(totalTime: .seconds(1), factor: factor))
        }
        for jitter in [-0.1, 1.1, .nan] { broken.append(RetryPolicy(totalTime: .seconds(1), jitter: jitter)) }
        broken.append(RetryPolicy(totalTime: .seconds(1), maximumAttempts: 0))
        for policy in broken {
            let error = #expect(throws: SignetError.self) { try policy.validate() }
            #expect(error?.code == .invalidArgument)
        }
        try RetryPolicy(totalTime: .zero, initialDelay: .zero, maximumDelay: .zero).validate()
        try Self.policy(factor: 10, jitter: 1, attempts: 1).validate()
    }
}
