// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

/// The measured rate of a service, in moments that the test names.
@Suite struct ServiceRateTests {
    private var rate = ServiceRate(ServiceRate.Bounds(fewest: 64, first: 768, most: 8_192, target: .milliseconds(600)))

    /// Rounds in which the service has more to do than it can.
    private mutating func overload(_ rounds: Int, answered: Int, from begin: Duration = .zero) -> Duration {
        var now = begin
        for _ in 0..<rounds {
            for _ in 0..<10 {
                now += .milliseconds(10)
                self.end(answered / 10, each: .milliseconds(900), underWay: 300, at: now)
            }
        }
        return now
    }

    private mutating func end(_ count: Int, each time: Duration, underWay: Int, at now: Duration) {
        self.rate.ended(.init(count: count, answered: count, time: time * count, underWay: underWay), at: now)
    }

    @Test func aServiceThatWasNotMeasuredHasAllPlaces() {
        #expect(self.rate.places == 768)
    }

    @Test(arguments: [500, 1_000])
    mutating func anOverloadedServiceHasThePlacesThatItAnswersInTime(callsASecond: Int) {
        _ = self.overload(40, answered: callsASecond / 10)
        let inTime = Double(callsASecond) * 0.6
        #expect((inTime * 0.9...inTime * 1.1).contains(Double(self.rate.places)), "\(self.rate.places)")
    }

    @Test mutating func aServiceThatStandsStillKeepsTheFewestPlaces() {
        var now = Duration.zero
        for _ in 0..<100 {
            now += .milliseconds(100)
            self.rate.ended(.init(count: 10, answered: 0, time: .seconds(10), underWay: 200), at: now)
        }
        #expect(self.rate.places == 64)
    }

    @Test mutating func aServiceThatIsIdleIsTrustedAgain() {
        let end = self.overload(40, answered: 20)
        #expect(self.rate.places < 200)
        self.rate.advance(to: end + .seconds(10))
        #expect(self.rate.places == 768)
    }

    @Test mutating func aServiceThatAnswersInTimeIsTrustedAgainWithinSeconds() {
        var now = self.overload(40, answered: 20)
        for _ in 0..<100 {
            now += .milliseconds(100)
            self.end(1, each: .milliseconds(5), underWay: 1, at: now)
        }
        #expect(self.rate.places > 600)
    }

    @Test mutating func aCallThatWaitsForSomethingElseSaysNothingOfTheService() {
        var now = Duration.zero
        for _ in 0..<100 {
            now += .milliseconds(100)
            self.end(1, each: .seconds(1), underWay: 3, at: now)
        }
        #expect(self.rate.places == 768)
    }

    @Test mutating func aRefusalWithoutCallsAfterItIsNoSlowness() {
        for _ in 0..<50 { self.end(10, each: .milliseconds(50), underWay: 500, at: .milliseconds(50)) }
        self.rate.refused()
        self.rate.advance(to: .seconds(600))
        #expect(self.rate.places >= 768)
    }

    @Test mutating func callsThatEndTogetherAreMeasuredTogether() {
        var now = Duration.zero
        for _ in 0..<40 {
            self.rate.refused()
            // 200 of them each 400 ms, and callers who are refused all the time.
            for _ in 0..<39 {
                now += .milliseconds(10)
                self.rate.advance(to: now)
                self.rate.refused()
            }
            now += .milliseconds(10)
            for _ in 0..<200 { self.end(1, each: .milliseconds(800), underWay: 300, at: now) }
        }
        #expect((240...360).contains(self.rate.places), "500 a second: 300, not \(self.rate.places)")
    }
}
