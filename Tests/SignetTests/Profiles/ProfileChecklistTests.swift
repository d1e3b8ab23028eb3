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
import SignetTransport
import SignetWire
import Testing

@testable import Signet

/// The checklist of facts 9, rows 1 to 20: one test for each row, which says the row.
@Suite struct ProfileChecklistTests {
    @Test func row1TheConfigurationHasDefaults() throws {
        var configuration = ProfileConfiguration(applicationCode: "code")
        #expect(configuration.server.url(for: .baseURL) == "https://mobile.infobip.com/mobile/1/baseurl")
        #expect(configuration.problems.isEmpty)
        configuration.baseURL = try ServerURL("http://127.0.0.1:8080")
        #expect(configuration.server.url(for: .baseURL) == "http://127.0.0.1:8080/mobile/1/baseurl")
        configuration.applicationCode = ""
        configuration.requestTimeout = .zero
        configuration.maximumInFlight = 0
        #expect(configuration.problems.count == 3)
    }

    @Test func row2TheApplicationIsNamedByTheHashOfItsCode() {
        let code: Secret = "3c59f6e341a6896fc15b8cd7e3f3fdf8-031a75db-fd8f-46b0-9f2b-a2e915d7b952"
        #expect(ProfileApplication(code: code).hash == "b9ff7d254e")
    }

    @Test func row3TokensGoWithThreeCallsOnly() async throws {
        let world = try ProfileWorld()
        let people = world.people
        let tokens: ProfileConfiguration.TokenSupplier = { _ in Secret(people.signToken(for: "ann")) }
        try await world.liveRegistered(configure: { $0.profiles?.tokens = tokens }) { profile, _ in
            try await profile.fetchUser()
            try await profile.save { $0.firstName = .set("A") }
            try await profile.personalize(ProfileIdentity(externalUserID: "ann"))
            try await profile.fetchInstallation()
            try await profile.depersonalize()
            let withToken = world.requests.filter { $0.tokenSubject != nil }.map(\.route)
            #expect(withToken == [.fetchPerson, .updatePerson, .personalize])
            #expect(world.requests.allSatisfy { $0.status < 300 })
        }
    }

    @Test func row4ATokenIsCheckedBeforeItIsSent() async throws {
        let world = try ProfileWorld()
        let people = world.people
        let expired = people.signToken(for: "ann", lifetime: .zero)
        for (token, id) in [("a.b", "JWT_TOKEN_STRUCTURE_INVALID"), (expired, "JWT_TOKEN_EXPIRED")] {
            let tokens: ProfileConfiguration.TokenSupplier = { _ in Secret(token) }
            try await world.liveRegistered(configure: { $0.profiles?.tokens = tokens }) { profile, _ in
                let count = world.requests.count
                let error = await #expect(throws: SignetError.self) { try await profile.fetchUser() }
                #expect(error?.code == .tokenUnavailable)
                #expect(error?.errors.map(\.code) == [id])
                #expect(world.requests.count == count)
            }
        }
    }

