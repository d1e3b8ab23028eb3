// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetRuntimeTestSupport
import SignetTestSupport
import SignetTesting
import SignetTransport
import SignetWire
import Testing

@testable import Signet

@Suite(.watched) struct NetworkDispatcherTests {
    private let clock = ManualClock()
    private let observer = RecordingObserver()
    private let emulator: Emulator
    private let transport: RecordingTransport

    init() {
        let clock = self.clock
        self.emulator = Emulator(clock: clock, wallClock: { clock.date })
        self.transport = RecordingTransport(self.emulator)
    }

    private func dispatcher(
        _ transport: (any Transport)? = nil,
        limits: [DispatchStateMachine.Lane: Int] = [.identity: 2, .events: 1]
    ) throws -> NetworkDispatcher {
        NetworkDispatcher(
            transport: transport ?? self.transport,
            builder: try RequestBuilder(
                SignetConfiguration(apiKey: "us1-emulated", secret: "emulated-secret", directory: "x")
            ),
            time: .manual(self.clock),
            observer: self.observer,
            statistics: StatisticsRecorder(),
            limits: limits
        )
    }

    private func login(
        _ dispatcher: NetworkDispatcher,
        within timeout: Duration = .seconds(10)
    ) async -> Result<[UInt8], SignetError> {
        let body = #"{"environment":"production","known_identities":{"customerid":"1"}}"#
        return await dispatcher.perform(.login, body: Array(body.utf8), timeout: timeout)
    }

