// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// What the app says of the device, and of its push token.
@Suite struct InfobipDeviceTests {
    /// Facts 9, rows 8 and 13; 1.2: an installation is filled with what it runs on before the service has heard of it.
    @Test func row8AnInstallationSaysWhatItRunsOnBeforeAndAfterAnAnswer() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            #expect(it.infobip.installation.system.os == "Linux")
            #expect(it.infobip.installation.system.sdkVersion != nil)
            #expect(it.infobip.installation.notificationsEnabled)
            try await it.infobip.register()
            #expect(it.infobip.installation.system.deviceModel == "X")
        }
        try await world.live(configure: {
            $0.infobip?.system.os = "Other"
            $0.infobip?.notificationsEnabled = false
        }) { _, it in
            let changes = try it.infobip.changes
            #expect(it.infobip.installation.system.os == "Other")
            try await it.infobip.waitUntilIdle()
            #expect(it.infobip.installation.system.os == "Other")
            #expect(!it.infobip.installation.notificationsEnabled)
            for await change in changes {
                guard case .installationSynced(let installation) = change.kind else { continue }
                #expect(installation.system.os == "Other")
                break
            }
        }
    }

    /// Facts 9, row 9: what is kept to oneself is as the service has it.
    @Test func row9WhatIsPrivateIsNotSaidToBeKnown() async throws {
        let world = try InfobipWorld()
        func keepPrivate(_ configuration: inout ServiceSettings) {
            configuration.infobip?.omitsDeviceInformation = true
            configuration.infobip?.system.appVersion = "2"
            configuration.infobip?.system.deviceSecure = true
            configuration.infobip?.system.language = "hr"
            configuration.infobip?.system.deviceName = "N"
            configuration.infobip?.system.timeZoneOffset = "GMT+00:00"
        }
        try await world.liveRegistered(configure: keepPrivate) { profile, _ in
            var expected = profile.installation.system
            expected.deviceModel = nil
            expected.appVersion = nil
            expected.language = nil
            expected.deviceName = nil
            expected.timeZoneOffset = nil
            #expect(profile.installation.system == expected)
            #expect(expected.deviceSecure != true)
            #expect(expected.os == "Linux")
        }
    }

    /// Facts 9, row 11: there is no way to tell it.
    @Test func row11ATokenThatIsTakenAwayIsNotTold() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            let count = world.requests.count
            try await profile.setPushToken(nil)
            try await profile.waitUntilIdle()
            #expect(profile.installation.pushServiceToken == nil)
            try await profile.setPushToken("AA01")
            try await profile.waitUntilIdle()
            #expect(world.requests.count == count)
            try await profile.setPushToken(nil)
        }
        let count = world.requests.count
        try await world.live { _, it in
            try await it.infobip.waitUntilIdle()
            #expect(world.requests.count == count)
            // What it runs on is told all the same, with the push service that the service knows.
            try await it.infobip.setPushToken("AA01")
            try await it.infobip.waitUntilIdle()
            #expect(world.requests.count == count)
            try await it.infobip.setPushToken(nil)
        }
        try await world.live(configure: { $0.infobip?.system.os = "Other" }) { _, it in
            try await it.infobip.waitUntilIdle()
            #expect(world.requests.count == count + 1)
            #expect(world.lastBody(on: .updateInstallation)?.contains(#""pushServiceType":"APNS""#) == true)
        }
    }

    /// Facts 9, row 20.
    @Test func row20AnotherInstallationIsNoLongerPrimaryAndThisOneStaysSo() async throws {
        let world = try InfobipWorld()
        let ann = InfobipIdentity(externalUserID: "ann")
        try await world.live { signet, it in
            let other = try await signet.runtime.open("other", identify: .none)
            let id = try await other.infobip.register("BB")
            try await other.infobip.personalize(ann)
            let own = try await it.infobip.register()
            try await it.infobip.personalize(ann, setDeviceAsPrimary: true)
            let installations = try await it.infobip.setPrimary(id, isPrimary: false)
            #expect(installations.filter(\.isPrimary).map(\.pushRegistrationID) == [own])
            #expect(it.infobip.installation.isPrimary)
            #expect(world.infobip.installation(own)?.isPrimary == true)
            // One that is primary is so no longer.
            try await it.infobip.setPrimary(id)
            #expect(try await it.infobip.setPrimary(id, isPrimary: false).allSatisfy { !$0.isPrimary })
            #expect(world.infobip.installation(id)?.isPrimary == false)
        }
    }
}
