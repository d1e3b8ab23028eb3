//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import Foundation
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// The checklist of facts 9, row 54: sessions, counted while the app is in use.
@Suite struct ProfileUseTests {
    /// Lets time pass while the app is in use, from one count to the next.
    private static func beat(_ clock: ManualClock, times: Int) async {
        for _ in 0..<times {
            await clock.untilNextSleeper(isDueIn: .seconds(5))
            clock.advance(by: .seconds(5))
        }
        await clock.untilNextSleeper(isDueIn: .seconds(5))
    }

    @Test(.watched) func row54TheSessionGrowsEveryFiveSeconds() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            let id = try await it.profile.register()
            try await it.profile.setActive(true)
            try await it.profile.settled()
            #expect(world.people.requests(on: .sessionReports).count == 1)
            await Self.beat(world.clock, times: 10)
            try await it.profile.setActive(false)
            try await it.profile.settled()
            // Told when it begins, not while it grows.
            #expect(world.people.requests(on: .sessionReports).count == 1)
            world.clock.advance(by: .seconds(60))
            try await it.profile.setActive(true)
            try await it.profile.settled()
            #expect(world.people.requests(on: .sessionReports).count == 2)
            let sessions = try #require(world.people.installation(id)?.sessions)
            #expect(sessions.map { $0.end?.timeIntervalSince($0.start) } == [50, nil])
            try await it.profile.setActive(false)
        }
    }

    @Test(.watched) func row54NothingIsCountedWhileTheAppIsNotInUse() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            let id = try await it.profile.register()
            try await it.profile.setActive(true)
            try await it.profile.settled()
            await Self.beat(world.clock, times: 2)
            try await it.profile.setActive(false)
            // Who counts wakes once more, and has time to do wrong.
            world.clock.advance(by: .seconds(5))
            for _ in 0..<1000 { await Task.yield() }
            world.clock.advance(by: .seconds(26))
            try await it.profile.setActive(true)
            try await it.profile.settled()
            let sessions = try #require(world.people.installation(id)?.sessions)
            #expect(sessions.map { $0.end?.timeIntervalSince($0.start) } == [10, nil])
            try await it.profile.setActive(false)
        }
    }

    @Test func row54AReportThatFailsIsMadeAgain() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            let id = try await it.profile.register()
            let start = world.clock.date
            world.emulator.weather.next(on: .sessionReports, .status(503))
            try await it.profile.setActive(true)
            try await it.profile.settled()
            #expect(world.people.requests(on: .sessionReports).isEmpty)
            try await it.profile.setActive(false)
            try await world.settle(it)
            #expect(world.people.installation(id)?.sessions.map(\.start) == [start])
            // A failure keeps those that are over, too.
            world.clock.advance(by: .seconds(60))
            let next = world.clock.date
            world.emulator.weather.next(on: .sessionReports, .status(503))
            try await it.profile.setActive(true)
            try await it.profile.setActive(false)
            try await world.settle(it)
            let sessions = try #require(world.people.installation(id)?.sessions)
            #expect(sessions.map(\.start) == [start, next])
            #expect(sessions.map { $0.end?.timeIntervalSince($0.start) } == [5, nil])
            #expect(world.people.requests(on: .sessionReports).count == 2)
        }
    }

    /// Facts 9, rows 46 and 54.
    @Test func row54NothingIsReportedWhileADepersonalizeWaits() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            let id = try await it.profile.register()
            try await it.profile.personalize(ProfileIdentity(externalUserID: "ann"))
            world.emulator.weather.always(on: .depersonalize, .status(503))
            #expect(try await it.profile.depersonalize() == .pending)
            try await it.profile.setActive(true)
            try await it.profile.settled()
            try await it.profile.retry()
            try await it.profile.settled()
            #expect(it.profile.isDepersonalizationPending)
            #expect(world.people.requests(on: .sessionReports).isEmpty)
            #expect(world.people.installation(id)?.sessions.isEmpty == true)
            try await it.profile.setActive(false)
            world.emulator.weather.clear()
            try await world.settle(it)
            #expect(!it.profile.isDepersonalizationPending)
            // It is of whoever comes.
            #expect(world.routes.suffix(2) == [.depersonalize, .sessionReports])
        }
    }
}
