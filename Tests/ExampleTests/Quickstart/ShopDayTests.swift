// SPDX-License-Identifier: Apache-2.0

import Foundation
import Signet
import SignetTestSupport
import SignetTrace
import Testing

@testable import quickstart

/// The bundled day against numbers that a second, independent program computed from the trace and the platform's documented
/// rules alone (profile conversion, one session a launch, timeout in the background).
@Suite struct ShopDayTests {
    /// The first of so many lines, or the whole day.
    private static func replay(lines: Int = .max) async throws -> ReplayOutcome {
        let path = try Trace.bundledDay()
        let day = try Data(contentsOf: URL(filePath: path)).split(separator: UInt8(ascii: "\n"))
        let trace = try TraceReader.read(Data(day.prefix(lines).joined(separator: [UInt8(ascii: "\n")])), named: path)
        return try await withTemporaryFolder { try await Replay(trace).run(in: $0) }
    }

    @Test func theDayEndsAsAnIndependentProgramSays() async throws {
        let outcome = try await Self.replay()
        Self.checkTotals(outcome)
        Self.checkUsers(outcome.platform.users)
    }

    private static func checkTotals(_ outcome: ReplayOutcome) {
        let events = [
            "commerce_event": 148, "custom_event": 788, "screen_view": 1078, "session_end": 583, "session_start": 630,
        ]
        #expect(outcome.logged == events)
        #expect(outcome.platform.received == events)
        #expect(outcome.lost == 0)
        #expect(outcome.sessions.begun == 630)
        #expect(outcome.sessions.ended == 583)
        #expect(outcome.sessionsOpen == 47)
        #expect(outcome.sessions.medianLength == .milliseconds(82_630))
        #expect(outcome.statistics.userChanges == 494)
        #expect(outcome.users.arrivals == 300)
        #expect(outcome.users.switches == 101)
        #expect(outcome.users.turns == 93)
        #expect(outcome.platform.idsyncRequests == 708)
        #expect(outcome.platform.users.count == 345)
        #expect(outcome.platform.users.count(where: \.isKnown) == 93)
        #expect(outcome.visitors.logins == 149)
        #expect(outcome.visitors.refusals == [:])
        #expect(outcome.missed == 0)
        #expect(outcome.statistics.eventsLost == 0)
    }

    private static func checkUsers(_ users: [PlatformReport.User]) {
        let revenue = Dictionary(users.filter { $0.revenue > 0 }.map { ($0.name, $0.revenue) }, uniquingKeysWith: +)
        #expect(revenue.values.map { Int(($0 * 100).rounded()) }.reduce(0, +) == 5_736_915)
        for (customer, expected) in [
            ("c-00157", 4635.1), ("c-00118", 3514.85), ("c-00117", 3504.25), ("c-00018", 3138.55),
            ("c-00040", 2923.9), ("c-00008", 2695.4), ("c-00067", 1959.9), ("c-00085", 1787.55),
            ("c-00045", 1708.15), ("c-00037", 1689.0),
        ] as [(String, Double)] {
            #expect(revenue[customer] == expected)
        }
        // How many users have so many sessions, and so many events.
        #expect(Self.histogram(users.map(\.sessions)) == [0: 7, 1: 171, 2: 75, 3: 36, 4: 29, 5: 9, 6: 11, 7: 3, 8: 4])
        #expect(
            Self.histogram(users.map { $0.events.values.reduce(0, +) }) == [
                0: 7, 1: 8, 2: 19, 3: 34, 4: 27, 5: 32, 6: 35, 7: 26, 8: 23, 9: 16, 10: 9, 11: 14, 12: 12, 13: 5,
                14: 12, 15: 9, 16: 11, 17: 2, 18: 3, 19: 5, 20: 4, 21: 3, 22: 2, 23: 2, 24: 3, 25: 3, 26: 2, 27: 3,
                28: 2, 29: 3, 30: 2, 31: 1, 33: 2, 34: 1, 41: 1, 42: 1, 46: 1,
            ]
        )
        #expect(
            Self.histogram(users.filter(\.isKnown).map { $0.events["screen_view", default: 0] }) == [
                1: 21, 2: 13, 3: 9, 4: 12, 5: 14, 6: 4, 7: 6, 8: 3, 9: 6, 10: 2, 11: 2, 15: 1,
            ]
        )
    }

    @Test func theDayIsTheSameEachTime() async throws {
        let lines = TestScale.count(quick: 400, full: .max)
        let (first, second) = (try await Self.replay(lines: lines), try await Self.replay(lines: lines))
        #expect(JSONReport(first).bytes == JSONReport(second).bytes)
        #expect(first.platform.requests == second.platform.requests)
        #expect("\(Summary(first))" == "\(Summary(second))")
    }

    private static func histogram(_ values: [Int]) -> [Int: Int] {
        values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}
