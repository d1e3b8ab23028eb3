// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// The checklist of facts 9, rows 45 and 46: what a depersonalize leaves, and what goes on while it waits.
@Suite struct InfobipLeavingTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")

    @Test func row45WhatIsTheDevicesStays() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann)
            try await profile.saveOwn {
                $0.isPushRegistrationEnabled = false
                $0.applicationUserID = .set("u")
            }
            let before = profile.installation
            #expect(try await profile.depersonalize() == .done)
            let after = profile.installation
            #expect(!after.isPushRegistrationEnabled)
            #expect(after.applicationUserID == "u")
            #expect(after.pushServiceToken == before.pushServiceToken && after.pushServiceToken != nil)
            #expect(after.pushServiceType == "APNS")
            #expect(after.pushRegistrationID == id)
            #expect(world.infobip.installation(id)?.isEnabled == false)
            #expect(world.infobip.installation(id)?.applicationUserID == "u")
            // Nothing of it is told again.
            #expect(world.routes.last == .depersonalize)
        }
    }

    @Test(.watched) func row46OtherInstallationsAreNotHeldUp() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            var ids: [String] = []
            for name in ["second", "third"] {
                let other = try await signet.runtime.open(InstallationID(name), identify: .none).infobip
                ids.append(try await other.register(Secret(name)))
                try await other.personalize(Self.ann)
            }
            let own = try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            world.emulator.faults.injectAlways(.status(503), on: .depersonalize)
            #expect(try await it.infobip.depersonalize() == .pending)
            try await it.infobip.setPrimary(ids[0])
            // The service was heard, so it is asked again.
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.installation(ids[0])?.isPrimary == true)
            world.emulator.faults.clear()
            world.emulator.faults.inject(.status(503), on: .depersonalize)
            #expect(it.infobip.isDepersonalizationPending)
            // Refused for a while as one's own is: the service is asked once, and nothing of it is kept.
            #expect(await code { try await it.infobip.depersonalizeInstallation(ids[1]) } == .serverFailure)
            #expect(world.infobip.person(externalUserID: "ann")?.installations == ids + [own])
            #expect(it.infobip.isDepersonalizationPending)
            try await it.infobip.depersonalizeInstallation(ids[1])
            #expect(world.infobip.person(externalUserID: "ann")?.installations.contains(ids[1]) == false)
            try await world.settle(it)
            #expect(world.infobip.person(externalUserID: "ann")?.installations == [ids[0]])
        }
    }

    @Test(.watched) func row46WhatIsOfAPersonOnTheInstallationIsHeldUntilTheyHaveGone() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.personalize(Self.ann)
            world.emulator.faults.injectAlways(.status(503), on: .depersonalize)
            #expect(try await profile.depersonalize() == .pending)
            #expect(try await profile.saveOwn { $0.customAttributes["a"] = .set(1) } == .pending)
            #expect(try await profile.saveOwn { $0.isPrimary = true } == .pending)
            // What is the device's is not held.
            #expect(try await profile.saveOwn { $0.applicationUserID = .set("u") } == .done)
            #expect(world.infobip.requests(on: .updateInstallation).map(\.bodyJSON) == [#"{"applicationUserId":"u"}"#])
            #expect(profile.isDepersonalizationPending)
            #expect(profile.installation.customAttributes == ["a": 1] && profile.installation.isPrimary)
            // A success has the depersonalize tried again, which fails.
            try await profile.waitUntilIdle()
            let count = world.requests.count
            world.emulator.faults.clear()
            try await profile.retry()
            try await profile.waitUntilIdle()
            #expect(Array(world.routes.dropFirst(count)) == [.depersonalize, .updateInstallation])
            let installation = try #require(world.infobip.installation(id))
            #expect(installation.attributes == ["a": 1] && installation.isPrimary)
            #expect(!profile.hasPendingChanges)
        }
    }
}
