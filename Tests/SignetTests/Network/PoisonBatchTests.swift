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

/// A batch that something in between never lets through holds back nobody but its visitor.
@Suite(.watched) struct PoisonBatchTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let platform: Emulator
    private let observer = RecordingObserver()

    init() throws {
        let clock = self.clock
        self.folder = try TemporaryFolder()
        self.platform = Emulator(EmulatorConfiguration(strategy: .link), clock: clock, wallClock: { clock.date })
    }

    private func runtime(_ transport: any Transport) throws -> SignetRuntime {
        var configuration = SignetConfiguration(
            apiKey: self.platform.configuration.apiKey,
            secret: self.platform.configuration.secret,
            directory: self.folder.path
        )
        let clock = self.clock
        configuration.time = TimeSource(clock: clock, milliseconds: { clock.milliseconds })
        configuration.sessions.timeout = .seconds(1_000_000)
        configuration.jitter = { 0 }
        return try SignetRuntime(configuration, transport: transport, observer: self.observer)
    }

    private func open(_ runtime: SignetRuntime, _ name: InstallationID) async throws -> Installation {
        let installation = try await runtime.open(name)
        _ = try await installation.initialIdentifyResult()
        return installation
    }

    /// Logs an event, and lets it be taken in.
    private func log(_ name: String, _ installation: Installation, _ runtime: SignetRuntime) async throws {
        try installation.log(.custom(name))
        _ = await runtime.managers.events.firstSettled([])
    }

    private func hasArrived(_ name: String) -> Bool {
        self.platform.batches().contains { batch in
            self.platform.events(of: batch.mpid).contains { $0.name == name }
        }
    }

    /// No clock moves while an event is on its way: it waits for what has passed so far, and for nothing else.
    @Test(arguments: [400, 402, 406, 413, 422, 451, 502]) func itsPausesAreItsOwn(_ status: Int) async throws {
        let runtime = try self.runtime(ProxyPage(self.platform, status, for: "poison"))
        try await runtime.runs(isolation: nil) {
            var visitors: [Installation] = []
            for name in ["p", "q", "v", "w"] { visitors.append(try await self.open(runtime, InstallationID(name))) }
            for visitor in visitors.prefix(2) { try await self.log("poison", visitor, runtime) }
            // Both have failed once: it may be the way, so all wait.
            self.clock.advance(by: .seconds(10))
            for pause in [5, 15] {
                _ = await self.observer.next { note -> Bool? in
                    if case .postponed(_, let pause, _) = note, pause > .zero { true } else { nil }
                }
                if pause == 5 { self.clock.advance(by: .seconds(5)) }
            }
            try await self.log("third", visitors[2], runtime)
            self.clock.advance(by: .seconds(15))
            await until("the third visitor's event") { self.hasArrived("third") }
            for hour in 0..<24 {
                self.clock.advance(by: .seconds(3600))
                for second in [0, 17, 200, 301, 610] {
                    let name = "at \(hour) \(second)"
                    self.clock.advance(by: .seconds(second))
                    try await self.log(name, visitors[3], runtime)
                    self.clock.advance(by: .seconds(10))
                    await until(name) { self.hasArrived(name) }
                }
            }
            #expect(!self.hasArrived("poison"))
            #expect(runtime.statistics.eventsLost == 0)
        }
    }

    /// The record of the batch says that it has failed alone.
    @Test(arguments: [400, 402, 413, 502]) func aRestartMakesNobodyWaitForItEither(_ status: Int) async throws {
        let proxy = ProxyPage(self.platform, status, for: "poison")
        let first = try self.runtime(proxy)
        try await first.runs(isolation: nil) {
            let visitor = try await self.open(first, "p")
            try await self.log("poison", visitor, first)
            self.clock.advance(by: .seconds(10))
            _ = await self.observer.next { note -> Bool? in
                if case .postponed(_, let pause, _) = note, pause > .zero { true } else { nil }
            }
        }
        self.clock.advance(by: .seconds(3600))
        let pages = proxy.pages.withLock { $0 }
        let second = try self.runtime(proxy)
        try await second.runs(isolation: nil) {
            let visitor = try await self.open(second, "w")
            await until("the poison is tried") { proxy.pages.withLock { $0 } > pages }
            try await self.log("other", visitor, second)
            self.clock.advance(by: .seconds(10))
            await until("the other's event") { self.hasArrived("other") }
        }
    }

    @Test func aProxyThatAnswersEverythingGetsFewRequestsAndCostsNothing() async throws {
        let proxy = ProxyPage(self.platform, 400, for: "\"events\"")
        let runtime = try self.runtime(proxy)
        try await runtime.runs(isolation: nil) {
            for number in 0..<100 {
                let visitor = try await self.open(runtime, InstallationID("v\(number)"))
                try visitor.log(.custom("event \(number)"))
            }
            _ = await runtime.managers.events.firstSettled([])
            for _ in 0..<720 {
                self.clock.advance(by: .seconds(5))
                for _ in 0..<20 { await Task.yield() }
            }
            #expect((10..<60).contains(proxy.pages.withLock { $0 }))
            proxy.isOn.withLock { $0 = false }
            await runtime.resumeUploads()
            try await runtime.upload()
        }
        #expect((0..<100).allSatisfy { self.hasArrived("event \($0)") })
        #expect(runtime.statistics.eventsLost == 0 && runtime.statistics.eventsDeadLettered == 0)
    }

    /// It comes from a proxy: what has failed before it goes on to fail.
    @Test func a413OfAProxyEndsNoFailures() async throws {
        let signet = try EmulatedSignet(
            in: self.folder.path,
            platform: self.platform,
            clock: self.clock,
            observer: self.observer
        ) { $0.sessions.timeout = .seconds(1_000_000) }
        for status in [502, 413, 502] { self.platform.faults.inject(.answer(ProxyPage.page(status)), on: .events) }
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            for seconds in [5, 15] {
                let pause = await self.observer.next { note -> Duration? in
                    if case .postponed(_, let pause, _) = note, pause > .zero { pause } else { nil }
                }
                #expect(pause == .seconds(seconds))
                await signet.takeIn()
                self.clock.advance(by: .seconds(seconds))
            }
            #expect(await self.observer.nextDelivery() == 1)
        }
    }
}
