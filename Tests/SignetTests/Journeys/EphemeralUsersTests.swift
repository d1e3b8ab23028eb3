// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

@Suite(.watched) struct EphemeralUsersTests {
    private static var rules: EmulatorConfiguration {
        var rules = EmulatorConfiguration(strategy: .link)
        rules.ephemeralRule = .anonymousUsers
        return rules
    }

    @Test func theLocalStateGoesAtTheNextSwitchAndTheEventsAreDelivered() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path, emulator: Self.rules) {
            $0.events.priorityUploadDelay = .seconds(600)
        }
        let (guest, customer, stamp) = try await signet.run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let guest = try await visitor.identify().user
            #expect(guest.isEphemeral)
            try await visitor.setAttribute("secret value", for: "note")
            try visitor.log(.custom("of the guest"))
            var changes = visitor.userChanges().makeAsyncIterator()
            let result = try await visitor.login([.customerID: "c-1"])
            #expect(result.previousUser?.attributes == ["note": "secret value"])
            #expect(await changes.next(isolation: #isolation)?.previous?.mpid == guest.mpid)
            #expect(visitor.allUsers.map(\.mpid) == [result.user.mpid])
            #expect(visitor.user(guest.mpid) == nil)
            let stranger = await code { () async throws(SignetError) in
                try await visitor.setAttribute(1, for: "a", of: guest.mpid)
            }
            #expect(stranger == .noUser)
            let record = try #require(try signet.runtime.context.store.value(for: StateKey.identity("v")))
            #expect(!String(decoding: record, as: UTF8.self).contains("secret value"))
            return (guest.mpid, result.user.mpid, visitor.deviceApplicationStamp)
        }
        #expect(signet.emulator.events(of: guest).compactMap(\.name) == ["of the guest"])
        #expect(signet.emulator.events(of: customer).compactMap(\.name) == [])
        let batch = try #require(signet.emulator.batches().first { $0.mpid == guest })
        #expect(batch.json["mp_deviceid"]?.string?.uppercased() == stamp.uuidString)
    }

    @Test func theSameUserAgainIsNoSwitch() async throws {
        let folder = try TemporaryFolder()
        try await withEmulatedSignet(in: folder.path, emulator: Self.rules) { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            let guest = try await visitor.identify().user
            try await visitor.setAttribute(1, for: "a")
            #expect(try await visitor.identify().user.mpid == guest.mpid)
            #expect(visitor.currentUser?.attributes == ["a": 1])
        }
    }

    /// How a guest goes: asked, they said no; two events of theirs wait, in two batches.
    private static func departed(_ signet: EmulatedSignet) async throws -> (Installation, MPID) {
        let visitor = try await signet.runtime.open("v", identify: .none)
        let guest = try await visitor.identify().user
        #expect(guest.isEphemeral)
        try await visitor.setConsent(ConsentState(gdpr: ["ads": Consent(false)]))
        try visitor.log(.custom("of the guest"))
        try await visitor.endSession()
        try visitor.log(.custom("of the guest, later"))
        try await visitor.login([.customerID: "c-1"])
        return (visitor, guest.mpid)
    }

    @Test func theirEventsGoWithTheirConsentWhichThenGoesToo() async throws {
        let folder = try TemporaryFolder()
        let signet = try EmulatedSignet(in: folder.path, emulator: Self.rules) {
            $0.events.priorityUploadDelay = .seconds(600)
        }
        let guest = try await signet.run { signet in
            let (visitor, guest) = try await Self.departed(signet)
            let key = StateKey.departedConsents(visitor.core.identityState.number)
            #expect(signet.runtime.context.store.contains(key))
            try await signet.runtime.upload()
            #expect(!signet.runtime.context.store.contains(key))
            return guest
        }
        let batches = signet.emulator.batches().filter { $0.mpid == guest }
        #expect(batches.count == 2)
        #expect(batches.allSatisfy { $0.json["consent_state"]?["gdpr"]?["ads"]?["consented"]?.bool == false })
        let others = signet.emulator.batches().filter { $0.mpid != guest }
        #expect(others.allSatisfy { $0.json["consent_state"] == nil })
    }

    /// On disk it is a word of theirs, and an erasure finds it.
    @Test func theConsentIsKeptOverARestartAndErased() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock()
        let platform = Emulator(Self.rules, clock: clock, wallClock: { clock.date })
        platform.faults.injectAlways(.connectionRefused, on: .events)
        var image: TemporaryFolder?
        let guest = try await EmulatedSignet(in: folder.path, platform: platform, clock: clock) {
            $0.events.priorityUploadDelay = .seconds(600)
        }.run { signet in
            let (_, guest) = try await Self.departed(signet)
            image = try TemporaryFolder(copying: folder)
            return guest
        }
        platform.faults.clear()
        let copy = try TemporaryFolder(copying: try #require(image))
        _ = try await EmulatedSignet(in: copy.path, platform: platform, clock: clock).run { signet in
            try await signet.runtime.upload()
        }
        let batches = platform.batches().filter { $0.mpid == guest }
        #expect(batches.count == 2)
        #expect(batches.allSatisfy { $0.json["consent_state"]?["gdpr"]?["ads"]?["consented"]?.bool == false })
        let erased = try EmulatedSignet(in: try #require(image).path, platform: platform, clock: clock)
        try await erased.runtime.eraseUser(guest)
        #expect(try erased.runtime.context.store.keys(withPrefix: StateKey.departedConsents).isEmpty)
        _ = await erased.runtime.shutdown(within: .zero)
    }
}
