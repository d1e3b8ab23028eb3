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
    private let scene: ProxyScene

    init() throws {
        self.scene = try ProxyScene()
    }

    /// Logs an event, and lets it be taken in.
    private func log(_ name: String, _ installation: Installation, _ runtime: SignetRuntime) async throws {
        try installation.log(.custom(name))
        _ = await runtime.managers.events.firstSettled([])
    }

    private func hasArrived(_ name: String) -> Bool {
        self.scene.platform.batches().contains { batch in
            self.scene.platform.events(of: batch.mpid).contains { $0.name == name }
        }
    }

    /// Waits until an event has arrived, and the answer has come back: the clock would make it time out.
    private func delivered(
        _ name: String,
        after batches: Int,
        _ runtime: SignetRuntime,
        movingClock: Bool
    ) async {
        await until(name) {
            if movingClock { self.scene.clock.advance(by: .milliseconds(100)) }
            return self.hasArrived(name) && runtime.statistics.batchesDelivered > batches
        }
    }

    /// No clock moves while an event is on its way: it waits for what has passed so far, and for nothing else.
    ///
    /// In the first hour it does: half of a poison batch may fail for the first time, and all wait for some seconds.
    @Test(arguments: [400, 402, 406, 413, 422, 451, 502]) func itsPausesAreItsOwn(_ status: Int) async throws {
        let runtime = try self.scene.runtime(ProxyPage(self.scene.platform, status, for: "poison"))
        try await runtime.runs(isolation: nil) {
            var visitors: [Installation] = []
            for name in ["p", "q", "v", "w"] {
                visitors.append(try await self.scene.open(runtime, InstallationID(name)))
            }
            for visitor in visitors.prefix(2) { try await self.log("poison", visitor, runtime) }
            // Both have failed once: it may be the way, so all wait.
            self.scene.clock.advance(by: .seconds(10))
            try await self.log("third", visitors[2], runtime)
            await until("the third visitor's event") {
                self.scene.clock.advance(by: .milliseconds(100))
                return self.hasArrived("third") && runtime.statistics.batchesDelivered > 0
            }
            for hour in 0..<24 {
                self.scene.clock.advance(by: .seconds(3600))
                for second in [0, 17, 200, 301, 610] {
                    let name = "at \(hour) \(second)"
                    self.scene.clock.advance(by: .seconds(second))
                    let batches = runtime.statistics.batchesDelivered
                    try await self.log(name, visitors[3], runtime)
                    self.scene.clock.advance(by: .seconds(10))
                    await self.delivered(name, after: batches, runtime, movingClock: hour == 0)
                }
            }
            #expect(!self.hasArrived("poison"))
            #expect(runtime.statistics.eventsLost == 0)
        }
    }

    /// The record of the batch says that it has failed alone.
    @Test(arguments: [400, 402, 403, 404, 413, 502])
    func aRestartMakesNobodyWaitForItEither(_ status: Int) async throws {
        let proxy = ProxyPage(self.scene.platform, status, for: "poison")
        let first = try self.scene.runtime(proxy)
        try await first.runs(isolation: nil) {
            let visitor = try await self.scene.open(first, "p")
            try await self.log("poison", visitor, first)
            self.scene.clock.advance(by: .seconds(10))
            _ = await self.scene.observer.next { note -> Bool? in
                if case .postponed(_, let pause, _) = note, pause > .zero { true } else { nil }
            }
        }
        self.scene.clock.advance(by: .seconds(3600))
        let pages = proxy.pages.withLock { $0 }
        let second = try self.scene.runtime(proxy)
        try await second.runs(isolation: nil) {
            let visitor = try await self.scene.open(second, "w")
            await until("the poison is tried") { proxy.pages.withLock { $0 } > pages }
            try await self.log("other", visitor, second)
            self.scene.clock.advance(by: .seconds(10))
            await until("the other's event") { self.hasArrived("other") }
        }
    }

    @Test func aProxyThatAnswersEverythingGetsFewRequestsAndCostsNothing() async throws {
        let proxy = ProxyPage(self.scene.platform, 400, for: "\"events\"")
        let runtime = try self.scene.runtime(proxy)
        try await runtime.runs(isolation: nil) {
            for number in 0..<100 {
                let visitor = try await self.scene.open(runtime, InstallationID("v\(number)"))
                try visitor.log(.custom("event \(number)"))
            }
            _ = await runtime.managers.events.firstSettled([])
            for _ in 0..<720 {
                self.scene.clock.advance(by: .seconds(5))
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

    /// The answer is lost, and a page comes to the next try: halves would have other ids, and the platform would count
    /// the events twice.
    @Test func aPageDoesNotHalveWhatThePlatformMayHaveTaken() async throws {
        let signet = try EmulatedSignet(
            in: self.scene.folder.path,
            platform: self.scene.platform,
            clock: self.scene.clock,
            observer: self.scene.observer
        ) { $0.sessions.timeout = .seconds(1_000_000) }
        self.scene.platform.faults.inject(.replyLost, on: .events)
        self.scene.platform.faults.inject(.answer(ProxyPage.page(400)), on: .events)
        let mpid = try await signet.run { signet in
            let visitor = try await signet.openKnown()
            for name in ["a", "b"] { try visitor.log(.custom(name)) }
            try await signet.logPrompt(visitor)
            for pause in [5, 700] {
                _ = await self.scene.observer.next { note -> Bool? in
                    if case .postponed(_, let pause, _) = note, pause > .zero { true } else { nil }
                }
                await signet.takeIn()
                self.scene.clock.advance(by: .seconds(pause))
            }
            // A begin of a session, too.
            #expect(await self.scene.observer.nextDelivery() == 4)
            return try #require(visitor.currentUser?.mpid)
        }
        #expect(self.scene.platform.copies(of: mpid) == [1, 1, 1, 1])
    }

    /// It comes from a proxy: what has failed before it goes on to fail.
    @Test func a413OfAProxyEndsNoFailures() async throws {
        let signet = try EmulatedSignet(
            in: self.scene.folder.path,
            platform: self.scene.platform,
            clock: self.scene.clock,
            observer: self.scene.observer
        ) { $0.sessions.timeout = .seconds(1_000_000) }
        for status in [502, 413, 502] {
            self.scene.platform.faults.inject(.answer(ProxyPage.page(status)), on: .events)
        }
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            for seconds in [5, 15] {
                let pause = await self.scene.observer.next { note -> Duration? in
                    if case .postponed(_, let pause, _) = note, pause > .zero { pause } else { nil }
                }
                #expect(pause == .seconds(seconds))
                await signet.takeIn()
                self.scene.clock.advance(by: .seconds(seconds))
            }
            #expect(await self.scene.observer.nextDelivery() == 1)
        }
    }
}
