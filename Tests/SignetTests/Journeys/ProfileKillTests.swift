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
import SignetTesting
import Testing

@testable import Signet

/// A process that dies at each call of the disk, and the one that comes after it.
@Suite struct ProfileKillTests {
    private typealias Body = @Sendable (ProfileWorld, Installation, VisitorKillTests.Killer?) async throws -> Void

    /// What the app does, in order; each step may be done again.
    private static let steps: [Body] = [
        { _, it, _ in try await it.profile.save { $0.firstName = .set("First") } },
        { _, it, _ in try await it.profile.submit(ProfileEvent("e1"), .queued) },
        { _, it, _ in try await it.profile.setPushToken("AA") },
        { world, it, killer in try await world.settle(it) { killer?.isDead ?? false } },
        { _, it, _ in try await it.profile.personalize(ProfileIdentity(externalUserID: "ann"), forceDepersonalize: true)
        },
        { _, it, _ in try await it.profile.save { $0.lastName = .set("OfAnn") } },
        { _, it, _ in try await it.profile.saveOwn { $0.applicationUserID = .set("u") } },
        { world, _, _ in world.emulator.weather.always(.status(503)) },
        { _, it, _ in try await it.profile.save { $0.middleName = .set("OfAnn") } },
        { _, it, _ in try await it.profile.depersonalize() },
        { world, _, _ in world.emulator.weather.clear() },
        { world, it, killer in try await world.settle(it) { killer?.isDead ?? false } },
        { _, it, _ in try await it.profile.personalize(ProfileIdentity(externalUserID: "bob")) },
        { _, it, _ in try await it.profile.save { $0.firstName = .set("OfBob") } },
        { world, it, killer in try await world.settle(it) { killer?.isDead ?? false } },
    ]

    /// - Returns: How many calls of the disk there were.
    private static func dieAndLiveAgain(at call: Int) async throws -> Int {
        let world = try ProfileWorld()
        let killer = try VisitorKillTests.Killer(of: world.folder.path, at: call, world.emulator)
        var done = 0
        try await world.live(configure: { $0.disk = killer.disk }) { _, it in
            for step in Self.steps {
                do {
                    try await step(world, it, killer)
                } catch {
                    // Nobody answers the dead.
                    guard killer.isDead else { throw error }
                }
                if killer.isDead { break }
                done += 1
            }
        }
        #expect(killer.failure == nil)
        guard killer.isDead else { return killer.calls }
        world.emulator.weather.clear()
        try await world.live(in: killer.image.path + "/life") { _, it in
            try await world.settle(it)
            for step in Self.steps[done...] { try await step(world, it, nil) }
            #expect(it.profile.user.firstName == "OfBob", "call \(call)")
            #expect(!it.profile.hasPendingChanges, "call \(call)")
        }
        let ann = try #require(world.people.person(externalUserID: "ann"), "call \(call)")
        let bob = try #require(world.people.person(externalUserID: "bob"), "call \(call)")
        #expect((ann.lastName, ann.middleName) == ("OfAnn", "OfAnn"), "call \(call)")
        #expect((bob.firstName, bob.lastName, bob.middleName) == ("OfBob", nil, nil), "call \(call)")
        #expect(ann.installations.isEmpty && bob.installations.count == 1, "call \(call)")
        let events = world.people.requests(on: .customEvents).filter { $0.status < 300 }
        #expect(events.contains { $0.bodyJSON.contains("e1") }, "call \(call)")
        return killer.calls
    }

    @Test func whereverAProcessDiesNothingIsLostAndNobodyIsMixedUp() async throws {
        let calls = try await Self.dieAndLiveAgain(at: .max)
        #expect(calls > 30)
        for call in 0..<calls { _ = try await Self.dieAndLiveAgain(at: call) }
    }
}
