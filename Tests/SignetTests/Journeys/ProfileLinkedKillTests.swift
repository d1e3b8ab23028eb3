//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A process that dies at each call of the disk while the profile follows the installation's user.
@Suite(.watched) struct ProfileLinkedKillTests {
    private static let steps: [ProfileKillScript.Step] = [
        { _, it, _ in try await it.profile.setPushToken("AA") },
        { _, it, _ in try await it.login([.customerID: "ann"]) },
        { _, it, _ in try await it.profile.persist { $0.lastName = .set("OfAnn") } },
        ProfileKillScript.settle,
        { _, it, _ in try await it.profile.persist { $0.firstName = .set("OfAnn") } },
        { _, it, _ in try await it.logout() },
        { _, it, _ in try await it.login([.customerID: "bob"]) },
        ProfileKillScript.settle,
        { _, it, _ in try await it.profile.persist { $0.firstName = .set("OfBob") } },
        ProfileKillScript.settle,
    ]

    @Test func whereverAProcessDiesEverybodyKeepsWhatIsTheirs() async throws {
        let script = ProfileKillScript(steps: Self.steps, configure: { $0.profiles?.linksIdentity = true }) {
            it,
            comment in
            #expect(it.profile.user.externalUserID == "bob", comment)
            #expect(it.profile.user.firstName == "OfBob", comment)
            let open = try it.core.linkedLedger().open(for: .profiles)
            #expect(open.isEmpty, comment)
        } checkPlatform: { world, comment in
            let ann = try #require(world.people.person(externalUserID: "ann"), comment)
            let bob = try #require(world.people.person(externalUserID: "bob"), comment)
            #expect((ann.firstName, ann.lastName) == ("OfAnn", "OfAnn"), comment)
            #expect((bob.firstName, bob.lastName) == ("OfBob", nil), comment)
            #expect(ann.installations.isEmpty && bob.installations.count == 1, comment)
            #expect(world.people.installations().count == 1, comment)
        }
        try await script.run()
    }
}

extension Profile {
    fileprivate func persist(_ change: (inout UserProfileChanges) -> Void) async throws {
        var changes = UserProfileChanges()
        change(&changes)
        try await self.persistUser(changes)
    }
}
