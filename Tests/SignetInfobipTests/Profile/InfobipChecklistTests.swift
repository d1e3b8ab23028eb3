// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTesting
import SignetTransport
import SignetWire
import Testing

@testable import Signet
@testable import SignetInfobip

/// The checklist of facts 9, rows 1 to 20: one test for each row, which says the row.
@Suite struct InfobipChecklistTests {
    @Test func row1TheConfigurationHasDefaults() throws {
        var configuration = InfobipConfiguration(applicationCode: "code")
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
        #expect(InfobipApplication(code: code).hash == "b9ff7d254e")
    }

    @Test func row3TokensGoWithThreeCallsOnly() async throws {
        let world = try InfobipWorld()
        let people = world.infobip
        let tokens = TokenProvider<InstallationID> { _, _ in Secret(people.signToken(for: "ann")) }
        try await world.liveRegistered(configure: { $0.infobip?.tokens = tokens }) { profile, _ in
            try await profile.fetchUser()
            try await profile.save { $0.firstName = .set("A") }
            try await profile.personalize(InfobipIdentity(externalUserID: "ann"))
            try await profile.fetchInstallation()
            try await profile.depersonalize()
            let withToken = world.requests.filter { $0.tokenSubject != nil }.map(\.route)
            #expect(withToken == [.fetchPerson, .updatePerson, .personalize])
            #expect(world.requests.allSatisfy { $0.status < 300 })
        }
    }

    @Test func row4ATokenIsCheckedBeforeItIsSent() async throws {
        let world = try InfobipWorld()
        let people = world.infobip
        let expired = people.signToken(for: "ann", lifetime: .zero)
        for (token, id) in [("a.b", "JWT_TOKEN_STRUCTURE_INVALID"), (expired, "JWT_TOKEN_EXPIRED")] {
            let tokens = TokenProvider<InstallationID> { _, _ in Secret(token) }
            try await world.liveRegistered(configure: { $0.infobip?.tokens = tokens }) { profile, _ in
                let count = world.requests.count
                let error = await #expect(throws: SignetError.self) { try await profile.fetchUser() }
                #expect(error?.code == .tokenUnavailable)
                #expect(error?.errors.map(\.code) == [id])
                #expect(world.requests.count == count)
            }
        }
    }

