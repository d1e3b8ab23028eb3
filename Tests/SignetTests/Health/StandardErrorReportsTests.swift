// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct StandardErrorReportsTests {
    @Test func theFirstIsToldAndThenOneInTenMinutesWithTheCount() {
        var reports = StandardErrorReports()
        let first = reports.happened(.deadLetters, "rejected", now: .seconds(5))
        #expect(first == "signet: \(Trouble.deadLetters.sentence) (rejected)")
        #expect(reports.happened(.deadLetters, "rejected", count: 3, now: .seconds(604)) == nil)
        #expect(
            reports.happened(.deadLetters, "rejected", now: .seconds(605))
                == "signet: \(Trouble.deadLetters.sentence) (rejected) 4 since the last line."
        )
        #expect(reports.happened(.deadLetters, "rejected", now: .seconds(606)) == nil)
    }

    @Test func oneKindDoesNotSilenceAnother() {
        var reports = StandardErrorReports()
        #expect(reports.happened(.damage, "", now: .zero) == "signet: \(Trouble.damage.sentence)")
        #expect(reports.happened(.erasure, "diskFull", now: .zero) != nil)
    }

    @Test func whatLastsIsRepeatedWithoutNewReportsAndHasAnEnd() {
        var reports = StandardErrorReports()
        #expect(reports.happened(.store, "storeUnreachable", now: .zero) != nil)
        #expect(reports.review([(.store, "storeUnreachable")], now: .seconds(599)).isEmpty)
        #expect(reports.review([(.store, "storeUnreachable")], now: .seconds(600)).count == 1)
        #expect(reports.review([(.store, "storeUnreachable")], now: .seconds(1199)).isEmpty)
        #expect(reports.review([], now: .seconds(1200)) == ["signet: \(Trouble.store.end)"])
        #expect(reports.review([], now: .seconds(9999)).isEmpty)
    }

    @Test func aTroubleThatComesAndGoesIsToldOnceInTenMinutes() {
        var reports = StandardErrorReports()
        var lines: [String] = []
        for second in 0..<1200 {
            let isOn = second.isMultiple(of: 2)
            lines += reports.review(isOn ? [(.uploads, "timedOut")] : [], now: .seconds(second))
        }
        // Two begins, and an end after each.
        #expect(lines.count == 4, "\(lines)")
    }

    @Test func whatHasHappenedSinceIsToldAlsoIfNothingFollows() {
        var reports = StandardErrorReports()
        #expect(reports.happened(.lostEvents, "limit", now: .zero) != nil)
        #expect(reports.happened(.lostEvents, "limit", count: 9, now: .seconds(1)) == nil)
        #expect(reports.review([], now: .seconds(599)).isEmpty)
        #expect(reports.review([], now: .seconds(600)).count == 1)
        #expect(reports.review([], now: .seconds(1300)).isEmpty)
    }

    @Test func aClockThatIsSetAgainIsToldAgain() {
        var reports = StandardErrorReports()
        #expect(reports.review([(.clockJump, "6000 ms")], now: .zero).count == 1)
        #expect(reports.review([(.clockJump, "6000 ms")], now: .seconds(599)).isEmpty)
        #expect(reports.review([], now: .seconds(600)).isEmpty)
        #expect(
            reports.review([(.clockJump, "-9000 ms")], now: .seconds(86_400))
                == ["signet: \(Trouble.clockJump.sentence) (-9000 ms)"]
        )
    }
}
