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

/// What the app says of the device, and of its push token.
@Suite struct ProfileDeviceTests {
    /// Facts 9, rows 8 and 13; 1.2: an installation is filled with what it runs on before the service has heard of it.
    @Test func row8AnInstallationSaysWhatItRunsOnBeforeAndAfterAnAnswer() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            #expect(it.profile.installation.system.os == "Linux")
            #expect(it.profile.installation.system.sdkVersion != nil)
            #expect(it.profile.installation.notificationsEnabled)
            try await it.profile.register()
            #expect(it.profile.installation.system.deviceModel == "X")
        }
        try await world.live(configure: {
            $0.profiles?.system.os = "Other"
            $0.profiles?.notificationsEnabled = false
        }) { _, it in
            let changes = it.profile.changes
            #expect(it.profile.installation.system.os == "Other")
            try await it.profile.settled()
            #expect(it.profile.installation.system.os == "Other")
            #expect(!it.profile.installation.notificationsEnabled)
            for await change in changes {
                guard case .installationSynced(let installation) = change.kind else { continue }
                #expect(installation.system.os == "Other")
                break
            }
        }
    }

    /// Facts 9, row 9: what is kept to oneself is as the service has it.
    @Test func row9WhatIsPrivateIsNotSaidToBeKnown() async throws {
        let world = try ProfileWorld()
        func keepPrivate(_ configuration: inout SignetConfiguration) {
            configuration.profiles?.keepsSystemPrivate = true
            configuration.profiles?.system.appVersion = "2"
            configuration.profiles?.system.deviceSecure = true
            configuration.profiles?.system.language = "hr"
            configuration.profiles?.system.deviceName = "N"
            configuration.profiles?.system.timeZoneOffset = "GMT+00:00"
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
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, _ in
            let count = world.requests.count
            try await profile.setPushToken(nil)
            try await profile.settled()
            #expect(profile.installation.pushServiceToken == nil)
            try await profile.setPushToken("AA01")
            try await profile.settled()
            #expect(world.requests.count == count)
            try await profile.setPushToken(nil)
        }
        let count = world.requests.count
        try await world.live { _, it in
            try await it.profile.settled()
            #expect(world.requests.count == count)
            // What it runs on is told all the same, with the push service that the service knows.
            try await it.profile.setPushToken("AA01")
            try await it.profile.settled()
            #expect(world.requests.count == count)
            try await it.profile.setPushToken(nil)
        }
        try await world.live(configure: { $0.profiles?.system.os = "Other" }) { _, it in
            try await it.profile.settled()
            #expect(world.requests.count == count + 1)
            #expect(world.lastBody(on: .updateInstallation)?.contains(#""pushServiceType":"APNS""#) == true)
        }
    }

    /// Facts 9, row 20.
    @Test func row20AnotherInstallationIsNoLongerPrimaryAndThisOneStaysSo() async throws {
        let world = try ProfileWorld()
        let ann = ProfileIdentity(externalUserID: "ann")
        try await world.live { signet, it in
            let other = try signet.runtime.open("other", identify: .none)
            let id = try await other.profile.register("BB")
            try await other.profile.personalize(ann)
            let own = try await it.profile.register()
            try await it.profile.personalize(ann, setDeviceAsPrimary: true)
            let installations = try await it.profile.setPrimary(id, false)
            #expect(installations.filter(\.isPrimary).map(\.pushRegistrationID) == [own])
            #expect(it.profile.installation.isPrimary)
            #expect(world.people.installation(own)?.isPrimary == true)
            // One that is primary is so no longer.
            try await it.profile.setPrimary(id)
            #expect(try await it.profile.setPrimary(id, false).allSatisfy { !$0.isPrimary })
            #expect(world.people.installation(id)?.isPrimary == false)
        }
    }
}
