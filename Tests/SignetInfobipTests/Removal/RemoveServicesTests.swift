// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet
@testable import SignetInfobip

/// A removal of an installation with a service that follows.
@Suite(.watched) struct RemoveServicesTests {
    private static let day = Duration.seconds(86_400)

    @Test func dataOfAServiceIsSentAndItsRecordsAreGone() async throws {
        let world = try InfobipWorld()
        try await world.live(configure: { $0.infobip?.followsLogin = true }) { signet, installation in
            let number = installation.core.number
            try await installation.infobip.register()
            try await installation.login([.customerID: "ann"])
            try await installation.infobip.waitUntilIdle()
            try await installation.infobip.save { $0.firstName = .set("Ann") }
            try await installation.remove()
            #expect(world.infobip.person(externalUserID: "ann")?.firstName == "Ann")
            let store = signet.runtime.context.store
            #expect(try store.keys(withPrefix: StateKey.services(of: number)).isEmpty)
            #expect(!store.contains(StateKey.outbox("p")))
            #expect(signet.runtime.statistics.installationsRemoved == 1)
        }
    }

    @Test func dataThatAServiceDoesNotTakeKeepsTheInstallation() async throws {
        let world = try InfobipWorld()
        try await world.live { signet, installation in
            try await installation.infobip.register()
            world.emulator.faults.injectAlways(.status(503), on: .updatePerson)
            #expect(try await installation.infobip.save { $0.firstName = .set("Ann") } == .pending)
            #expect(await code { try await installation.remove() } == .uploadPaused)
            #expect(installation.core.isOpen)
            world.emulator.faults.clear()
            try await world.settle(installation)
            try await installation.remove()
            #expect(signet.runtime.statistics.installationsRemoved == 1)
        }
    }

    @Test func anIdleOneWithAnUnsentChangeOfAServiceStays() async throws {
        let world = try InfobipWorld()
        try await world.live { _, installation in
            try await installation.infobip.register()
            world.emulator.faults.injectAlways(.status(503), on: .updatePerson)
            #expect(try await installation.infobip.save { $0.firstName = .set("Ann") } == .pending)
            try await installation.endSession()
        }
        world.emulator.faults.clear()
        world.clock.advance(by: Self.day * 10)
        let next = try world.start()
        // Events of nobody wait, too; they are not what the service has.
        let number = try #require(
            try next.runtime.context.store.value(for: StateKey.identity("p")).map { try IdentityState(decoding: $0) }
        ).number
        #expect(try next.runtime.managers.linked.stored.areDue(number))
        #expect(try await next.runtime.removeInstallations(idleFor: Self.day) == 0)
        await next.runtime.shutdown()
    }
}
