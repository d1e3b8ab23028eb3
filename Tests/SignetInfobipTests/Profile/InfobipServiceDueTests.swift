// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Signet
@testable import SignetInfobip

/// The work that the memory of an Infobip profile shows.
@Suite struct InfobipServiceDueTests {
    private static let token = InfobipPushToken("0aff", service: "APNS")

    private static func active(_ token: InfobipPushToken?) -> InfobipMemory.Registration {
        .active(.init(id: "r", token: token, systemHash: "a hash", at: 0))
    }

    @Test func aProfileAtRestHasNone() {
        var memory = InfobipMemory(application: "app")
        #expect(memory.due(isOptedOut: false) == .nothing)
        (memory.token, memory.registration) = (Self.token, Self.active(Self.token))
        #expect(memory.due(isOptedOut: false) == .nothing)
        #expect(memory.due(isOptedOut: true) == .nothing)
    }

    @Test func aRegistrationIsDueOnceThereIsAToken() {
        var memory = InfobipMemory(application: "app")
        memory.token = Self.token
        #expect(memory.due(isOptedOut: false) == .due)
        #expect(memory.due(isOptedOut: true) == .awaitsApp("an opt-in"))
        memory.registration = .lost
        #expect(memory.due(isOptedOut: false) == .due)
    }

    @Test func aTokenThatTheServiceLacksIsDue() {
        var memory = InfobipMemory(application: "app")
        memory.token = Self.token
        memory.registration = Self.active(InfobipPushToken("0bee", service: "APNS"))
        #expect(memory.due(isOptedOut: false) == .due)
    }

    @Test func eventsWaitForAPushTokenAndGoAtAnOptOut() {
        var memory = InfobipMemory(application: "app")
        _ = memory.add([1])
        #expect(memory.due(isOptedOut: false) == .awaitsApp("a push token"))
        #expect(memory.due(isOptedOut: true) == .due)
        (memory.token, memory.registration) = (Self.token, Self.active(Self.token))
        #expect(memory.due(isOptedOut: false) == .due)
    }
}
