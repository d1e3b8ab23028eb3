// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetInfobip
import SignetIterable
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// Services write under the number of an installation, so they make it durable; a look at them does not.
@Suite(.watched) struct LazyServicesTests {
    private let scene: LazyScene

    init() throws {
        self.scene = try LazyScene()
    }

    private func process() throws -> EmulatedSignet {
        var iterable = IterableConfiguration(apiKey: "emulated-project")
        iterable.isEnabled = true
        iterable.forwardsEvents = true
        let infobip = InfobipConfiguration(applicationCode: "emulated-application")
        return try self.scene.process(services: [IterableService(iterable), InfobipService(infobip)])
    }

    @Test func aLookLeavesNothing() async throws {
        try await self.process().run { signet in
            let before = try Traces(signet)
            let visitor = try await signet.runtime.open("v", identify: .none)
            #expect(visitor.iterable.state == .noConsent)
            #expect(!visitor.infobip.hasPendingChanges)
            #expect(signet.number(of: "v") == 0)
            #expect(try Traces(signet) == before)
        }
    }

    @Test func aConsentMakesTheInstallationDurableAndIsKeptUnderItsNumber() async throws {
        try await self.process().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none, context: LazyScene.context(1))
            // A look before must not be what the calls after it use.
            #expect(visitor.iterable.state == .noConsent)
            try await visitor.iterable.setTrackingConsent(true)
            let store = signet.runtime.context.store
            #expect(signet.number(of: "v") == 1)
            #expect(store.contains(StateKey.identity("v")) && store.contains(StateKey.chosenContext("v")))
            #expect(try store.keys(withPrefix: StateKey.services(of: 0)).isEmpty)
            #expect(try !store.keys(withPrefix: StateKey.services(of: 1)).isEmpty)
            #expect(visitor.iterable.state != .noConsent)
            let state = visitor.iterable.state
            signet.runtime.evict("v")
            #expect(try await signet.runtime.open("v", identify: .none).iterable.state == state)
        }
    }

    @Test func aForwardedEventIsKeptUnderTheNumberThatTheEventHasMade() async throws {
        try await self.process().run { signet in
            let visitor = try await signet.runtime.open("v", identify: .none)
            try visitor.log(.custom("x"))
            await signet.takeIn()
            let store = signet.runtime.context.store
            #expect(try store.keys(withPrefix: StateKey.services(of: 0)).isEmpty)
            #expect(signet.number(of: "v") == 1)
        }
    }
}
