// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import Testing

import struct FoundationEssentials.UUID

@testable import Signet

/// A 4xx that is not the platform's own costs no event and no alias, whatever proxy has given it.
@Suite(.watched) struct WhoAnsweredTests {
    private static let statuses = [
        400, 402, 404, 405, 406, 407, 408, 409, 410, 411, 413, 414, 415, 417, 418, 421, 422, 423, 425, 428, 431, 451,
        499,
    ]

    private let scene: ProxyScene

    init() throws {
        self.scene = try ProxyScene()
    }

    /// Lets each pause pass until as many events have an answer.
    private func deliver(_ count: Int) async {
        var answered = 0
        while answered < count {
            let note = await self.scene.observer.next { note -> RecordingObserver.Note? in
                switch note {
                case .postponed, .delivered, .deadLetters: note
                default: nil
                }
            }
            switch note {
            case .delivered(let events): answered += events
            case .deadLetters(let events, let error):
                answered += events
                Issue.record("a dead letter: \(error)")
            case .postponed(_, let pause, _) where pause > .zero: self.scene.clock.advance(by: pause)
            case nil: return
            default: break
            }
        }
    }

    @Test(arguments: Self.statuses) func eventsAreTriedAgain(after status: Int) async throws {
        self.scene.platform.faults.inject(.answer(ProxyPage.page(status)), on: .events, times: 3)
        let signet = try EmulatedSignet(
            in: self.scene.folder.path,
            platform: self.scene.platform,
            clock: self.scene.clock,
            observer: self.scene.observer
        ) { $0.sessions.timeout = .seconds(1_000_000) }
        try await signet.run { signet in
            let visitor = try await signet.openKnown()
            try await signet.logPrompt(visitor)
            await self.deliver(2)
            #expect(try await signet.runtime.deadLetters.list().isEmpty)
        }
        #expect(self.scene.platform.faults.remaining == 0)
        #expect(signet.runtime.statistics.eventsLost == 0 && signet.runtime.statistics.eventsDelivered == 2)
    }

    /// Waits for the end of the next try of a refused batch: the error if it is a dead letter now.
    private func nextEnd() async -> (events: Int, error: SignetError)? {
        await self.scene.observer.next { note -> (events: Int, error: SignetError)?? in
            switch note {
            case .postponed(_, let pause, _) where pause > .zero: .some(nil)
            case .deadLetters(let events, let error): (events, error)
            default: nil
            }
        } ?? nil
    }

    @Test(arguments: [400, 413]) func anEventThatIsRefusedWithoutAReasonForADayIsADeadLetter(
        _ status: Int
    ) async throws {
        let transport = ProxyPage(self.scene.platform, status, for: "poison")
        var hours = 0
        var ended: (events: Int, error: SignetError)?
        while ended == nil, hours < 60 {
            // A deploy each ten hours: the time of tries counts, not the life of the process.
            let runtime = try self.scene.runtime(transport) { $0.useVendorTimes() }
            try await runtime.runs(isolation: nil) {
                let visitor = try await runtime.open("v")
                let other = try await runtime.open("w")
                for installation in [visitor, other] { _ = try await installation.initialIdentifyResult() }
                if hours == 0 {
                    for name in ["poison", "b"] { try visitor.log(.custom(name)) }
                    _ = await runtime.managers.events.firstSettled([])
                    self.scene.clock.advance(by: .seconds(600))
                }
                for _ in 0..<10 where ended == nil {
                    ended = await self.nextEnd()
                    try other.log(.custom("of another"))
                    _ = await runtime.managers.events.firstSettled([])
                    hours += 1
                    self.scene.clock.advance(by: .seconds(3600))
                }
                if ended != nil { try await runtime.upload() }
            }
        }
        #expect(ended?.events == 1 && ended?.error.httpStatus == status)
        #expect((24...30).contains(hours))
        let names = self.scene.platform.batches().flatMap { self.scene.platform.events(of: $0.mpid) }.compactMap(\.name)
        #expect(names.contains("b") && names.contains("of another") && !names.contains("poison"))
    }

    /// A guest who became a customer, and the request to alias them.
    private func linked(_ runtime: SignetRuntime) async throws -> (Installation, AliasRequest) {
        let installation = try await runtime.open("one")
        _ = try await installation.initialIdentifyResult()
        try installation.log(.custom("as a guest"))
        self.scene.clock.advance(by: .milliseconds(500))
        let result = try await installation.login([.customerID: "c"])
        return (installation, AliasRequest(source: try #require(result.previousUser), destination: result.user))
    }

    @Test(arguments: Self.statuses + [401, 403]) func anAliasIsTriedAgain(after status: Int) async throws {
        self.scene.platform.faults.inject(.answer(ProxyPage.page(status)), on: .alias, times: 2)
        let signet = try EmulatedSignet(
            in: self.scene.folder.path,
            platform: self.scene.platform,
            clock: self.scene.clock
        )
        try await signet.run { signet in
            let (installation, request) = try await self.linked(signet.runtime)
            var outcomes = installation.aliasOutcomes().makeAsyncIterator()
            try await installation.alias(request)
            for tries in 1...2 {
                await until("try \(tries)") { signet.transport.exchanges.count { $0.endpoint == "alias" } >= tries }
                #expect(await signet.runtime.managers.aliases.drain())
                self.scene.clock.advance(by: .seconds(300))
            }
            #expect(try #require(await outcomes.next(isolation: #isolation)).isAccepted)
        }
        #expect(self.scene.platform.faults.remaining == 0)
    }

    @Test func anAliasThatIsRefusedWithoutAReasonForADayHasFailed() async throws {
        self.scene.platform.faults.injectAlways(.answer(ProxyPage.page(400)), on: .alias)
        var tries = 0
        var id: UUID?
        var outcome: AliasOutcome?
        while outcome == nil, tries < 60 {
            let signet = try EmulatedSignet(
                in: self.scene.folder.path,
                platform: self.scene.platform,
                clock: self.scene.clock
            )
            try await signet.run { signet in
                if tries == 0 {
                    let (installation, request) = try await self.linked(signet.runtime)
                    id = try await installation.alias(request)
                }
                let installation = try await signet.runtime.open("one")
                for count in 1...10 where outcome == nil {
                    await until("a try") { signet.transport.exchanges.count { $0.endpoint == "alias" } >= count }
                    _ = await signet.runtime.managers.aliases.drain()
                    tries += 1
                    outcome = await installation.aliasOutcome(of: try #require(id))
                    if outcome == nil { self.scene.clock.advance(by: .seconds(3600)) }
                }
            }
        }
        #expect((24...30).contains(tries))
        guard case .refused(let error) = outcome?.kind else {
            Issue.record("not refused")
            return
        }
        #expect(error.httpStatus == 400)
    }
}
