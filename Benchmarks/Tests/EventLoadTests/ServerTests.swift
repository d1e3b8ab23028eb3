// SPDX-License-Identifier: Apache-2.0

import Signet
import Testing

@testable import event_load

@Suite struct ServerTests {
    private static let draws = 200_000

    @Test func theKthIsAKthAsPopular() {
        var chance = Chance(seed: 7)
        let zipf = Zipf(4)
        var counts = [0, 0, 0, 0]
        for _ in 0..<Self.draws { counts[zipf.draw(&chance)] += 1 }
        for (rank, count) in counts.enumerated() {
            let expected = Double(Self.draws) / Double(rank + 1) / (1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4)
            #expect(abs(Double(count) - expected) < expected * 0.03, "\(rank): \(count), not \(expected)")
        }
    }

    @Test func oneNumberIsAlwaysDrawn() {
        var chance = Chance(seed: 7)
        #expect((0..<100).allSatisfy { _ in Zipf(1).draw(&chance) == 0 })
    }

    @Test func theShareOfCallsIsKept() {
        var chance = Chance(seed: 7)
        let (visitors, pages) = (Zipf(100), Zipf(10))
        let visits = (0..<Self.draws).map { _ in Visit(of: visitors, at: pages, &chance) }
        let logins = Double(visits.count { $0.call == .login }) / Double(Self.draws)
        let logouts = Double(visits.count { $0.call == .logout }) / Double(Self.draws)
        #expect(abs(logins - 0.05) < 0.003 && abs(logouts - 0.02) < 0.002)
        #expect(visits.allSatisfy { (0..<100).contains($0.visitor) && (0..<10).contains($0.page) })
    }

    @Test func aTenthOfTheRequestsGoesWrongHalfOfThemSlowly() {
        var chance = Chance(seed: 7)
        var (slow, throttled, unavailable) = (0, 0, 0)
        for _ in 0..<Self.draws {
            switch PlatformFault.draw(&chance) {
            case .none: continue
            case .slow(let duration):
                slow += 1
                #expect(duration >= .seconds(1) && duration <= .seconds(3))
            case .refused(status: 429): throttled += 1
            case .refused(let status):
                unavailable += 1
                #expect(status == 503)
            }
        }
        let share = Double(Self.draws)
        #expect(abs(Double(slow) / share - 0.05) < 0.003)
        #expect(abs(Double(throttled) / share - 0.025) < 0.002)
        #expect(abs(Double(unavailable) / share - 0.025) < 0.002)
    }

    @Test func thePlatformReadsTheTimesOfAllEvents() {
        let body = #"[{"at":"12","x":1},{"other":"3"},{"at":"18446744073709551615"},{"at":""},{"at":"7"#
        let times = Array(body.utf8).withUnsafeBytes { LogTime.all(in: $0) }
        #expect(times == [12, .max, 0, 7])
        #expect([UInt8]().withUnsafeBytes { LogTime.all(in: $0) }.isEmpty)
    }

    @Test func aSteadyPlatformTakesEverything() async throws {
        let platform = UnsteadyPlatform(seed: 1)
        platform.settle()
        let now = Nanoseconds.now
        let request = TransportRequest(
            method: .post,
            url: "https://example.com/v2/bulkevents",
            body: Array(#"[{"at":"\#(now)"},{"at":"\#(now)"}]"#.utf8)
        )
        for _ in 0..<200 { #expect(try await platform.send(request).status == 202) }
        let counts = platform.counts
        #expect(counts.requests == 200 && counts.events == 400 && counts.faults == 0 && counts.lags.total == 400)
    }
}
