// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import SignetWire
import Testing

@testable import Signet
@testable import SignetInfobip

/// The checklist of facts 9, rows 3, 9, 11, 12, 14 and 18: what is told of an installation, and what is heard of it.
@Suite struct InfobipInstallationTests {
    private struct NoToken: Error {}

    /// Changes the installation as another process with its push token does: a token is one registration's.
    private static func elsewhere(
        _ world: InfobipWorld,
        is id: String,
        _ change: (InfobipProfile) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try await world.live(in: folder.path) { _, it in
            #expect(try await it.infobip.register() == id)
            try await change(it.infobip)
        }
    }

    @Test func row3TheAppIsAskedForATokenOnEachOfThreeCalls() async throws {
        let world = try InfobipWorld()
        let asked = Locked<[InstallationID]>([])
        let tokens = TokenProvider<InstallationID> { id, _ in
            asked.withLock { $0.append(id) }
            return nil
        }
        try await world.live(configure: { $0.infobip?.tokens = tokens }) { signet, it in
            try await it.infobip.register()
            #expect(asked.withLock { $0 } == [])
            try await it.infobip.fetchUser()
            try await it.infobip.save { $0.firstName = .set("A") }
            try await it.infobip.personalize(InfobipIdentity(externalUserID: "ann"))
            try await it.infobip.fetchInstallation()
            try await it.infobip.depersonalize()
            #expect(asked.withLock { $0 } == [it.id, it.id, it.id])
            // Without one, the code says who asks.
            let sent = signet.transport.exchanges.map { $0.request.headers["Authorization"] }
            #expect(Set(sent) == ["App emulated-application"])
            #expect(world.requests.map(\.status).allSatisfy { $0 < 300 })
        }
    }

    @Test func row3WithoutATokenThatTheAppOwesNothingIsSent() async throws {
        let world = try InfobipWorld()
        let tokens = TokenProvider<InstallationID> { _, _ in throw NoToken() }
        try await world.liveRegistered(configure: { $0.infobip?.tokens = tokens }) { profile, _ in
            let count = world.requests.count
            let error = await #expect(throws: SignetError.self) { try await profile.fetchUser() }
            #expect(error?.code == .tokenUnavailable)
            #expect(error?.cause is NoToken)
            #expect(world.requests.count == count)
        }
    }

    @Test func row9TheUserAgentSaysWhatItRunsOnUnlessThatIsPrivate() async throws {
        let version = ClientInfo.signet.version
        for (isPrivate, fields) in [(true, ";;;;;;;;;;"), (false, "Linux;;;X;;com.example.shop;;;;;")] {
            let world = try InfobipWorld()
            try await world.live(configure: { $0.infobip?.omitsDeviceInformation = isPrivate }) { signet, it in
                try await it.infobip.register()
                try await it.infobip.fetchUser()
                let sent = Set(signet.transport.exchanges.map { $0.request.headers["User-Agent"] })
                #expect(sent == ["Signet/\(version)(\(fields))"])
            }
        }
    }

    @Test func row11TheLatestTokenIsRegisteredOnce() async throws {
        let world = try InfobipWorld()
        let signet = try world.start()
        let it = try await signet.runtime.open("p", identify: .none)
        try await it.infobip.setPushToken("AA")
        try await it.infobip.setPushToken("BB")
        try await signet.run { _ in
            _ = try await it.infobip.registration()
            try await it.infobip.waitUntilIdle()
            #expect(world.routes == [.createInstallation])
            #expect(world.lastBody(on: .createInstallation)?.contains(#""pushServiceToken":"bb""#) == true)
            // The same again, in whatever letters.
            try await it.infobip.setPushToken("BB")
            try await it.infobip.setPushToken("bb")
            try await it.infobip.waitUntilIdle()
            #expect(world.routes == [.createInstallation])
        }
        try await world.live { _, it in
            try await it.infobip.setPushToken("bb")
            try await it.infobip.waitUntilIdle()
            #expect(world.routes == [.createInstallation])
        }
    }