    @Test func row5EveryRequestSaysWhoAsks() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await it.infobip.setActive(true)
            try await it.infobip.fetchUser()
            let request = try #require(world.infobip.requests(on: .fetchPerson).last)
            #expect(request.registration == id)
            #expect(request.installationID == it.deviceApplicationStamp.uuidString)
            #expect(request.isForeground == true)
            #expect(request.sessionID == "\(id)_\(world.clock.milliseconds)")
            try await it.infobip.setActive(false)
            try await it.infobip.fetchUser()
            #expect(world.infobip.requests(on: .fetchPerson).last?.isForeground == false)
        }
    }

    @Test func row6QueriesAreSortedAndTheirFlagsAreDigits() {
        let route = InfobipRoute.personalize("1", .keepAsLead)
        let query = "forceDepersonalize=0&keepAsLead=1&setDeviceAsPrimary=0"
        #expect(InfobipServer.production.url(for: route).hasSuffix("personalize?" + query))
        var changes = InfobipUserChanges()
        changes.firstName = .set("a/b")
        #expect(String(decoding: UserPatchBody(changes).encoded(), as: UTF8.self) == #"{"firstName":"a/b"}"#)
    }

    @Test func row7TheInstallationKeepsItsOwnIDThroughRegistrations() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let first = try await it.infobip.register()
            world.infobip.expireInstallation(first)
            try await it.infobip.fetchUser()
        }
        try await world.live { _, it in try await it.infobip.fetchUser() }
        #expect(Set(world.requests.map(\.installationID)).count == 1)
        #expect(world.infobip.requests(on: .createInstallation).count == 2)
    }

    @Test func row8BothAreThereRightAfterTheStartAsDetachedCopies() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            #expect(it.infobip.user == InfobipUser())
            #expect(it.infobip.installation.isPushRegistrationEnabled)
            #expect(!it.infobip.installation.isPrimary)
            let before = it.infobip.user
            try await it.infobip.save { $0.firstName = .set("A") }
            #expect(before.firstName == nil)
            #expect(it.infobip.user.firstName == "A")
        }
    }

    @Test func row9AnInstallationSaysWhatItRunsOnUnlessThatIsPrivate() async throws {
        for isPrivate in [false, true] {
            let world = try InfobipWorld()
            try await world.liveRegistered(configure: { $0.infobip?.omitsDeviceInformation = isPrivate }) { _, id in
                let system = try #require(world.infobip.installation(id)?.system)
                #expect(system["os"] == "Linux")
                #expect(system["sdkVersion"] != nil)
                #expect((system["deviceModel"] == nil) == isPrivate)
            }
        }
    }

    @Test func row10TimeZonesAreOffsets() {
        #expect(InfobipInstallationSystem.timeZoneOffset(seconds: 0) == "GMT+00:00")
        #expect(InfobipInstallationSystem.timeZoneOffset(seconds: 12_600) == "GMT+03:30")
    }

    @Test func row11WithoutAPushTokenNothingIsRegistered() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.save { $0.firstName = .set("A") }
            try await it.infobip.waitUntilIdle()
            #expect(world.requests.isEmpty)
            #expect(try await it.infobip.register() == world.infobip.installations().first?.id)
        }
    }

    @Test func row12ARegistrationSaysEverything() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: { $0.infobip?.notificationsEnabled = false }) { _, it in
            try await it.infobip.saveOwn {
                $0.applicationUserID = .set("u")
                $0.isPrimary = true
            }
            try await it.infobip.register("AB")
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
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, _ in
            try await profile.saveOwn { $0.isPushRegistrationEnabled = false }
            #expect(world.lastBody(on: .updateInstallation) == #"{"regEnabled":false}"#)
        }
        try await world.live(configure: { $0.infobip?.system.os = "Other" }) { _, it in
            try await it.infobip.waitUntilIdle()
            let body = try #require(world.lastBody(on: .updateInstallation))
            #expect(body.contains(#""os":"Other""#) && body.contains(#""deviceModel":"X""#))
            #expect(!body.contains("regEnabled"))
        }
        let count = world.requests.count
        try await world.live(configure: { $0.infobip?.system.os = "Other" }) { _, it in
            try await it.infobip.waitUntilIdle()
        }
        #expect(world.requests.count == count)
    }

    @Test func row14AnInstallationIsFetchedAndAnotherOnesAnswerIsIgnored() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            #expect(try await profile.fetchInstallation().pushRegistrationID == id)
            let other = Array(#"{"pushRegId":"other","applicationUserId":"x"}"#.utf8)
            world.emulator.faults.inject(.answer(TransportResponse(status: 200, body: other)), on: .fetchInstallation)
            let installation = try await profile.fetchInstallation()
            #expect(installation.applicationUserID == nil)
            #expect(installation.pushRegistrationID == id)
        }
    }

    @Test func row15ChangesOfTheInstallationWaitForItsRegistration() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let outcome = try await it.infobip.saveOwn { $0.customAttributes["a"] = .set("b") }
            #expect(outcome == .pending)
        }
        try await world.live { _, it in
            #expect(it.infobip.installation.customAttributes == ["a": "b"])
            let id = try await it.infobip.register()
            #expect(world.infobip.installation(id)?.attributes == ["a": "b"])
            #expect(!it.infobip.hasPendingChanges)
        }
    }

    @Test func row16AnInstallationHasAttributesOfTheApp() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.saveOwn { $0.customAttributes = ["a": .set(1), "b": .set(true)] }
            try await profile.saveOwn { $0.customAttributes = ["a": .clear] }
            #expect(world.lastBody(on: .updateInstallation) == #"{"customAttributes":{"a":null}}"#)
            #expect(world.infobip.installation(id)?.attributes == ["b": true])
            let long = InfobipValue.string(String(repeating: "x", count: 4097))
            #expect(
                await code { try await profile.saveOwn { $0.customAttributes["c"] = .set(long) } } == .invalidArgument
            )
        }
    }

    @Test func row17TheUserOfTheAppIsSetAndCleared() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.saveOwn { $0.applicationUserID = .set("u") }
            #expect(world.infobip.installation(id)?.applicationUserID == "u")
            try await profile.saveOwn { $0.applicationUserID = .clear }
            #expect(world.infobip.installation(id)?.applicationUserID == nil)
        }
    }

    @Test func row18PushMessagesAreSwitchedOnAndOffOnceForEachChange() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.setPushRegistrationEnabled(false)
            #expect(try await profile.setPushRegistrationEnabled(false) == .done)
            #expect(world.infobip.installation(id)?.isEnabled == false)
            #expect(world.infobip.requests(on: .updateInstallation).count == 1)
            world.emulator.faults.injectAlways(.connectionRefused)
            #expect(try await profile.setPushRegistrationEnabled(true) == .pending)
            #expect(profile.installation.isPushRegistrationEnabled)
        }
    }

    @Test func row19ThisInstallationBecomesThePrimaryOne() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.fetchUser()
            #expect(try await profile.setPrimary(id).map(\.isPrimary) == [true])
            #expect(profile.installation.isPrimary)
            #expect(world.infobip.installation(id)?.isPrimary == true)
        }
    }

    @Test func row20AnotherInstallationBecomesThePrimaryOne() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let other = try await signet.runtime.open("other", identify: .none)
            let ann = InfobipIdentity(externalUserID: "ann")
            let id = try await other.infobip.register("BB")
            try await other.infobip.personalize(ann)
            let own = try await it.infobip.register()
            try await it.infobip.personalize(ann, setDeviceAsPrimary: true)
            let installations = try await it.infobip.setPrimary(id)
            #expect(installations.filter(\.isPrimary).map(\.pushRegistrationID) == [id])
            #expect(!it.infobip.installation.isPrimary)
            let request = try #require(world.infobip.requests(on: .updateInstallation).last)
            #expect((request.registration, request.target) == (own, id))
            #expect(request.bodyJSON == #"{"isPrimary":true}"#)
            #expect(world.infobip.installation(id)?.isPrimary == true)
        }
    }
}
