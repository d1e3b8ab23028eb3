// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetLock
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetInfobip

/// Defects that were found by reading, each seen red on the machine before scopes or its network code.
@Suite(.watched) struct InfobipDefectTests {
    private static let ann = InfobipIdentity(externalUserID: "ann")

    private static func page(_ status: Int) -> FaultInjector.Fault {
        var headers = HTTPHeaders()
        headers.append(name: "Content-Type", value: "text/html")
        return .answer(TransportResponse(status: status, headers: headers, body: Array("<html>nginx</html>".utf8)))
    }

    private static func asked(_ signet: EmulatedSignet) -> [String] {
        signet.transport.exchanges.map { exchange in
            let host = exchange.request.url.split(separator: "/").dropFirst().first.map(String.init) ?? ""
            return host + " " + (exchange.endpoint.split(separator: "?").first.map(String.init) ?? "")
        }
    }

    private static func pass(_ seconds: Int, _ world: InfobipWorld, _ it: Installation) async throws {
        for _ in 0..<(seconds / 10) {
            try await it.infobip.waitUntilIdle()
            world.clock.advance(by: .seconds(10))
            for _ in 0..<20 { await Task.yield() }
        }
        try await it.infobip.waitUntilIdle()
    }

    // MARK: - B1

    @Test(arguments: [400, 404]) func b1AProxysPageDropsNoEdits(_ status: Int) async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            world.emulator.faults.inject(Self.page(status), on: .updatePerson)
            let ended = await code { try await it.infobip.save { $0.firstName = .set("Ann") } }
            #expect(ended == nil, "the edit is to wait")
            try await Self.pass(600, world, it)
            #expect(world.infobip.person(of: id)?.firstName == "Ann")
        }
    }

    @Test(arguments: [400, 404]) func b1AProxysPageDropsNoEvents(_ status: Int) async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            try await it.infobip.register()
            world.emulator.faults.inject(Self.page(status), on: .customEvents)
            _ = try await it.infobip.submit(InfobipEvent("bought"), .queued)
            try await Self.pass(600, world, it)
            #expect(world.infobip.events().count == 1)
        }
    }

    // MARK: - B2

    @Test func b2ADepersonalizeDoesNotWaitForATokenForEver() async throws {
        let world = try InfobipWorld()
        let isBroken = Locked(false)
        struct NoToken: Error {}
        let provider = TokenProvider<InstallationID> { _, _ in
            if isBroken.withLock({ $0 }) { throw NoToken() }
            return nil
        }
        try await world.live(configure: { $0.infobip?.tokens = provider }) { _, it in
            let id = try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            isBroken.withLock { $0 = true }
            _ = await code { try await it.infobip.save { $0.firstName = .set("Ann") } }
            _ = await code { try await it.infobip.depersonalize() }
            try await Self.pass(7200, world, it)
            #expect(world.infobip.requests(on: .depersonalize).count == 1)
            #expect(!it.infobip.isDepersonalizationPending)
            #expect(world.infobip.person(of: id)?.externalUserID != "ann")
        }
    }

    // MARK: - B3

    @Test func b3AForcedPersonalizeThatFailsLeavesNobodyAttachedForGood() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            world.emulator.faults.inject(.status(503), on: .personalize)
            let ended = await code {
                try await it.infobip.personalize(InfobipIdentity(externalUserID: "bob"), forceDepersonalize: true)
            }
            #expect(ended == .serverFailure)
            try await Self.pass(3600, world, it)
            #expect(world.infobip.person(of: id)?.externalUserID != "ann")
        }
    }

    // MARK: - B4

    @Test(arguments: [false, true])
    func b4ARenameAtTheServiceKeepsAPendingSaveAndItsEvent(isCustomer: Bool) async throws {
        let world = try InfobipWorld()
        try await world.live { signet, it in
            let id = try await it.infobip.register()
            if isCustomer {
                try await it.infobip.personalize(Self.ann)
            } else {
                try await it.infobip.save { $0.phones = .set(["385800000001"]) }
            }
            let number = try #require(world.infobip.person(of: id)?.number)
            world.emulator.faults.inject(.connectionRefused, on: .updatePerson)
            #expect(try await it.infobip.save { $0.firstName = .set("Ann") } == .pending)
            _ = try await it.infobip.submit(InfobipEvent("bought"), .queued)
            let body =
                isCustomer ? #"{"externalUserId":"anna"}"# : #"{"phones":[{"number":"385800000002"}]}"#
            #expect(world.infobip.updatePerson(number, body))
            // Somebody looks who it is before the save is tried again.
            _ = await code { try await it.infobip.fetchUser() }
            try await Self.pass(600, world, it)
            #expect(world.infobip.person(of: id)?.number == number)
            #expect(world.infobip.person(of: id)?.firstName == "Ann")
            #expect(world.infobip.events().count == 1)
            #expect(signet.runtime.statistics.infobipEventsDropped == 0)
        }
    }

    // MARK: - B5, B6

    @Test func b5AFailedLookUpIsRepeatedSoon() async throws {
        let world = try InfobipWorld()
        world.infobip.configure { $0.baseURL = "https://mobile-3.infobip.com" }
        world.emulator.faults.inject(.connectionRefused, on: .baseURL)
        try await world.live { signet, it in
            try await it.infobip.register()
            for _ in 0..<12 {
                world.clock.advance(by: .seconds(3600))
                try await it.infobip.fetchUser()
            }
            let lookUps = Self.asked(signet).filter { $0.hasSuffix("baseurl") }.count
            #expect(lookUps == 2, "\(lookUps) look-ups in 12 hours")
            #expect(Self.asked(signet).last == "mobile-3.infobip.com user")
        }
    }

    @Test func b6OneRefusedConnectionDoesNotForgetTheAddress() async throws {
        let world = try InfobipWorld()
        world.infobip.configure { $0.baseURL = "https://mobile-3.infobip.com" }
        try await world.live { signet, it in
            try await it.infobip.register()
            try await it.infobip.fetchUser()
            #expect(Self.asked(signet).last == "mobile-3.infobip.com user")
            world.emulator.faults.inject(.connectionRefused, on: .fetchPerson)
            _ = await code { try await it.infobip.fetchUser() }
            for _ in 0..<12 {
                world.clock.advance(by: .seconds(3600))
                try await it.infobip.fetchUser()
            }
            #expect(Self.asked(signet).last == "mobile-3.infobip.com user", "12 hours later")
        }
    }

    // MARK: - B7

    @Test func b7AnOfflinePrimaryIsShown() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            try await it.infobip.personalize(Self.ann)
            try await it.infobip.fetchUser()
            world.emulator.faults.injectAlways(.connectionRefused)
            let list = try await it.infobip.setPrimary(id)
            let own = try #require(list.first { $0.pushRegistrationID == id })
            #expect(own.isPrimary)
            #expect(it.infobip.hasPendingChanges)
        }
    }

    /// What the service has named can be saved again, although the app could not have chosen it.
    @Test func contactsOfTheServiceCanBeSavedAgain() async throws {
        let world = try InfobipWorld()
        try await world.live { _, it in
            let id = try await it.infobip.register()
            let number = try #require(world.infobip.person(of: id)?.number)
            #expect(world.infobip.updatePerson(number, #"{"emails":[{"address":"a\u00A0b@example.com"}]}"#))
            let user = try await it.infobip.fetchUser()
            #expect(user.emails.count == 1)
            #expect(try await it.infobip.save { $0.emails = .set(user.emails + ["b@example.com"]) } == .done)
            #expect(world.infobip.person(of: id)?.emails.count == 2)
        }
    }
}
