// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct UnexplainedRefusalsTests {
    private static let hour: Int64 = 3_600_000

    /// The hours after which a request that is tried at these intervals is given up.
    private static func hours(of interval: Int64, from start: Int64 = 0) -> Int64? {
        var refusals: UnexplainedRefusals?
        for now in stride(from: start, to: start + 100 * Self.hour, by: Int64.Stride(interval)) {
            switch UnexplainedRefusals.next(after: refusals, at: now) {
            case .tryAgain(let next): refusals = next
            case .giveUp: return (now - start) / Self.hour
            }
        }
        return nil
    }

    @Test(arguments: [1000, 300_000, 600_000, 3_600_000] as [Int64]) func aDayOfTriesIsTheEnd(_ interval: Int64) {
        #expect(Self.hours(of: interval) == 24)
        #expect(Self.hours(of: interval, from: -5_000_000) == 24)
    }

    @Test func rareTriesTakeLonger() {
        #expect(Self.hours(of: 3 * Self.hour) == 72)
    }

    @Test func aClockThatJumpsGivesNothingUp() {
        let first = UnexplainedRefusals(since: 0)
        let year = 365 * 24 * Self.hour
        #expect(UnexplainedRefusals.next(after: first, at: year) == .tryAgain(.init(hours: 1, since: year)))
        #expect(
            UnexplainedRefusals.next(after: .init(hours: 23, since: year), at: 5)
                == .tryAgain(.init(hours: 23, since: 5))
        )
        #expect(
            UnexplainedRefusals.next(after: .init(hours: 3, since: .min), at: .max)
                == .tryAgain(.init(hours: 3, since: .max))
        )
    }

    @Test func theCountChangesOnceAnHour() {
        let first = UnexplainedRefusals(since: 7)
        #expect(UnexplainedRefusals.next(after: nil, at: 7) == .tryAgain(first))
        #expect(UnexplainedRefusals.next(after: first, at: 6 + Self.hour) == .tryAgain(first))
        #expect(
            UnexplainedRefusals.next(after: first, at: 8 + Self.hour)
                == .tryAgain(.init(hours: 1, since: 7 + Self.hour))
        )
        #expect(UnexplainedRefusals.next(after: .init(hours: 23, since: 0), at: Self.hour) == .giveUp)
    }
}
