//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetEmulator
import SignetModel
import SignetTesting
import Testing

@testable import Signet

/// A process that dies at each call of the disk while the profile follows the installation's user.
@Suite(.timeLimit(.minutes(5))) struct ProfileLinkedKillTests {
    private typealias Body = @Sendable (ProfileWorld, Installation, VisitorKillTests.Killer?) async throws -> Void

    /// What the app does, in order; each step may be done again.
    private static let steps: [Body] = [
        { _, it, _ in try await it.profile.setPushToken("AA") },
        { _, it, _ in try await it.login([.customerID: "ann"]) },
        { _, it, _ in try await it.profile.persist { $0.lastName = .set("OfAnn") } },
        { world, it, killer in try await world.settle(it) { killer?.isDead ?? false } },
        { _, it, _ in try await it.profile.persist { $0.firstName = .set("OfAnn") } },
        { _, it, _ in try await it.logout() },
        { _, it, _ in try await it.login([.customerID: "bob"]) },
        { world, it, killer in try await world.settle(it) { killer?.isDead ?? false } },
        { _, it, _ in try await it.profile.persist { $0.firstName = .set("OfBob") } },
        { world, it, killer in try await world.settle(it) { killer?.isDead ?? false } },
    ]

    private static func configure(_ configuration: inout SignetConfiguration) {
        configuration.profiles?.linksIdentity = true
    }

    /// - Returns: How many calls of the disk there were.
    private static func dieAndLiveAgain(at call: Int) async throws -> Int {
        let world = try ProfileWorld()
        let killer = try VisitorKillTests.Killer(of: world.folder.path, at: call, world.emulator)
        var done = 0
        try await world.live(configure: {
            Self.configure(&$0)
            $0.disk = killer.disk
        }) { _, it in
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
        try await world.live(in: killer.image.path + "/life", configure: Self.configure) { _, it in
            try await world.settle(it)
            for step in Self.steps[done...] { try await step(world, it, nil) }
            #expect(it.profile.user.externalUserID == "bob", "call \(call)")
            #expect(it.profile.user.firstName == "OfBob", "call \(call)")
            #expect(!it.profile.hasPendingChanges, "call \(call)")
            #expect(try it.core.linkedLedger().open(for: .profiles).isEmpty, "call \(call)")
        }
        let ann = try #require(world.people.person(externalUserID: "ann"), "call \(call)")
        let bob = try #require(world.people.person(externalUserID: "bob"), "call \(call)")
        #expect((ann.firstName, ann.lastName) == ("OfAnn", "OfAnn"), "call \(call)")
        #expect((bob.firstName, bob.lastName) == ("OfBob", nil), "call \(call)")
        #expect(ann.installations.isEmpty && bob.installations.count == 1, "call \(call)")
        #expect(world.people.installations().count == 1, "call \(call)")
        return killer.calls
    }

    @Test func whereverAProcessDiesEverybodyKeepsWhatIsTheirs() async throws {
        let calls = try await Self.dieAndLiveAgain(at: .max)
        #expect(calls > 30)
        for call in 0..<calls { _ = try await Self.dieAndLiveAgain(at: call) }
        print("killed at \(calls) calls")
    }
}

extension Profile {
    fileprivate func persist(_ change: (inout UserProfileChanges) -> Void) async throws {
        var changes = UserProfileChanges()
        change(&changes)
        try await self.persistUser(changes)
    }
}