    @Test func row11ATokenOfAnotherPushServiceIsToldWithThatService() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await profile.setPushToken(PushToken("AA01", service: .gcm))
            try await profile.waitUntilIdle()
            let body = try #require(world.lastBody(on: .updateInstallation))
            // It is not hexadecimal: another letter is another device.
            #expect(body.contains(#""pushServiceToken":"AA01""#), "\(body)")
            #expect(body.contains(#""pushServiceType":"GCM""#), "\(body)")
            #expect(world.infobip.installation(id)?.pushToken == "AA01")
            #expect(profile.installation.pushServiceType == "GCM")
            try await profile.waitUntilIdle()
            #expect(world.infobip.requests(on: .updateInstallation).count == 1)
        }
    }

    @Test func row12NotificationsAreToldAsTheyAreAfterAnHour() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered(configure: { $0.infobip?.notificationsEnabled = false }) { profile, id in
            #expect(world.infobip.installation(id)?.system["notificationsEnabled"] == true)
            world.clock.advance(by: .seconds(3599))
            try await profile.saveOwn { $0.applicationUserID = .set("u") }
            #expect(world.lastBody(on: .updateInstallation) == #"{"applicationUserId":"u"}"#)
            world.clock.advance(by: .seconds(2))
            try await profile.waitUntilIdle()
            let body = try #require(world.lastBody(on: .updateInstallation))
            #expect(body.contains(#""notificationsEnabled":false"#), "\(body)")
            #expect(body.contains(#""os":"Linux""#), "\(body)")
            #expect(world.infobip.installation(id)?.system["notificationsEnabled"] == false)
        }
        // Once.
        try await world.live(configure: { $0.infobip?.notificationsEnabled = false }) { _, it in
            world.clock.advance(by: .seconds(86_400))
            try await it.infobip.saveOwn { $0.applicationUserID = .set("v") }
            try await it.infobip.waitUntilIdle()
            #expect(world.infobip.requests(on: .updateInstallation).count == 3)
            #expect(world.lastBody(on: .updateInstallation) == #"{"applicationUserId":"v"}"#)
        }
    }

    @Test func row14WhatIsFetchedOfTheInstallationLeavesPendingEdits() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            world.emulator.faults.injectAlways(.status(503), on: .updateInstallation)
            #expect(try await profile.saveOwn { $0.customAttributes["a"] = .set("pending") } == .pending)
            world.emulator.faults.clear()
            try await Self.elsewhere(world, is: id) { other in
                try await other.saveOwn {
                    $0.applicationUserID = .set("elsewhere")
                    $0.customAttributes = ["a": .set("elsewhere"), "b": .set("elsewhere")]
                }
            }
            world.emulator.faults.injectAlways(.status(503), on: .updateInstallation)
            let fetched = try await profile.fetchInstallation()
            #expect(fetched.applicationUserID == "elsewhere")
            #expect(fetched.customAttributes == ["a": "pending", "b": "elsewhere"])
            #expect(profile.installation == fetched)
            #expect(profile.hasPendingChanges)
            // A success has the save tried again, which fails.
            try await profile.waitUntilIdle()
            world.emulator.faults.clear()
            try await profile.retry()
            try await profile.waitUntilIdle()
            let installation = try #require(world.infobip.installation(id))
            #expect(installation.applicationUserID == "elsewhere")
            #expect(installation.attributes == ["a": "pending", "b": "elsewhere"])
        }
    }

    @Test func row18WhetherMessagesAreWantedIsHeardFromTheService() async throws {
        let world = try InfobipWorld()
        try await world.liveRegistered { profile, id in
            try await Self.elsewhere(world, is: id) { try await $0.setPushRegistrationEnabled(false) }
            #expect(profile.installation.isPushRegistrationEnabled)
            try await profile.fetchUser()
            #expect(!profile.installation.isPushRegistrationEnabled)
            // Known by now: to want it again is told.
            #expect(try await profile.setPushRegistrationEnabled(true) == .done)
            #expect(world.infobip.installation(id)?.isEnabled == true)
            try await Self.elsewhere(world, is: id) { try await $0.setPushRegistrationEnabled(false) }
            #expect(profile.installation.isPushRegistrationEnabled)
            try await profile.fetchInstallation()
            #expect(!profile.installation.isPushRegistrationEnabled)
        }
    }
}
