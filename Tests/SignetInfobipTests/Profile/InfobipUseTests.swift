// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// The checklist of facts 9, row 54: sessions, counted while the app is in use.
@Suite struct InfobipUseTests {
    /// Lets time pass while the app is in use, from one count to the next.
    private static func beat(_ clock: ManualClock, times: Int) async {
        for _ in 0..<times {
            await clock.untilNextSleeper(isDueIn: .seconds(5))
            clock.advance(by: .seconds(5))
        }
        await clock.untilNextSleeper(isDueIn: .seconds(5))
    }

    @Test(.watched) func row54TheSessionGrowsEveryFiveSeconds() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await it.infobip.setActive(true)
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.requests(on: .sessionReports).count == 1)
            await Self.beat(world.clock, times: 10)
            try await it.infobip.setActive(false)
            try await it.infobip.waitUntilIdle()
            // Told when it begins, not while it grows.
            #expect(world.infobip.requests(on: .sessionReports).count == 1)
            world.clock.advance(by: .seconds(60))
            try await it.infobip.setActive(true)
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.requests(on: .sessionReports).count == 2)
            let sessions = try #require(world.infobip.installation(id)?.sessions)
            #expect(sessions.map { $0.end?.timeIntervalSince($0.start) } == [50, nil])
            try await it.infobip.setActive(false)
        }
    }

    @Test(.watched) func row54NothingIsCountedWhileTheAppIsNotInUse() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await it.infobip.setActive(true)
            try await it.infobip.waitUntilIdle()
            await Self.beat(world.clock, times: 2)
            try await it.infobip.setActive(false)
            // Who counts wakes once more, and has time to do wrong.
            world.clock.advance(by: .seconds(5))
            for _ in 0..<1000 { await Task.yield() }
            world.clock.advance(by: .seconds(26))
            try await it.infobip.setActive(true)
            try await it.infobip.waitUntilIdle()
            let sessions = try #require(world.infobip.installation(id)?.sessions)
            #expect(sessions.map { $0.end?.timeIntervalSince($0.start) } == [10, nil])
            try await it.infobip.setActive(false)
        }
    }

    @Test func row54AReportThatFailsIsMadeAgain() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            let start = world.clock.date
            world.emulator.faults.inject(.status(503), on: .sessionReports)
            try await it.infobip.setActive(true)
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.requests(on: .sessionReports).isEmpty)
            try await it.infobip.setActive(false)
            try await world.settle(it)
            #expect(world.infobip.installation(id)?.sessions.map(\.start) == [start])
            // A failure keeps those that are over, too.
            world.clock.advance(by: .seconds(60))
            let next = world.clock.date
            world.emulator.faults.inject(.status(503), on: .sessionReports)
            try await it.infobip.setActive(true)
            try await it.infobip.setActive(false)
            try await world.settle(it)
            let sessions = try #require(world.infobip.installation(id)?.sessions)
            #expect(sessions.map(\.start) == [start, next])
            #expect(sessions.map { $0.end?.timeIntervalSince($0.start) } == [5, nil])
            #expect(world.infobip.requests(on: .sessionReports).count == 2)
        }
    }

    /// Facts 9, rows 46 and 54.
    @Test func row54NothingIsReportedWhileADepersonalizeWaits() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await it.infobip.personalize(InfobipIdentity(externalUserID: "ann"))
            world.emulator.faults.injectAlways(.status(503), on: .depersonalize)
            #expect(try await it.infobip.depersonalize() == .pending)
            try await it.infobip.setActive(true)
            try await it.infobip.waitUntilIdle()
            try await it.infobip.retry()
            try await it.infobip.waitUntilIdle()
            #expect(it.infobip.isDepersonalizationPending)
            #expect(world.infobip.requests(on: .sessionReports).isEmpty)
            #expect(world.infobip.installation(id)?.sessions.isEmpty == true)
            try await it.infobip.setActive(false)
            world.emulator.faults.clear()
            try await world.settle(it)
            #expect(!it.infobip.isDepersonalizationPending)
            // It is of whoever comes.
            #expect(world.routes.suffix(2) == [.depersonalize, .sessionReports])
        }
    }
}
