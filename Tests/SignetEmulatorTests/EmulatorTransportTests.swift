// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTestSupport
import SignetTransport
import Testing

@Suite(.watched) struct EmulatorTransportTests {
    private static let login = Platform.request("/v1/login", Platform.identityBody(["customerid": "c"]).encoded())

    private static func send(_ request: TransportRequest = login, to platform: Platform) async -> Answer? {
        do {
            return Answer(try await platform.emulator.transport.send(request))
        } catch {
            return nil
        }
    }

    private static func error(_ request: TransportRequest = login, to platform: Platform) async -> TransportError.Code?
    {
        do {
            _ = try await platform.emulator.transport.send(request)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func withoutFaultsItIsThePlatform() async {
        let platform = Platform()
        #expect(await Self.send(to: platform)?.status == 200)
        #expect(platform.emulator.users().count == 1)
        #expect(platform.emulator.requestCounts() == ["login": 1])
    }

    @Test func aPathThatIsNotThereIsAnAnswerAndAURLThatIsNoneIsAnError() async {
        let platform = Platform()
        #expect(await Self.send(Platform.request("/v9", []), to: platform)?.status == 404)
        let request = TransportRequest(method: .post, url: "no url")
        #expect(await Self.error(request, to: platform) == .invalidRequest)
        #expect(platform.emulator.requestCounts() == [:])
    }

    @Test func anAnswerBeyondTheLimitIsAnError() async {
        let platform = Platform()
        var request = Self.login
        request.responseLimit = 10
        #expect(await Self.error(request, to: platform) == .responseTooLarge)
        #expect(platform.emulator.users().count == 1)
    }

    @Test func aCancelledTaskSendsNothing() async {
        let platform = Platform()
        let code = await withTaskGroup(of: TransportError.Code?.self) { group in
            group.cancelAll()
            group.addTask { await Self.error(to: platform) }
            return await group.next() ?? nil
        }
        #expect(code == .cancelled)
        #expect(platform.emulator.requestCounts() == [:])
    }

    // MARK: Faults

    @Test func aReplyThatIsLostTookEffect() async {
        let platform = Platform()
        platform.emulator.faults.inject(.replyLost, on: .login)
        #expect(await Self.error(to: platform) == .notConnected)
        #expect(platform.emulator.users().count == 1)
        #expect(platform.emulator.requestCounts() == ["login": 1])
        #expect(await Self.send(to: platform)?.json["matched_identities"] == ["customerid": "c"])
    }

    @Test func aRefusedConnectionNeverReachedThePlatform() async {
        let platform = Platform()
        platform.emulator.faults.inject(.connectionRefused)
        #expect(await Self.error(to: platform) == .notConnected)
        #expect(platform.emulator.users().isEmpty)
        #expect(platform.emulator.requestCounts() == [:])
    }

    @Test func aFailureIsWhatTheTestSays() async {
        let platform = Platform()
        platform.emulator.faults.inject(.failure(TransportError(.secureConnectionFailed, "no trust")))
        #expect(await Self.error(to: platform) == .secureConnectionFailed)
        #expect(platform.emulator.users().isEmpty)
    }

    @Test func aStatusIsThePlatformsOwnRefusal() async {
        let platform = Platform()
        platform.emulator.faults.inject(.status(429, retryAfter: .milliseconds(1001)))
        platform.emulator.faults.inject(.status(503))
        let throttled = await Self.send(to: platform)
        #expect(throttled?.status == 429)
        #expect(throttled?.headers["Retry-After"] == "2")
        #expect(throttled?.headers["X-mp-rate-limit-exceeded"] == "workspace")
        #expect(throttled?.errorCode == "FAULTS")
        let down = await Self.send(to: platform)
        #expect(down?.status == 503)
        #expect(down?.headers["Retry-After"] == nil)
        #expect(platform.emulator.users().isEmpty)
        #expect(platform.emulator.requestCounts() == ["login": 2])
    }

    @Test func aScriptedAnswerComesAsItIs() async {
        let platform = Platform()
        let answer = TransportResponse(status: 302, body: [1, 2])
        platform.emulator.faults.inject(.answer(answer))
        let response = await Self.send(to: platform)
        #expect(response?.status == 302)
        #expect(platform.emulator.users().isEmpty)
    }

    @Test func garbageComesWithStatus200() async throws {
        let platform = Platform()
        platform.emulator.faults.inject(.garbage([0xFF, 0x00]))
        let response = try await platform.emulator.transport.send(Self.login)
        #expect(response.status == 200)
        #expect(response.body == [0xFF, 0x00])
        #expect(platform.emulator.users().isEmpty)
    }

    @Test func aHugeAnswerIsAnErrorWhateverTheLimit() async {
        let platform = Platform()
        var request = Self.login
        request.responseLimit = .max
        platform.emulator.faults.inject(.hugeAnswer)
        #expect(await Self.error(request, to: platform) == .responseTooLarge)
        #expect(platform.emulator.users().isEmpty)
    }

    @Test func aTruncatedAnswerTookEffect() async throws {
        let whole = try await Platform().emulator.transport.send(Self.login)
        let platform = Platform()
        platform.emulator.faults.inject(.truncated)
        let response = try await platform.emulator.transport.send(Self.login)
        #expect(response.status == 200)
        #expect(response.body == Array(whole.body.prefix(whole.body.count / 2)))
        #expect(platform.emulator.users().count == 1)
    }

    @Test func aDelayWaitsOnTheEmulatorsClock() async {
        let clock = ManualClock()
        let platform = Platform(clock: clock)
        platform.emulator.faults.inject(.delay(.seconds(10)))
        async let answer = Self.send(to: platform)
        await clock.slept()
        clock.advance(by: .milliseconds(9999))
        #expect(platform.emulator.users().isEmpty)
        clock.advance(by: .milliseconds(1))
        #expect(await answer?.status == 200)
        #expect(platform.emulator.users().count == 1)
    }

    @Test func aDelayThatIsCancelledHasNoEffect() async {
        let clock = ManualClock()
        let platform = Platform(clock: clock)
        platform.emulator.faults.inject(.delay(.seconds(10)))
        let code = await Self.cancelled(platform) { await clock.slept() }
        #expect(code == .cancelled)
        #expect(platform.emulator.users().isEmpty)
    }

    @Test func aTimeoutWaitsUntilItIsCancelled() async {
        let platform = Platform()
        platform.emulator.faults.inject(.timeout)
        let code = await Self.cancelled(platform) {
            await until("the request meets its faults") { platform.emulator.faults.remaining == 0 }
        }
        #expect(code == .cancelled)
        #expect(platform.emulator.requestCounts() == [:])
    }

    @Test func aHeldRequestTakesEffectWhenTheGateOpens() async {
        let platform = Platform()
        let gate = EmulatorGate()
        platform.emulator.faults.inject(.held(gate))
        async let answer = Self.send(to: platform)
        await gate.arrived()
        #expect(platform.emulator.users().isEmpty)
        #expect(gate.heldCount == 1)
        gate.open()
        #expect(await answer?.status == 200)
        #expect(platform.emulator.users().count == 1)
    }

    @Test func aHeldReplyTookEffectAlready() async {
        let platform = Platform()
        let gate = EmulatorGate()
        platform.emulator.faults.inject(.replyHeld(gate))
        async let answer = Self.send(to: platform)
        await gate.arrived()
        #expect(platform.emulator.users().count == 1)
        gate.open()
        #expect(await answer?.status == 200)
    }

    @Test func aHeldRequestThatIsCancelledHasNoEffectAndAHeldReplyHad() async {
        for (fault, users) in [(FaultInjector.Fault.held, 0), (FaultInjector.Fault.replyHeld, 1)] {
            let platform = Platform()
            let gate = EmulatorGate()
            platform.emulator.faults.inject(fault(gate))
            let code = await Self.cancelled(platform) { await gate.arrived() }
            #expect(code == .cancelled)
            #expect(gate.heldCount == 0)
            #expect(platform.emulator.users().count == users)
        }
    }

    /// Sends, waits for what must be, cancels, and tells how the request ended.
    private static func cancelled(
        _ platform: Platform,
        after condition: @Sendable @escaping () async -> Void
    ) async -> TransportError.Code? {
        await withTaskGroup(of: TransportError.Code?.self) { group in
            group.addTask { await Self.error(to: platform) }
            await condition()
            group.cancelAll()
            return await group.next() ?? nil
        }
    }
}
