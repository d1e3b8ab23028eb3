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

/// A process that dies at each call of the disk, and the one that comes after it.
@Suite struct ProfileKillTests {
    private static let steps: [ProfileKillScript.Step] = [
        { _, it, _ in try await it.profile.save { $0.firstName = .set("First") } },
        { _, it, _ in try await it.profile.submit(ProfileEvent("e1"), .queued) },
        { _, it, _ in try await it.profile.setPushToken("AA") },
        ProfileKillScript.settle,
        { _, it, _ in try await it.profile.personalize(ProfileIdentity(externalUserID: "ann"), forceDepersonalize: true)
        },
        { _, it, _ in try await it.profile.save { $0.lastName = .set("OfAnn") } },
        { _, it, _ in try await it.profile.saveOwn { $0.applicationUserID = .set("u") } },
        { world, _, _ in world.emulator.weather.always(.status(503)) },
        { _, it, _ in try await it.profile.save { $0.middleName = .set("OfAnn") } },
        { _, it, _ in try await it.profile.depersonalize() },
        { world, _, _ in world.emulator.weather.clear() },
        ProfileKillScript.settle,
        { _, it, _ in try await it.profile.personalize(ProfileIdentity(externalUserID: "bob")) },
        { _, it, _ in try await it.profile.save { $0.firstName = .set("OfBob") } },
        ProfileKillScript.settle,
    ]

    @Test func whereverAProcessDiesNothingIsLostAndNobodyIsMixedUp() async throws {
        let script = ProfileKillScript(steps: Self.steps) { it, comment in
            #expect(it.profile.user.firstName == "OfBob", comment)
        } checkPlatform: { world, comment in
            let ann = try #require(world.people.person(externalUserID: "ann"), comment)
            let bob = try #require(world.people.person(externalUserID: "bob"), comment)
            #expect((ann.lastName, ann.middleName) == ("OfAnn", "OfAnn"), comment)
            #expect((bob.firstName, bob.lastName, bob.middleName) == ("OfBob", nil, nil), comment)
            #expect(ann.installations.isEmpty && bob.installations.count == 1, comment)
            let events = world.people.requests(on: .customEvents).filter { $0.status < 300 }
            #expect(events.contains { $0.bodyJSON.contains("e1") }, comment)
        }
        try await script.run()
    }
}