    @Test func row5EveryRequestSaysWhoAsks() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            let id = try await it.profile.register()
            try await it.profile.setActive(true)
            try await it.profile.fetchUser()
            let request = try #require(world.people.requests(on: .fetchPerson).last)
            #expect(request.registration == id)
            #expect(request.installationID == it.deviceApplicationStamp.uuidString)
            #expect(request.isForeground == true)
            #expect(request.sessionID == "\(id)_\(world.clock.milliseconds)")
            try await it.profile.setActive(false)
            try await it.profile.fetchUser()
            #expect(world.people.requests(on: .fetchPerson).last?.isForeground == false)
        }
    }

    @Test func row6QueriesAreSortedAndTheirFlagsAreDigits() {
        let route = ProfileRoute.personalize("1", .init(keepAsLead: true))
        let query = "forceDepersonalize=0&keepAsLead=1&setDeviceAsPrimary=0"
        #expect(ProfileServer.production.url(for: route).hasSuffix("personalize?" + query))
        var changes = UserProfileChanges()
        changes.firstName = .set("a/b")
        #expect(String(decoding: UserPatchBody(changes).encoded(), as: UTF8.self) == #"{"firstName":"a/b"}"#)
    }

    @Test func row7TheInstallationKeepsItsOwnIDThroughRegistrations() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            let first = try await it.profile.register()
            world.people.expireInstallation(first)
            try await it.profile.fetchUser()
        }
        try await world.live { _, it in try await it.profile.fetchUser() }
        #expect(Set(world.requests.map(\.installationID)).count == 1)
        #expect(world.people.requests(on: .createInstallation).count == 2)
    }

    @Test func row8BothAreThereRightAfterTheStartAsDetachedCopies() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            #expect(it.profile.user == UserProfile())
            #expect(it.profile.installation.isPushRegistrationEnabled)
            #expect(!it.profile.installation.isPrimary)
            let before = it.profile.user
            try await it.profile.save { $0.firstName = .set("A") }
            #expect(before.firstName == nil)
            #expect(it.profile.user.firstName == "A")
        }
    }

    @Test func row9AnInstallationSaysWhatItRunsOnUnlessThatIsPrivate() async throws {
        for isPrivate in [false, true] {
            let world = try ProfileWorld()
            try await world.liveRegistered(configure: { $0.profiles?.keepsSystemPrivate = isPrivate }) { _, id in
                let system = try #require(world.people.installation(id)?.system)
                #expect(system["os"] == "Linux")
                #expect(system["sdkVersion"] != nil)
                #expect((system["deviceModel"] == nil) == isPrivate)
            }
        }
    }

    @Test func row10TimeZonesAreOffsets() {
        #expect(InstallationSystem.timeZoneOffset(seconds: 0) == "GMT+00:00")
        #expect(InstallationSystem.timeZoneOffset(seconds: 12_600) == "GMT+03:30")
    }

    @Test func row11WithoutAPushTokenNothingIsRegistered() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            try await it.profile.save { $0.firstName = .set("A") }
            try await it.profile.settled()
            #expect(world.requests.isEmpty)
            #expect(try await it.profile.register() == world.people.installations().first?.id)
        }
    }

    @Test func row12ARegistrationSaysEverything() async throws {
        let world = try ProfileWorld()
        try await world.live(configure: { $0.profiles?.notificationsEnabled = false }) { _, it in
            try await it.profile.saveOwn {
                $0.applicationUserID = .set("u")
                $0.isPrimary = true
            }
            try await it.profile.register("AB")
            let body = try #require(world.lastBody(on: .createInstallation))
            for part in [
                #""applicationUserId":"u""#, #""isPrimary":true"#, #""regEnabled":true"#,
                #""notificationsEnabled":true"#,
                #""pushServiceType":"APNS""#, #""pushServiceToken":"ab""#, #""customAttributes":{}"#, #""os":"Linux""#,
            ] {
                #expect(body.contains(part), "\(part)")
            }
        }
    }

    @Test func row13AChangeIsADeltaAndTheSystemGoesWholeWhenItDiffers() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.saveOwn { $0.isPushRegistrationEnabled = false }
            #expect(world.lastBody(on: .updateInstallation) == #"{"regEnabled":false}"#)
        }
        try await world.live(configure: { $0.profiles?.system.os = "Other" }) { _, it in
            try await it.profile.settled()
            let body = try #require(world.lastBody(on: .updateInstallation))
            #expect(body.contains(#""os":"Other""#) && body.contains(#""deviceModel":"X""#))
            #expect(!body.contains("regEnabled"))
        }
        let count = world.requests.count
        try await world.live(configure: { $0.profiles?.system.os = "Other" }) { _, it in try await it.profile.settled()
        }
        #expect(world.requests.count == count)
    }

    @Test func row14AnInstallationIsFetchedAndAnotherOnesAnswerIsIgnored() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            #expect(try await profile.fetchInstallation().pushRegistrationID == id)
            let other = Array(#"{"pushRegId":"other","applicationUserId":"x"}"#.utf8)
            world.emulator.weather.next(on: .fetchInstallation, .answer(TransportResponse(status: 200, body: other)))
            let installation = try await profile.fetchInstallation()
            #expect(installation.applicationUserID == nil)
            #expect(installation.pushRegistrationID == id)
        }
    }

    @Test func row15ChangesOfTheInstallationWaitForItsRegistration() async throws {
        let world = try ProfileWorld()
        try await world.live { _, it in
            let outcome = try await it.profile.saveOwn { $0.customAttributes["a"] = .set("b") }
            #expect(outcome == .pending)
        }
        try await world.live { _, it in
            #expect(it.profile.installation.customAttributes == ["a": "b"])
            let id = try await it.profile.register()
            #expect(world.people.installation(id)?.attributes == ["a": "b"])
            #expect(!it.profile.hasPendingChanges)
        }
    }

    @Test func row16AnInstallationHasAttributesOfTheApp() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            try await profile.saveOwn { $0.customAttributes = ["a": .set(1), "b": .set(true)] }
            try await profile.saveOwn { $0.customAttributes = ["a": .clear] }
            #expect(world.lastBody(on: .updateInstallation) == #"{"customAttributes":{"a":null}}"#)
            #expect(world.people.installation(id)?.attributes == ["b": true])
            let long = ProfileValue.string(String(repeating: "x", count: 4097))
            #expect(
                await code { try await profile.saveOwn { $0.customAttributes["c"] = .set(long) } } == .invalidArgument
            )
        }
    }

    @Test func row17TheUserOfTheAppIsSetAndCleared() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            try await profile.saveOwn { $0.applicationUserID = .set("u") }
            #expect(world.people.installation(id)?.applicationUserID == "u")
            try await profile.saveOwn { $0.applicationUserID = .clear }
            #expect(world.people.installation(id)?.applicationUserID == nil)
        }
    }

    @Test func row18PushMessagesAreSwitchedOnAndOffOnceForEachChange() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            try await profile.setPushRegistrationEnabled(false)
            #expect(try await profile.setPushRegistrationEnabled(false) == .done)
            #expect(world.people.installation(id)?.isEnabled == false)
            #expect(world.people.requests(on: .updateInstallation).count == 1)
            world.emulator.weather.always(.connectionRefused)
            #expect(try await profile.setPushRegistrationEnabled(true) == .pending)
            #expect(profile.installation.isPushRegistrationEnabled)
        }
    }

    @Test func row19ThisInstallationBecomesThePrimaryOne() async throws {
        let world = try ProfileWorld()
        try await world.liveRegistered { profile, id in
            try await profile.fetchUser()
            #expect(try await profile.setPrimary(id).map(\.isPrimary) == [true])
            #expect(profile.installation.isPrimary)
            #expect(world.people.installation(id)?.isPrimary == true)
        }
    }

    @Test func row20AnotherInstallationBecomesThePrimaryOne() async throws {
        let world = try ProfileWorld()
        try await world.live { signet, it in
            let other = try signet.runtime.open("other", identify: .none)
            let ann = ProfileIdentity(externalUserID: "ann")
            let id = try await other.profile.register("BB")
            try await other.profile.personalize(ann)
            let own = try await it.profile.register()
            try await it.profile.personalize(ann, setDeviceAsPrimary: true)
            let installations = try await it.profile.setPrimary(id)
            #expect(installations.filter(\.isPrimary).map(\.pushRegistrationID) == [id])
            #expect(!it.profile.installation.isPrimary)
            let request = try #require(world.people.requests(on: .updateInstallation).last)
            #expect((request.registration, request.target) == (own, id))
            #expect(request.bodyJSON == #"{"isPrimary":true}"#)
            #expect(world.people.installation(id)?.isPrimary == true)
        }
    }
}
