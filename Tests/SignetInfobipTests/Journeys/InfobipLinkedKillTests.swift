// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// A process that dies at each call of the disk while the profile follows the installation's user.
@Suite(.watched) struct InfobipLinkedKillTests {
    private static let steps: [InfobipKillScript.Step] = [
        { _, it, _ in try await it.infobip.setPushToken("AA") },
        { _, it, _ in try await it.login([.customerID: "ann"]) },
        { _, it, _ in try await it.infobip.persist { $0.lastName = .set("OfAnn") } },
        InfobipKillScript.settle,
        { _, it, _ in try await it.infobip.persist { $0.firstName = .set("OfAnn") } },
        { _, it, _ in try await it.logout() },
        { _, it, _ in try await it.login([.customerID: "bob"]) },
        InfobipKillScript.settle,
        { _, it, _ in try await it.infobip.persist { $0.firstName = .set("OfBob") } },
        InfobipKillScript.settle,
    ]

    @Test func whereverAProcessDiesEverybodyKeepsWhatIsTheirs() async throws {
        let script = InfobipKillScript(steps: Self.steps, configure: { $0.infobip?.followsLogin = true }) {
            it,
            comment in
            #expect(it.infobip.user.externalUserID == "bob", comment)
            #expect(it.infobip.user.firstName == "OfBob", comment)
            let open = try it.core.outbox().open(for: .infobip)
            #expect(open.isEmpty, comment)
        } checkPlatform: { world, comment in
            let ann = try #require(world.infobip.person(externalUserID: "ann"), comment)
            let bob = try #require(world.infobip.person(externalUserID: "bob"), comment)
            #expect((ann.firstName, ann.lastName) == ("OfAnn", "OfAnn"), comment)
            #expect((bob.firstName, bob.lastName) == ("OfBob", nil), comment)
            #expect(ann.installations.isEmpty && bob.installations.count == 1, comment)
            #expect(world.infobip.installations().count == 1, comment)
        }
        try await script.run()
    }
}

extension InfobipProfile {
    fileprivate func persist(_ change: (inout InfobipUserChanges) -> Void) async throws {
        var changes = InfobipUserChanges()
        change(&changes)
        try await self.persistUser(changes)
    }
}
