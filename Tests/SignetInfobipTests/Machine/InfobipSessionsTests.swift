// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet
@testable import SignetInfobip

/// The arithmetic of sessions (facts 5.10): 5 s, 30 s, and at least 5 s.
@Suite struct InfobipSessionsTests {
    @Test func ticksWithinHalfAMinuteAreOneSession() {
        var sessions = InfobipSessions()
        sessions.tick(now: 0)
        sessions.tick(now: 5000)
        // The end is half a minute ago, which is over.
        sessions.tick(now: 35_000)
        #expect(sessions.all.map(\.start) == [0, 35_000])
        #expect(sessions.all.map(\.end) == [5000, 40_000])
    }

    @Test func aReportAtHalfAMinuteLeavesTheSessionThatIsOpen() throws {
        var sessions = InfobipSessions()
        for moment in [0, 5000, 35_000] as [Int64] { sessions.tick(now: moment) }
        let report = try #require(sessions.report(now: 35_000))
        #expect(report.starts == [0, 35_000])
        #expect(report.finished.map(\.start) == [0])
        // A failure leaves both.
        #expect(sessions.all.count == 2)
        sessions.reported(report)
        #expect(sessions.all.map(\.start) == [35_000])
        #expect(sessions.all.map(\.isStartReported) == [true])
        #expect(sessions.report(now: 36_000) == nil)
        #expect(sessions.report(now: 70_000)?.finished.map(\.end) == [40_000])
    }

    @Test func aSessionLastsFiveSecondsAtLeast() {
        var sessions = InfobipSessions()
        sessions.tick(now: 1000)
        #expect(sessions.current(now: 1000)?.end == 6000)
        #expect(sessions.current(now: 35_999) != nil)
        #expect(sessions.current(now: 36_000) == nil)
        sessions.tick(now: 30_000)
        #expect(sessions.all.map(\.end) == [30_000])
    }

    @Test func aClockThatGoesBackBeginsAnotherSession() {
        var sessions = InfobipSessions()
        sessions.tick(now: 100_000)
        sessions.tick(now: 50_000)
        #expect(sessions.all.count == 2)
    }

    @Test func aSessionThatGrowsIsWrittenDownByHalfMinutes() {
        var memory = InfobipMemory(application: "a")
        memory.registration = .active(.init(id: "1", token: nil, systemHash: "h", at: 0))
        var machine = InfobipStateMachine(restoring: memory, systemHash: ("h", "h"))
        #expect(machine.count(milliseconds: 1000).isEmpty)
        #expect(machine.use(true).isEmpty)
        let saves = stride(from: 0 as Int64, through: 70_000, by: 5000).filter { moment in
            machine.count(milliseconds: moment).contains { if case .save = $0 { true } else { false } }
        }
        #expect(saves == [0, 35_000, 65_000])
        #expect(machine.memory.last.sessions.all.map(\.end) == [70_000])
        // The end of it, at once.
        #expect(machine.use(false).count == 1)
    }

    @Test func whatGrewWhileItWasReportedIsReportedAgain() throws {
        var sessions = InfobipSessions()
        sessions.tick(now: 0)
        let report = try #require(sessions.report(now: 36_000))
        sessions.tick(now: 34_000)
        sessions.reported(report)
        #expect(sessions.all.map(\.isStartReported) == [true])
    }
}
