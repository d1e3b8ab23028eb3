// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import Testing

@testable import Signet

/// A shutdown sends the aliases, too: after the events that they wait for, which it sends itself.
@Suite(.watched) struct AliasShutdownTests {
    private let clock = ManualClock()
    private let emulator: Emulator

    init() {
        let clock = self.clock
        self.emulator = Emulator(EmulatorConfiguration(strategy: .link), clock: clock, wallClock: { clock.date })
    }

    private func start(in folder: TemporaryFolder) throws -> EmulatedSignet {
        try EmulatedSignet(in: folder.path, platform: self.emulator, clock: self.clock)
    }

    /// A guest who logs in, each with an event, and an alias that nothing has sent yet.
    private func asked(_ signet: EmulatedSignet) async throws -> Installation {
        let installation = try await signet.runtime.open("one")
        _ = try await installation.initialIdentifyResult()
        try installation.log(.custom("anonymous"))
        signet.clock.advance(by: .milliseconds(500))
        let result = try await installation.login([.customerID: "c-1"])
        try installation.log(.custom("known"))
        let source = try #require(result.previousGuest)
        try await installation.alias(AliasRequest(source: source, destination: result.user))
        #expect(self.emulator.aliases().isEmpty)
        return installation
    }

    @Test func whatWasAskedForIsSentBeforeTheEnd() async throws {
        let folder = try TemporaryFolder()
        try await self.start(in: folder).run { signet in
            let gate = EmulatorGate()
            self.emulator.faults.inject(.held(gate), on: .alias)
            _ = try await self.asked(signet)
            async let report = signet.runtime.shutdown(within: .seconds(30))
            await gate.arrived()
            for _ in 0..<100 { await Task.yield() }
            gate.open()
            let ended = await report
            #expect(ended.eventsLeft == 0 && ended.isComplete)
            #expect(self.emulator.aliases().count == 1)
        }
    }

    @Test func whatWaitsForAPauseIsLeftForTheNextStart() async throws {
        let folder = try TemporaryFolder()
        self.emulator.faults.injectAlways(.status(503), on: .alias)
        try await self.start(in: folder).run { signet in
            _ = try await self.asked(signet)
            let report = await signet.runtime.shutdown(within: .seconds(30))
            #expect(report.eventsLeft == 0)
            #expect(self.emulator.aliases().isEmpty)
        }
        self.emulator.faults.clear()
        try await self.start(in: folder).run { signet in
            // The platform asked for two hours, which a restart does not end.
            #expect(await signet.runtime.managers.aliases.drain())
            #expect(signet.transport.exchanges.allSatisfy { $0.endpoint != "alias" })
            self.clock.advance(by: .seconds(7200))
            await until("an alias at the platform") { !self.emulator.aliases().isEmpty }
        }
        #expect(self.emulator.aliases().count == 1)
    }

    /// The platform says nothing: the time is over, and the report says so.
    @Test func whatHasNoAnswerCostsTheLimitAndNoMore() async throws {
        let folder = try TemporaryFolder()
        let gate = EmulatorGate()
        self.emulator.faults.injectAlways(.held(gate), on: .alias)
        try await self.start(in: folder).run { signet in
            _ = try await self.asked(signet)
            async let report = signet.runtime.shutdown(within: .seconds(5))
            await gate.arrived()
            await self.clock.untilNextDeadline(is: self.clock.now.offset + .seconds(5))
            self.clock.advance(by: .seconds(5))
            let ended = await report
            #expect(ended.eventsLeft == 0 && ended.isComplete == false)
        }
        gate.open()
    }
}
