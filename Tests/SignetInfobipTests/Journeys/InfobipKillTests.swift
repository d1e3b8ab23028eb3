// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// A process that dies at each call of the disk, and the one that comes after it.
@Suite struct InfobipKillTests {
    private static let steps: [InfobipKillScript.Step] = [
        { _, it, _ in try await it.infobip.save { $0.firstName = .set("First") } },
        { _, it, _ in try await it.infobip.submit(InfobipEvent("e1"), .queued) },
        { _, it, _ in try await it.infobip.setPushToken("AA") },
        InfobipKillScript.settle,
        { _, it, _ in try await it.infobip.personalize(InfobipIdentity(externalUserID: "ann"), forceDepersonalize: true)
        },
        { _, it, _ in try await it.infobip.save { $0.lastName = .set("OfAnn") } },
        { _, it, _ in try await it.infobip.saveOwn { $0.applicationUserID = .set("u") } },
        { world, _, _ in world.emulator.faults.injectAlways(.status(503)) },
        { _, it, _ in try await it.infobip.save { $0.middleName = .set("OfAnn") } },
        { _, it, _ in try await it.infobip.depersonalize() },
        { world, _, _ in world.emulator.faults.clear() },
        InfobipKillScript.settle,
        { _, it, _ in try await it.infobip.personalize(InfobipIdentity(externalUserID: "bob")) },
        { _, it, _ in try await it.infobip.save { $0.firstName = .set("OfBob") } },
        InfobipKillScript.settle,
    ]

    @Test func whereverAProcessDiesNothingIsLostAndNobodyIsMixedUp() async throws {
        let script = InfobipKillScript(steps: Self.steps) { it, comment in
            #expect(it.infobip.user.firstName == "OfBob", comment)
        } checkPlatform: { world, comment in
            let ann = try #require(world.infobip.person(externalUserID: "ann"), comment)
            let bob = try #require(world.infobip.person(externalUserID: "bob"), comment)
            #expect(ann.lastName == "OfAnn", comment)
            // It waits for her, unless there was an attempt without faults before she left.
            #expect(ann.middleName == nil || ann.middleName == "OfAnn", comment)
            #expect((bob.firstName, bob.lastName, bob.middleName) == ("OfBob", nil, nil), comment)
            #expect(ann.installations.isEmpty && bob.installations.count == 1, comment)
            let events = world.infobip.requests(on: .customEvents).filter { $0.status < 300 }
            #expect(events.contains { $0.bodyJSON.contains("e1") }, comment)
        }
        try await script.run()
    }
}
