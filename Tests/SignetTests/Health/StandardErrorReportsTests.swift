// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet

@Suite struct StandardErrorReportsTests {
    private static func begin(_ trouble: Trouble, _ facts: String) -> String {
        "signet: \(trouble.sentence) (\(facts))"
    }

    private static func end(_ trouble: Trouble) throws -> String {
        "signet: \(try #require(trouble.end))"
    }

    @Test func aLossHasItsCountAndItsCauses() {
        var reports = StandardErrorReports()
        let first = reports.happened(.lostEvents, "limit", count: 1, now: .seconds(5))
        #expect(first == Self.begin(.lostEvents, "1 event, limit"))
        #expect(reports.happened(.lostEvents, "limit", count: 3, now: .seconds(6)) == nil)
        #expect(
            reports.happened(.lostEvents, "age", count: 9, now: .seconds(65))
                == Self.begin(.lostEvents, "12 events, age, limit")
        )
    }

    @Test func aLossThatIsHeldBackHasItsLineAtAReview() {
        var reports = StandardErrorReports()
        let lost = [(trouble: Trouble.lostEvents, details: "9 events")]
        #expect(reports.happened(.lostEvents, "limit", now: .zero) != nil)
        #expect(reports.happened(.lostEvents, "limit", count: 8, now: .seconds(1)) == nil)
        #expect(reports.review(lost, now: .seconds(59)).isEmpty)
        #expect(reports.review(lost, now: .seconds(60)) == [Self.begin(.lostEvents, "8 events, limit")])
        #expect(reports.review(lost, now: .seconds(120)).isEmpty)
    }

    @Test func theHealthIsRidOfALossAgain() throws {
        var reports = StandardErrorReports()
        #expect(reports.happened(.lostEvents, "limit", now: .zero) != nil)
        #expect(reports.review([(.lostEvents, "1 events")], now: .seconds(599)).isEmpty)
        #expect(reports.review([], now: .seconds(600)) == [try Self.end(.lostEvents)])
        #expect(reports.review([], now: .seconds(1200)).isEmpty)
    }

    @Test func damageCountsEachTime() {
        var reports = StandardErrorReports()
        #expect(reports.happened(.damage, "", now: .zero) == Self.begin(.damage, "1 time"))
        for second in 1...4 { #expect(reports.happened(.damage, "", now: .seconds(second)) == nil) }
        #expect(reports.review([], now: .seconds(60)) == [Self.begin(.damage, "4 times")])
    }

    @Test func whatLastsHasALineAtItsBeginAndOneAtItsEnd() throws {
        var reports = StandardErrorReports()
        #expect(
            reports.happened(.store, "storeUnreachable", now: .zero) == Self.begin(.store, "storeUnreachable")
        )
        for second in stride(from: 1, to: 7200, by: 60) {
            #expect(reports.happened(.store, "storeUnreachable", now: .seconds(second)) == nil)
            #expect(reports.review([(.store, "storeUnreachable")], now: .seconds(second)).isEmpty)
        }
        #expect(reports.review([], now: .seconds(7200)) == [try Self.end(.store)])
        #expect(reports.review([], now: .seconds(9999)).isEmpty)
    }

    @Test func anEndInTheMinuteOfTheBeginIsWrittenWhenThatIsOver() throws {
        var reports = StandardErrorReports()
        #expect(reports.review([(.disk, "diskFull")], now: .zero) == [Self.begin(.disk, "diskFull")])
        #expect(reports.review([], now: .seconds(10)).isEmpty)
        #expect(reports.review([], now: .seconds(60)) == [try Self.end(.disk)])
    }

    @Test func aTroubleThatComesAndGoesHasALineAMinuteWithTheState() {
        var reports = StandardErrorReports()
        var lines: [String] = []
        for second in 0..<121 {
            let isOn = second.isMultiple(of: 2)
            lines += reports.review(isOn ? [(.uploads, "timedOut")] : [], now: .seconds(second))
        }
        #expect(
            lines == [
                Self.begin(.uploads, "timedOut"), Self.begin(.uploads, "timedOut, 60 changes"),
                Self.begin(.uploads, "timedOut, 60 changes"),
            ]
        )
    }

    @Test func theOtherDegreeOfATroubleIsNoEnd() throws {
        var reports = StandardErrorReports()
        #expect(reports.review([(.storageNearlyFull, "80 of 100 bytes")], now: .zero).count == 1)
        #expect(
            reports.review([(.storage, "100 of 100 bytes")], now: .seconds(1))
                == [Self.begin(.storage, "100 of 100 bytes")]
        )
        #expect(reports.review([(.storage, "100 of 100 bytes")], now: .seconds(61)).isEmpty)
        #expect(reports.review([], now: .seconds(62)) == [try Self.end(.storage)])
    }

    @Test func whatIsHeldBackAtTheEndIsWritten() throws {
        var reports = StandardErrorReports()
        for count in [1, 5] { _ = reports.happened(.lostEvents, "diskFailure", count: count, now: .zero) }
        #expect(reports.review([(.disk, "diskFull"), (.lostEvents, "6 events")], now: .seconds(1)).count == 1)
        #expect(reports.review([(.lostEvents, "6 events")], now: .seconds(2)).isEmpty)
        #expect(
            reports.rest(now: .seconds(3))
                == [try Self.end(.disk), Self.begin(.lostEvents, "5 events, diskFailure")]
        )
        #expect(reports.rest(now: .seconds(4)).isEmpty)
    }

    /// The descriptor takes no more of a line at once.
    @Test func aLineIsShorterThanItsLimit() {
        #expect(StandardErrorReports.start(eventsWaiting: .max).utf8.count < 512)
        for trouble in Trouble.allCases {
            #expect(trouble.sentence.utf8.count < 256)
            #expect((trouble.end ?? "").utf8.count < 256)
            // What happens is counted, what lasts has an end.
            #expect(trouble.unit != nil || trouble.end != nil)
        }
    }
}