    private func code(_ result: Result<[UInt8], SignetError>) -> SignetError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test func eachLaneHasItsLimit() async throws {
        let dispatcher = try self.dispatcher()
        let gate = EmulatorGate()
        self.emulator.faults.injectAlways(.held(gate))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { _ = await self.login(dispatcher) } }
            for _ in 0..<2 { await gate.arrived() }
            // A full lane of logins does not hold up an upload.
            group.addTask { _ = await dispatcher.perform(.events, body: [], timeout: .seconds(10)) }
            await gate.arrived()
            #expect(self.transport.inFlight == 3)
            gate.open()
        }
        #expect(self.transport.maximumInFlight == 3)
        #expect(self.transport.exchanges.count == 7)
    }

    @Test func aThrottledEndpointIsLeftAloneAndTheOthersAreNot() async throws {
        let dispatcher = try self.dispatcher()
        self.emulator.faults.inject(.status(429, retryAfter: .seconds(30)), on: .login)
        #expect(self.code(await self.login(dispatcher)) == .throttled)
        self.clock.advance(by: .seconds(10))
        guard case .failure(let error) = await self.login(dispatcher) else { return #expect(Bool(false)) }
        #expect(error.code == .throttled)
        #expect(error.retryAfter == .seconds(20))
        #expect(self.transport.exchanges.count == 1)
        _ = await dispatcher.perform(.identify, body: Array("{}".utf8), timeout: .seconds(10))
        #expect(self.transport.exchanges.count == 2)
        self.clock.advance(by: .seconds(20))
        #expect(self.code(await self.login(dispatcher)) == nil)
    }

    @Test func aRequestThatWaitedForItsTurnHeedsAPauseThatCameMeanwhile() async throws {
        let dispatcher = try self.dispatcher(limits: [.identity: 1])
        var throttled = TransportResponse(status: 429)
        throttled.headers.append(name: "Retry-After", value: "30")
        let scripted = ScriptedTransport(isHeld: true, response: throttled)
        let held = try self.dispatcher(scripted, limits: [.identity: 1])
        let results = await withTaskGroup(of: SignetError.Code?.self) { group in
            for _ in 0..<5 { group.addTask { self.code(await self.login(held)) } }
            await scripted.arrived()
            // The others wait for their turn or come later: both find the pause.
            scripted.release()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: SignetError.Code.throttled, count: 5))
        #expect(scripted.count == 1)
        #expect(self.code(await self.login(dispatcher)) == nil)
    }

    @Test func theTimeoutRunsOnTheClock() async throws {
        let dispatcher = try self.dispatcher()
        self.emulator.faults.inject(.timeout, on: .login)
        async let result = self.login(dispatcher)
        await self.clock.nextSleep()
        // The limit may run before the request has met its faults, which would be left for the next one.
        await until("the request meets its faults") { self.emulator.faults.remaining == 0 }
        self.clock.advance(by: .seconds(10))
        #expect(self.code(await result) == .timedOut)
        #expect(self.code(await self.login(dispatcher)) == nil)
    }

    /// A caller can tell it from a request that may have taken effect.
    @Test func aRequestThatGetsNoTurnInTimeIsNotSent() async throws {
        let dispatcher = try self.dispatcher(limits: [.identity: 1])
        let gate = EmulatorGate()
        self.emulator.faults.inject(.held(gate), on: .login)
        async let first = self.login(dispatcher, within: .seconds(60))
        await gate.arrived()
        async let second = self.login(dispatcher)
        await self.clock.untilNextSleeper(isDueIn: .seconds(10))
        self.clock.advance(by: .seconds(10))
        #expect(self.code(await second) == .notSent)
        gate.open()
        #expect(self.code(await first) == nil)
        let late = await dispatcher.perform(.login, body: [], timeout: .seconds(10), mayBegin: { false })
        #expect(self.code(late) == .notSent)
        #expect(self.transport.exchanges.count == 1)
    }

    @Test func anAnswerThatIsTooLongIsNotRead() async throws {
        // The transport reads it in spite of the limit: it is refused all the same.
        let long = TransportResponse(
            status: 200,
            body: Array(repeating: 32, count: NetworkDispatcher.responseLimit + 1)
        )
        let dispatcher = try self.dispatcher(ScriptedTransport(response: long))
        #expect(self.code(await self.login(dispatcher)) == .unexpectedAnswer)
        self.emulator.faults.inject(.hugeAnswer, on: .login)
        #expect(self.code(await self.login(try self.dispatcher())) == .unexpectedAnswer)
    }

    @Test func whoIsCancelledWhileWaitingIsNotSentAndTakesNobodysTurn() async throws {
        let dispatcher = try self.dispatcher(limits: [.identity: 1])
        let gate = EmulatorGate()
        self.emulator.faults.inject(.held(gate), on: .login)
        async let first = self.login(dispatcher)
        await gate.arrived()
        let waiting = Task { await self.login(dispatcher) }
        waiting.cancel()
        #expect(self.code(await waiting.value) == .cancelled)
        gate.open()
        #expect(self.code(await first) == nil)
        #expect(self.code(await self.login(dispatcher)) == nil)
        #expect(self.transport.exchanges.count == 2)
    }

    @Test func whoIsCancelledUnderWayFreesItsPlace() async throws {
        let dispatcher = try self.dispatcher(limits: [.identity: 1])
        let gate = EmulatorGate()
        self.emulator.faults.inject(.held(gate), on: .login)
        let task = Task { await self.login(dispatcher) }
        await gate.arrived()
        task.cancel()
        #expect(self.code(await task.value) == .cancelled)
        #expect(self.code(await self.login(dispatcher)) == nil)
    }

    @Test(
        arguments: [
            (200, nil), (204, nil), (301, .unexpectedAnswer), (302, .unexpectedAnswer), (400, .rejected),
            (401, .unauthorized),
            (403, .unauthorized), (404, .rejected), (429, .throttled), (500, .serverFailure), (503, .serverFailure),
            (100, .unexpectedAnswer), (0, .unexpectedAnswer), (999, .unexpectedAnswer),
        ] as [(Int, SignetError.Code?)]
    )
    func eachStatusHasItsMeaning(status: Int, code: SignetError.Code?) async throws {
        let dispatcher = try self.dispatcher(ScriptedTransport(response: TransportResponse(status: status)))
        #expect(self.code(await self.login(dispatcher)) == code)
    }

    @Test func eachExchangeIsToldToTheObserver() async throws {
        let dispatcher = try self.dispatcher()
        _ = await self.login(dispatcher)
        self.emulator.faults.inject(.connectionRefused, on: .login)
        _ = await self.login(dispatcher)
        let reports = self.observer.notes.compactMap { if case .request(let report) = $0 { report } else { nil } }
        #expect(reports.map(\.endpoint) == ["login", "login"])
        #expect(reports.map(\.status) == [200, nil])
        #expect(reports.map(\.failure) == [nil, .notConnected])
        #expect(reports.map(\.errorType) == [nil, "notConnected"])
        #expect(reports.map(\.method) == [.post, .post])
        #expect(reports.map(\.urlTemplate) == ["/v1/login", "/v1/login"])
        #expect(reports.first?.serverAddress == "identity.us1.mparticle.com")
    }

    @Test(arguments: [
        ("https://identity.us1.mparticle.com/v1/17/modify?x=1", "identity.us1.mparticle.com"),
        ("http://127.0.0.1:8765/v1/login", "127.0.0.1"), ("http://[::1]:8765", "[::1]"),
    ])
    func aReportKeepsTheHostOfTheAddressAlone(url: String, host: String) throws {
        let report = RequestReport(
            endpoint: "modify",
            request: TransportRequest(method: .post, url: url),
            urlTemplate: Route.modify(try #require(MPID(rawValue: 17))).template,
            status: 404,
            failure: .rejected,
            duration: .zero
        )
        #expect(report.serverAddress == host)
        #expect(report.urlTemplate == "/v1/{mpid}/modify")
        #expect(report.errorType == "404")
    }
}
