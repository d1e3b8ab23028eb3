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

/// The push token belongs to the device: it is kept for every user in front of it, and taken from those who have gone.
@Suite(.watched) struct VisitorPushTokenTests {
    private static func areEnabled(_ user: EmulatedVisitor?) -> [Bool]? {
        user?.devices.map(\.isEnabled)
    }

    @Test(arguments: [true, false])
    func aTokenGivenBeforeConsentIsRegisteredForTheFirstKnownUser(isEnabled: Bool) async throws {
        let world = try VisitorWorld()
        try await world.live(configure: { $0.visitors?.isEnabled = isEnabled }) { _, it in
            let receipt = try await it.visitor.setPushToken("0aff")
            #expect(receipt == .storedLocally)
        }
        // The token survives the process, too.
        try await world.live(configure: { $0.visitors?.isEnabled = isEnabled }) { _, it in
            try await world.settle(it)
            #expect(world.routes.isEmpty)
            try await it.visitor.identify(.userID("ann"))
            try await world.settle(it)
            #expect(world.visitors.user(userID: "ann")?.devices.map(\.token) == ["0aff"])
        }
    }

    @Test func aTokenGivenBeforeConsentIsRegisteredForTheUnknownUser() async throws {
        let world = try VisitorWorld()
        try await world.live { _, it in
            try await it.visitor.setPushToken("0aff")
            try await it.visitor.setConsent(true)
            try await it.visitor.track("signup")
            try await world.settle(it)
            #expect(world.visitors.unknownUsers().first?.devices.map(\.token) == ["0aff"])
        }
    }

    @Test func theTokenOutlivesTheUserAlsoWithoutConsent() async throws {
        let world = try VisitorWorld()
        try await world.live { _, it in
            try await it.visitor.setPushToken("0aff")
            for name in ["ann", "bob"] {
                try await it.visitor.identify(.userID(name))
                try await world.settle(it)
                try await it.visitor.logout()
                try await world.settle(it)
            }
            #expect(world.visitors.requests(on: .registerDevice).count == 2)
            #expect(Self.areEnabled(world.visitors.user(userID: "ann")) == [false])
            #expect(Self.areEnabled(world.visitors.user(userID: "bob")) == [false])
        }
    }

    // MARK: - Notifications

    @Test(arguments: [nil, true, false] as [Bool?])
    func onlyWhatTheAppSaysOfNotificationsIsTold(allows: Bool?) async throws {
        let world = try VisitorWorld()
        try await world.live { _, it in
            try await it.visitor.setPushToken("0aff")
            guard let allows else { return }
            let receipt = try await it.visitor.setNotifications(areAllowed: allows)
            #expect(receipt == .storedLocally)
        }
        try await world.live { _, it in
            try await it.visitor.setConsent(true)
            try await it.visitor.track("signup")
            try await world.settle(it)
        }
        let session = try #require(world.visitors.requests(on: .activation).last?.body)
        let context = try #require(session["unknownSessionContext"])
        #expect(context["mobilePushOptIn"]?.string == (allows == true ? "com.example.shop" : nil))
        let device = try #require(world.visitors.requests(on: .registerDevice).last?.body?["device"])
        #expect(device["dataFields"]?["notificationsEnabled"]?.bool == allows)
    }

    @Test func aDeviceIsRegisteredAnewWhenNotificationsAreAllowedOrNotAnyMore() async throws {
        let world = try VisitorWorld()
        try await world.live { _, it in
            try await it.visitor.identify(.userID("ann"))
            try await it.visitor.setNotifications(areAllowed: true)
            try await world.settle(it)
            #expect(world.visitors.requests(on: .registerDevice).isEmpty)
            try await it.visitor.setPushToken("0aff")
            try await world.settle(it)
            for areAllowed in [true, false, false] {
                let receipt = try await it.visitor.setNotifications(areAllowed: areAllowed)
                #expect(receipt == .queued)
                try await world.settle(it)
            }
            let devices = world.visitors.requests(on: .registerDevice).map { $0.body?["device"]?["dataFields"] }
            #expect(devices.map { $0?["notificationsEnabled"]?.bool } == [true, false])
        }
    }

    // MARK: - Consent that is taken back

    @Test func revokedConsentDisablesTheDeviceOfTheUnknownUser() async throws {
        let world = try VisitorWorld()
        try await world.live { _, it in
            try await it.visitor.setConsent(true)
            try await it.visitor.setPushToken("0aff")
            try await it.visitor.track("signup")
            try await world.settle(it)
            #expect(Self.areEnabled(world.visitors.unknownUsers().first) == [true])
            // No answer: nothing but the device is told of them any more, also by the next process.
            world.emulator.weather.next(on: .disableDevice, .connectionRefused)
            try await it.visitor.setConsent(false)
            #expect(it.visitor.state == .noConsent)
            try await it.visitor.settled()
        }
        let count = world.routes.count
        try await world.live { _, it in
            try await world.settle(it)
            #expect(world.routes.dropFirst(count) == [.disableDevice])
            #expect(Self.areEnabled(world.visitors.unknownUsers().first) == [false])
            // The token is still the device's.
            try await it.visitor.identify(.userID("ann"))
            try await world.settle(it)
            #expect(Self.areEnabled(world.visitors.user(userID: "ann")) == [true])
            // Consent is about what a visitor does: a known user and their device stay.
            try await it.visitor.setConsent(true)
            try await it.visitor.setConsent(false)
            try await world.settle(it)
            #expect(Self.areEnabled(world.visitors.user(userID: "ann")) == [true])
        }
    }

    /// Their merge goes with the consent, so the device is taken from them, and stays the known user's.
    @Test func revokedConsentBeforeTheMergeDisablesTheDeviceOfTheUnknownUserOnly() async throws {
        let world = try VisitorWorld()
        world.emulator.weather.next(on: .mergeUsers, .connectionRefused)
        try await world.live { _, it in
            try await it.visitor.setConsent(true)
            try await it.visitor.setPushToken("0aff")
            try await it.visitor.track("signup")
            try await world.settle(it)
            try await it.visitor.identify(.userID("ann"))
            try await it.visitor.settled()
            try await it.visitor.setConsent(false)
            try await world.settle(it)
            #expect(world.visitors.merges().isEmpty)
            #expect(Self.areEnabled(world.visitors.unknownUsers().first) == [false])
            #expect(Self.areEnabled(world.visitors.user(userID: "ann")) == [true])
        }
    }
}
