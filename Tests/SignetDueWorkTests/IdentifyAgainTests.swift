// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

/// Events without a user are identified by the runtime, whether their visitor returns or not.
@Suite(.watched) struct IdentifyAgainTests {
    private let world: DueWorld

    init() throws {
        self.world = try DueWorld()
    }

    /// Visitors who come once, log an event and never return.
    private func visit(_ count: Int, _ signet: EmulatedSignet, identify: IdentifyPolicy = .ifUnknown) async throws {
        for index in 0..<count {
            let visitor = try await signet.runtime.open(InstallationID("v\(index)"), identify: identify)
            try visitor.log(.custom("page \(index)"))
            _ = await self.outcome(visitor)
        }
    }

    private func outcome(_ visitor: Installation) async -> SignetError? {
        do {
            _ = try await visitor.initialIdentifyResult()
            return nil
        } catch {
            return error
        }
    }

    @Test func twentyLostConnectionsDeliverTwentyEvents() async throws {
        try await self.world.live { signet in
            self.world.emulator.faults.inject(.connectionRefused, on: .identify, times: 10)
            try await self.visit(20, signet)
            await signet.pass(by: .seconds(1), until: "all events are at the platform") { self.world.names.count == 20 }
            // Ten answered, ten lost, and those again.
            #expect(self.world.identifies(signet) <= 20 + 10 + 3)
            #expect(signet.runtime.statistics.eventsLost == 0)
        }
    }

    @Test(arguments: DueWorld.End.allCases)
    func afterARestartNobodyOpensAnythingAndTheEventsArrive(_ end: DueWorld.End) async throws {
        try await self.world.live(endingWith: end) { signet in
            self.world.emulator.faults.injectAlways(.connectionRefused)
            try await self.visit(5, signet)
        }
        self.world.emulator.faults.clear()
        try await self.world.live { signet in
            await signet.pass(by: .seconds(1), until: "all events are at the platform") { self.world.names.count == 5 }
            #expect(self.world.identifies(signet) == 5)
        }
    }

    @Test(arguments: DueWorld.End.allCases)
    func theRequestOfAnOpenIsSentAgainWithItsIdentities(_ end: DueWorld.End) async throws {
        try await self.world.live(endingWith: end) { signet in
            self.world.emulator.faults.injectAlways(.connectionRefused)
            try await self.visit(1, signet, identify: .request([.customerID: "c-1"]))
        }
        self.world.emulator.faults.clear()
        try await self.world.live(endingWith: end) { signet in
            await signet.pass(by: .seconds(1), until: "the event is at the platform") { self.world.names.count == 1 }
        }
        #expect(self.world.emulator.users().first?.identities[.customerID]?.contains("c-1") == true)
    }

    @Test(arguments: DueWorld.End.allCases)
    func aVisitorWithoutPolicyIsNeverIdentified(_ end: DueWorld.End) async throws {
        try await self.world.live(endingWith: end) { signet in
            try await self.visit(3, signet, identify: .none)
            await signet.pass(.seconds(3600), in: 60)
            #expect(self.world.identifies(signet) == 0)
        }
        try await self.world.live { signet in
            await signet.pass(.seconds(25 * 3600), in: 150)
            #expect(self.world.identifies(signet) == 0)
            #expect(signet.runtime.statistics.eventsWaitingForApp >= 3)
            // The app decides otherwise.
            _ = try await signet.runtime.open("v1", identify: .ifUnknown)
            await signet.pass(by: .seconds(1), until: "its event is at the platform") { self.world.names == ["page 1"] }
        }
    }

    @Test func aVisitorWhoHasOptedOutIsNotIdentified() async throws {
        try await self.world.live { signet in
            self.world.emulator.faults.injectAlways(.connectionRefused)
            try await self.visit(1, signet)
            try await signet.runtime.open("v0", identify: .none).setOptedOut(true)
        }
        self.world.emulator.faults.clear()
        try await self.world.live { signet in
            await signet.pass(.seconds(3600), in: 30)
            #expect(self.world.identifies(signet) == 0)
        }
    }

    @Test func anOutageCostsOneProbeAPause() async throws {
        try await self.world.live { signet in
            self.world.emulator.faults.injectAlways(.connectionRefused, on: .identify)
            try await self.visit(30, signet)
            let opens = self.world.identifies(signet)
            #expect(opens == 30)
            await signet.pass(.seconds(3600), in: 720)
            let probes = self.world.identifies(signet) - opens
            // 5, 15, 60, 120 and then 300 s.
            #expect((5...16).contains(probes))
            self.world.emulator.faults.clear()
            await signet.pass(by: .seconds(1), until: "all events are at the platform") { self.world.names.count == 30 }
            #expect(self.world.identifies(signet) - opens - probes <= 31)
        }
    }

    @Test func aLoginMeanwhileTakesTheEventsAndNothingIsAskedAgain() async throws {
        try await self.world.live { signet in
            self.world.emulator.faults.injectAlways(.connectionRefused, on: .identify)
            try await self.visit(1, signet)
            self.world.emulator.faults.clear()
            let visitor = try await signet.runtime.open("v0", identify: .none)
            try await visitor.login([.customerID: "c-1"])
            let asked = self.world.identifies(signet)
            await signet.pass(.seconds(3600), in: 60)
            #expect(self.world.identifies(signet) == asked)
            #expect(self.world.names == ["page 0"])
        }
    }
}
