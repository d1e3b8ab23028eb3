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

/// What holds an alias request up, and what does not.
@Suite(.watched) struct AliasDeliveryTests {
    /// Answers aliases of one source with a status, and passes everything else on.
    private final class Poisoned: Transport {
        let platform: RecordingTransport
        let status: Int
        let source = Locked<MPID?>(nil)
        let tries = Locked(0)

        init(_ platform: Emulator, status: Int) {
            (self.platform, self.status) = (RecordingTransport(platform), status)
        }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            if request.url.contains("/alias"), let source = self.source.withLock({ $0 }),
                String(decoding: request.body, as: UTF8.self).contains("\"source_mpid\":\(source.rawValue)")
            {
                self.tries.withLock { $0 += 1 }
                return TransportResponse(status: self.status)
            }
            return try await self.platform.send(request)
        }
    }

    private let clock = ManualClock()
    private let emulator: Emulator
    private let folder: TemporaryFolder

    init() throws {
        let clock = self.clock
        self.emulator = Emulator(EmulatorConfiguration(strategy: .link), clock: clock, wallClock: { clock.date })
        self.folder = try TemporaryFolder()
    }

    private func start() throws -> EmulatedSignet {
        try EmulatedSignet(in: self.folder.path, platform: self.emulator, clock: self.clock)
    }

    /// A guest who became a customer, each with an event.
    private func linked(
        _ runtime: SignetRuntime,
        _ id: InstallationID = "one"
    ) async throws -> (Installation, AliasRequest) {
        let installation = try await runtime.open(id)
        _ = try await installation.initialIdentifyResult()
        try installation.log(.custom("as a guest"))
        self.clock.advance(by: .milliseconds(500))
        let result = try await installation.login([.customerID: "c-\(id.rawValue)"])
        try installation.log(.custom("as a customer"))
        return (installation, AliasRequest(source: try #require(result.previousUser), destination: result.user))
    }

    private static func tries(_ signet: EmulatedSignet) -> Int {
        signet.transport.exchanges.count { $0.endpoint == "alias" }
    }

    private static func isOptedOut(_ outcome: AliasOutcome?) -> Bool {
        if case .optedOut = outcome?.kind { true } else { false }
    }

    /// No clock moves: the second one needs no pause of the first to end.
    @Test(arguments: [302, 401, 404, 405, 410, 500])
    func oneThatThePlatformNeverTakesHoldsUpNoOther(_ status: Int) async throws {
        let transport = Poisoned(self.emulator, status: status)
        var configuration = SignetConfiguration.vendorTimes(
            apiKey: self.emulator.configuration.apiKey,
            secret: self.emulator.configuration.secret,
            directory: self.folder.path
        )
        let clock = self.clock
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        configuration.jitter = { 0 }
        let runtime = try SignetRuntime(configuration, transport: transport)
        try await runtime.runs(isolation: nil) {
            let (first, poison) = try await self.linked(runtime, "one")
            let (second, request) = try await self.linked(runtime, "two")
            transport.source.withLock { $0 = poison.source }
            let refused = try await first.alias(poison)
            await until("a try of the first one") { transport.tries.withLock { $0 } == 1 }
            var outcomes = second.aliasOutcomes().makeAsyncIterator()
            try await second.alias(request)
            #expect(try #require(await outcomes.next(isolation: #isolation)).isAccepted)
            #expect(await first.aliasOutcome(of: refused) == nil)
            // Its own turn comes again.
            await until("a second try of the first one") {
                clock.advance(by: .seconds(1))
                return transport.tries.withLock { $0 } > 1
            }
        }
    }

    @Test func nothingIsSentForAnInstallationThatHasOptedOut() async throws {
        try await self.start().run { signet in
            let (installation, request) = try await self.linked(signet.runtime)
            self.emulator.faults.injectAlways(.connectionRefused, on: .events)
            var outcomes = installation.aliasOutcomes().makeAsyncIterator()
            let id = try await installation.alias(request)
            try await installation.setOptedOut(true)
            let outcome = await outcomes.next(isolation: #isolation)
            #expect(outcome?.id == id && Self.isOptedOut(outcome))
            self.emulator.faults.clear()
            try await installation.setOptedOut(false)
            try installation.log(.custom("again"))
            await signet.runtime.resumeUploads()
            try await signet.runtime.upload()
            _ = await signet.runtime.managers.aliases.drain()
            #expect(Self.tries(signet) == 0)
            #expect(try signet.runtime.context.store.keys(withPrefix: StateKey.aliases).isEmpty)
        }
    }

    /// Nobody can take it back; that a failure would be its end is in the table of the machine.
    @Test func whatIsOnTheWireAtAnOptOutMayStillBeTaken() async throws {
        try await self.start().run { signet in
            let (installation, request) = try await self.linked(signet.runtime)
            let gate = EmulatorGate()
            self.emulator.faults.inject(.held(gate), on: .alias)
            var outcomes = installation.aliasOutcomes().makeAsyncIterator()
            try await installation.alias(request)
            await gate.arrived()
            try await installation.setOptedOut(true)
            gate.open()
            let outcome = await outcomes.next(isolation: #isolation)
            #expect(outcome?.isAccepted == true)
        }
    }

    /// Opted out while nobody ran the runtime: the next start knows.
    @Test func anOptOutIsKeptOverARestart() async throws {
        self.emulator.faults.injectAlways(.connectionRefused, on: .alias)
        let id = try await self.start().run { signet in
            let (installation, request) = try await self.linked(signet.runtime)
            return try await installation.alias(request)
        }
        let between = try self.start()
        try await between.runtime.open("one", identify: .none).setOptedOut(true)
        _ = await between.runtime.shutdown(within: .zero)
        self.emulator.faults.clear()
        let last = try self.start()
        var outcomes = last.runtime.aliasOutcomes().makeAsyncIterator()
        try await last.run { signet in
            let outcome = await outcomes.next(isolation: #isolation)
            #expect(outcome?.id == id && Self.isOptedOut(outcome))
            #expect(Self.tries(signet) == 0)
        }
        #expect(self.emulator.aliases().isEmpty)
    }

    @Test func aPauseThatThePlatformAskedForOutlivesTheProcess() async throws {
        self.emulator.faults.inject(.status(429, retryAfter: .seconds(3600)), on: .alias)
        try await self.start().run { signet in
            let (installation, request) = try await self.linked(signet.runtime)
            try await installation.alias(request)
            await until("the first try") { Self.tries(signet) == 1 }
            #expect(await signet.runtime.managers.aliases.drain())
        }
        self.clock.advance(by: .seconds(600))
        try await self.start().run { signet in
            #expect(await signet.runtime.managers.aliases.drain())
            #expect(Self.tries(signet) == 0)
            self.clock.advance(by: .seconds(3000))
            await until("the alias") { !self.emulator.aliases().isEmpty }
            #expect(await signet.runtime.managers.aliases.drain())
            #expect(!signet.runtime.context.store.contains(StateKey.aliasPause))
        }
    }

    /// A request of an earlier process does not wait for an interval of this one.
    @Test func oneOfAnEarlierProcessHasItsEventsSentAtTheStart() async throws {
        self.emulator.faults.injectAlways(.connectionRefused, on: .events)
        try await self.start().run { signet in
            let (installation, request) = try await self.linked(signet.runtime)
            try await installation.alias(request)
        }
        self.emulator.faults.clear()
        self.clock.advance(by: .seconds(5))
        try await self.start().run { _ in
            await until("the alias") { !self.emulator.aliases().isEmpty }
        }
    }
}
