// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

@testable import Signet
@testable import SignetInfobip

/// An app lets go of an installation, and its process lives on.
@Suite(.watched) struct InfobipLettingGoTests {
    private static func keepsNobody(_ configuration: inout ServiceSettings) {
        configuration.infobip?.persistsUserData = false
    }

    /// Opens the installation, and lets go of it at the end of the body.
    private static func use(_ signet: EmulatedSignet, _ body: (Installation) async throws -> Void) async throws {
        try await body(try await signet.runtime.open("p", identify: .none))
    }

    private static func hasAnn(_ world: InfobipWorld) -> Bool {
        world.infobip.people().contains { $0.firstName == "Ann" }
    }

    // MARK: - Opt-outs

    @Test func nothingIsSentAfterAnOptOutThoughItsHandleIsGone() async throws {
        let world = try InfobipWorld()
        // The session keeps the installation in memory, and the pause is longer.
        try await world.start(configure: { $0.sessions.timeout = .seconds(10) }).run { signet in
            try await Self.use(signet) { installation in
                try await installation.infobip.register()
                world.emulator.faults.inject(.status(429, retryAfter: .seconds(50)))
                _ = await code { try await installation.infobip.save { $0.firstName = .set("Ann") } }
                try await installation.setOptedOut(true)
            }
            let before = world.requests.count
            await signet.pass(.seconds(600), in: 120)
            #expect(world.requests.count == before)
            try await Self.use(signet) { try await $0.setOptedOut(false) }
            await signet.pass(.seconds(60), in: 6)
            #expect(Self.hasAnn(world))
        }
    }

    @Test func useIsNotCountedAfterAnOptOutThoughItsHandleIsGone() async throws {
        let world = try InfobipWorld()
        try await world.start().run { signet in
            try await Self.use(signet) { installation in
                try await installation.infobip.register()
                try await installation.infobip.setActive(true)
                try await installation.setOptedOut(true)
            }
            await signet.pass(.seconds(3600), in: 120)
            var infobip = InfobipConfiguration(applicationCode: "emulated-application")
            infobip.system.os = "Linux"
            let owed = try owedWork(directory: world.folder.path, services: [InfobipService(infobip)])
            #expect(owed.isEmpty)
            #expect(world.infobip.requests(on: .sessionReports).count <= 1)
        }
    }

    /// A request that waits for the address, or for a token, is not on the wire yet.
    @Test(arguments: [false, true]) func nothingIsSentThatStillWaitsWhenTheOptOutComes(forToken: Bool) async throws {
        let world = try InfobipWorld()
        let gate = EmulatorGate()
        let asked = AsyncSignal()
        let given = AsyncSignal()
        if !forToken { world.emulator.faults.inject(.held(gate), on: .baseURL) }
        let tokens = TokenProvider<InstallationID> { _, _ in
            asked.signal()
            await given.wait()
            return nil
        }
        try await world.start(configure: { if forToken { $0.infobip?.tokens = tokens } }).run { signet in
            try await Self.use(signet) { installation in
                try await installation.infobip.setPushToken(PushToken("AA01", service: .apns))
                if forToken {
                    _ = try await installation.infobip.registration()
                    let save = Task { try await installation.infobip.save { $0.firstName = .set("Ann") } }
                    await asked.wait()
                    try await installation.setOptedOut(true)
                    given.signal()
                    #expect(try await save.value == .pending)
                } else {
                    await gate.arrived()
                    try await installation.setOptedOut(true)
                    gate.open()
                }
            }
            await signet.pass(.seconds(60), in: 6)
            #expect(world.requests.map(\.route) == (forToken ? [.createInstallation] : []))
            try await Self.use(signet) { try await $0.setOptedOut(false) }
            given.signal()
            await signet.pass(.seconds(60), in: 6)
            #expect(world.requests.map(\.route).first == .createInstallation)
            if forToken { #expect(Self.hasAnn(world)) }
        }
    }

    // MARK: - What must not be on disk

    @Test func whatWaitsForAPushTokenOutlivesItsHandle() async throws {
        let world = try InfobipWorld()
        try await world.start(configure: Self.keepsNobody).run { signet in
            try await Self.use(signet) { installation in
                #expect(try await installation.infobip.save { $0.firstName = .set("Ann") } == .pending)
                try await installation.infobip.submit(InfobipEvent("waits"), .queued)
            }
            await signet.pass(.seconds(7200), in: 24)
            try await Self.use(signet) { _ = try await $0.infobip.register() }
            await signet.pass(.seconds(60), in: 6)
            #expect(Self.hasAnn(world))
            #expect(world.infobip.requests(on: .customEvents).count == 1)
        }
    }

    @Test func whatWaitsForTheServiceOutlivesItsHandle() async throws {
        let world = try InfobipWorld()
        try await world.start(configure: Self.keepsNobody).run { signet in
            try await Self.use(signet) { installation in
                try await installation.infobip.register()
                world.emulator.faults.injectAlways(.connectionRefused)
                #expect(try await installation.infobip.save { $0.firstName = .set("Ann") } == .pending)
                // This is on disk, so that the runner of due work visits the installation.
                try await installation.infobip.setPushToken(PushToken("CC03", service: .apns))
            }
            await signet.pass(.seconds(14_400), in: 480)
            world.emulator.faults.clear()
            await signet.pass(.seconds(3600), in: 120)
            #expect(Self.hasAnn(world))
        }
    }

    @Test func whatWaitsForAnOptInOutlivesItsHandle() async throws {
        let world = try InfobipWorld()
        try await world.start(configure: Self.keepsNobody).run { signet in
            try await Self.use(signet) { installation in
                try await installation.infobip.register()
                world.emulator.faults.injectAlways(.connectionRefused)
                #expect(try await installation.infobip.save { $0.firstName = .set("Ann") } == .pending)
                try await installation.setOptedOut(true)
            }
            world.emulator.faults.clear()
            await signet.pass(.seconds(7200), in: 240)
            try await Self.use(signet) { try await $0.setOptedOut(false) }
            await signet.pass(.seconds(600), in: 20)
            #expect(Self.hasAnn(world))
        }
    }

    /// Nothing keeps an installation in memory of which the service has all.
    @Test func whatIsSentKeepsNothingInMemory() async throws {
        let world = try InfobipWorld()
        try await world.start(configure: Self.keepsNobody).run { signet in
            try await Self.use(signet) { installation in
                try await installation.infobip.register()
                try await installation.infobip.personalize(InfobipIdentity(externalUserID: "ann"))
                #expect(try await installation.infobip.save { $0.firstName = .set("Ann") } == .done)
            }
            await signet.pass(.seconds(600), in: 10)
            let services = signet.runtime.managers.linked.all.compactMap { $0 as? InfobipServices }
            #expect(services.count == 1)
            #expect(services.allSatisfy { $0.managers.all.isEmpty })
        }
    }
}
