// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetIterable

/// The push token belongs to the device: it is kept for every user in front of it, and taken from those who have gone.
@Suite(.watched) struct IterablePushTokenTests {
    private static func areEnabled(_ user: EmulatedIterableUser?) -> [Bool]? {
        user?.devices.map(\.isEnabled)
    }

    @Test(arguments: [true, false])
    func aTokenGivenBeforeConsentIsRegisteredForTheFirstKnownUser(isEnabled: Bool) async throws {
        let world = try IterableWorld()
        try await world.live(configure: { $0.iterable?.isEnabled = isEnabled }) { _, it in
            let receipt = try await it.iterable.setPushToken("0aff")
            #expect(receipt == .buffered)
        }
        // The token survives the process, too.
        try await world.live(configure: { $0.iterable?.isEnabled = isEnabled }) { _, it in
            try await world.settle(it)
            #expect(world.routes.isEmpty)
            try await it.iterable.identify(.userID("ann"))
            try await world.settle(it)
            #expect(world.iterable.user(userID: "ann")?.devices.map(\.token) == ["0aff"])
        }
    }

    @Test func aTokenGivenBeforeConsentIsRegisteredForTheUnknownUser() async throws {
        let world = try IterableWorld()
        try await world.live { _, it in
            try await it.iterable.setPushToken("0aff")
            try await it.iterable.setTrackingConsent(true)
            try await it.iterable.track("signup")
            try await world.settle(it)
            #expect(world.iterable.unknownUsers().first?.devices.map(\.token) == ["0aff"])
        }
    }

    @Test func theTokenOutlivesTheUserAlsoWithoutConsent() async throws {
        let world = try IterableWorld()
        try await world.live { _, it in
            try await it.iterable.setPushToken("0aff")
            for name in ["ann", "bob"] {
                try await it.iterable.identify(.userID(name))
                try await world.settle(it)
                try await it.iterable.logout()
                try await world.settle(it)
            }
            #expect(world.iterable.requests(on: .registerDevice).count == 2)
            #expect(Self.areEnabled(world.iterable.user(userID: "ann")) == [false])
            #expect(Self.areEnabled(world.iterable.user(userID: "bob")) == [false])
        }
    }

    // MARK: - Notifications

    @Test(arguments: [nil, true, false] as [Bool?])
    func onlyWhatTheAppSaysOfNotificationsIsTold(allows: Bool?) async throws {
        let world = try IterableWorld()
        try await world.live { _, it in
            try await it.iterable.setPushToken("0aff")
            guard let allows else { return }
            let receipt = try await it.iterable.setNotifications(areAllowed: allows)
            #expect(receipt == .buffered)
        }
        try await world.live { _, it in
            try await it.iterable.setTrackingConsent(true)
            try await it.iterable.track("signup")
            try await world.settle(it)
        }
        let session = try #require(world.iterable.requests(on: .activation).last?.body)
        let context = try #require(session["unknownSessionContext"])
        #expect(context["mobilePushOptIn"]?.string == (allows == true ? "com.example.shop" : nil))
        let device = try #require(world.iterable.requests(on: .registerDevice).last?.body?["device"])
        #expect(device["dataFields"]?["notificationsEnabled"]?.bool == allows)
    }

    @Test func aDeviceIsRegisteredAnewWhenNotificationsAreAllowedOrNotAnyMore() async throws {
        let world = try IterableWorld()
        try await world.live { _, it in
            try await it.iterable.identify(.userID("ann"))
            try await it.iterable.setNotifications(areAllowed: true)
            try await world.settle(it)
            #expect(world.iterable.requests(on: .registerDevice).isEmpty)
            try await it.iterable.setPushToken("0aff")
            try await world.settle(it)
            for areAllowed in [true, false, false] {
                let receipt = try await it.iterable.setNotifications(areAllowed: areAllowed)
                #expect(receipt == .queued)
                try await world.settle(it)
            }
            let devices = world.iterable.requests(on: .registerDevice).map { $0.body?["device"]?["dataFields"] }
            #expect(devices.map { $0?["notificationsEnabled"]?.bool } == [true, false])
        }
    }

    // MARK: - Consent that is taken back

    @Test func revokedConsentDisablesTheDeviceOfTheUnknownUser() async throws {
        let world = try IterableWorld()
        try await world.live { _, it in
            try await it.iterable.setTrackingConsent(true)
            try await it.iterable.setPushToken("0aff")
            try await it.iterable.track("signup")
            try await world.settle(it)
            #expect(Self.areEnabled(world.iterable.unknownUsers().first) == [true])
            // No answer: nothing but the device is told of them any more, also by the next process.
            world.emulator.faults.inject(.connectionRefused, on: .disableDevice)
            try await it.iterable.setTrackingConsent(false)
            #expect(it.iterable.state == .noConsent)
            try await it.iterable.waitUntilIdle()
        }
        let count = world.routes.count
        try await world.live { _, it in
            try await world.settle(it)
            #expect(world.routes.dropFirst(count) == [.disableDevice])
            #expect(Self.areEnabled(world.iterable.unknownUsers().first) == [false])
            // The token is still the device's.
            try await it.iterable.identify(.userID("ann"))
            try await world.settle(it)
            #expect(Self.areEnabled(world.iterable.user(userID: "ann")) == [true])
            // Consent is about what a visitor does: a known user and their device stay.
            try await it.iterable.setTrackingConsent(true)
            try await it.iterable.setTrackingConsent(false)
            try await world.settle(it)
            #expect(Self.areEnabled(world.iterable.user(userID: "ann")) == [true])
        }
    }

    /// Their merge goes with the consent, so the device is taken from them, and stays the known user's.
    @Test func revokedConsentBeforeTheMergeDisablesTheDeviceOfTheUnknownUserOnly() async throws {
        let world = try IterableWorld()
        world.emulator.faults.inject(.connectionRefused, on: .mergeUsers)
        try await world.live { _, it in
            try await it.iterable.setTrackingConsent(true)
            try await it.iterable.setPushToken("0aff")
            try await it.iterable.track("signup")
            try await world.settle(it)
            try await it.iterable.identify(.userID("ann"))
            try await it.iterable.waitUntilIdle()
            try await it.iterable.setTrackingConsent(false)
            try await world.settle(it)
            #expect(world.iterable.merges().isEmpty)
            #expect(Self.areEnabled(world.iterable.unknownUsers().first) == [false])
            #expect(Self.areEnabled(world.iterable.user(userID: "ann")) == [true])
        }
    }
}
