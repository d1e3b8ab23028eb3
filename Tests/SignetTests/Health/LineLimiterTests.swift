// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct LineLimiterTests {
    private typealias Reports = LineLimiter.Reports

    @Test func theFirstReportPassesAndTheOthersOfItsMinuteAreCounted() {
        var limiter = LineLimiter()
        #expect(limiter.report(.damage, "", count: 1, now: .seconds(5)) == Reports(count: 1))
        #expect(limiter.report(.damage, "", count: 2, now: .seconds(5)) == nil)
        #expect(limiter.report(.damage, "", count: 3, now: .milliseconds(64_999)) == nil)
        #expect(limiter.report(.damage, "", count: 4, now: .seconds(65)) == Reports(count: 9))
        #expect(limiter.report(.damage, "", count: 5, now: .seconds(66)) == nil)
    }

    @Test func oneKindHoldsNoOtherBack() {
        var limiter = LineLimiter()
        for trouble in Trouble.allCases {
            #expect(limiter.report(trouble, "", count: 1, now: .zero) != nil)
            #expect(limiter.report(trouble, "", count: 1, now: .zero) == nil)
        }
    }

    @Test func eachDetailIsKeptOnce() {
        var limiter = LineLimiter()
        #expect(limiter.report(.lostEvents, "age", count: 1, now: .zero)?.details == ["age"])
        for detail in ["limit", "age", "limit", ""] {
            #expect(limiter.report(.lostEvents, detail, count: 1, now: .seconds(1)) == nil)
        }
        #expect(limiter.due(now: .seconds(60)) == [.lostEvents: Reports(count: 4, details: ["age", "limit"])])
    }

    @Test func whatIsHeldBackIsDueOnceItsMinuteIsOver() {
        var limiter = LineLimiter()
        for second in [0, 1, 2] { _ = limiter.report(.damage, "", count: 1, now: .seconds(second)) }
        for second in [30, 31] { _ = limiter.report(.deadLetters, "", count: 1, now: .seconds(second)) }
        #expect(limiter.due(now: .milliseconds(59_999)) == [:])
        #expect(limiter.due(now: .seconds(60)) == [.damage: Reports(count: 2)])
        #expect(limiter.due(now: .seconds(89)) == [:])
        #expect(limiter.due(now: .seconds(90)) == [.deadLetters: Reports(count: 1)])
        #expect(limiter.due(now: .seconds(900)) == [:])
    }

    @Test func aLineThatWasDueBeginsAMinute() {
        var limiter = LineLimiter()
        for second in [0, 1] { _ = limiter.report(.damage, "", count: 1, now: .seconds(second)) }
        #expect(limiter.due(now: .seconds(100)) == [.damage: Reports(count: 1)])
        #expect(limiter.report(.damage, "", count: 1, now: .seconds(159)) == nil)
        #expect(limiter.report(.damage, "", count: 1, now: .seconds(160)) == Reports(count: 2))
    }

    @Test func theRestIsAllThatIsHeldBack() {
        var limiter = LineLimiter()
        for trouble in [Trouble.damage, .damage, .deadLetters] {
            _ = limiter.report(trouble, "", count: 1, now: .zero)
        }
        #expect(limiter.rest(now: .seconds(1)) == [.damage: Reports(count: 1)])
        #expect(limiter.rest(now: .seconds(2)) == [:])
    }

    @Test func aForgottenReportIsNoLongerDue() {
        var limiter = LineLimiter()
        for second in [0, 1] { _ = limiter.report(.storage, "", count: 1, now: .seconds(second)) }
        limiter.forget(.storage)
        #expect(limiter.due(now: .seconds(60)) == [:])
    }

    /// A hundred reports in each second of an hour.
    @Test func noFloodOfReportsMakesMoreThanALineAMinute() {
        var limiter = LineLimiter()
        var (lines, count) = (0, 0)
        for second in 0..<3600 {
            for _ in 0..<100 {
                guard let reports = limiter.report(.lostEvents, "", count: 1, now: .seconds(second)) else { continue }
                lines += 1
                count += reports.count
            }
        }
        count += limiter.rest(now: .seconds(3600)).values.reduce(0) { $0 + $1.count }
        #expect(lines == 60)
        #expect(count == 360_000)
    }
}
