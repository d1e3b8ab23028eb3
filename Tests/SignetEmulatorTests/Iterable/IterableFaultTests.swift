// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTestSupport
import SignetTransport
import Testing

@Suite(.watched) struct IterableFaultTests {
    private static let track = IterablePlatform.request(
        "events/track",
        Array(#"{"email":"ann@example.com","eventName":"e"}"#.utf8)
    )

    private static func send(
        _ request: TransportRequest = track,
        to platform: IterablePlatform
    ) async -> IterableAnswer? {
        do {
            return IterableAnswer(try await platform.emulator.transport.send(request))
        } catch {
            return nil
        }
    }

    @Test(arguments: [
        (400, "BadParams"), (401, "InvalidJwtPayload"), (403, "Forbidden"), (404, "NotFound"), (409, "Conflict"),
        (429, "RateLimitExceeded"), (500, "GenericError"), (503, "GenericError"),
    ])
    func aScriptedStatusHasTheFormOfTheService(status: Int, code: String) async throws {
        let platform = IterablePlatform()
        platform.emulator.faults.inject(.status(status, retryAfter: .seconds(3)), on: .trackEvent)
        let response = try await platform.emulator.transport.send(Self.track)
        #expect(response.status == status)
        #expect(IterableAnswer(response).code == code)
        #expect(response.headers["Retry-After"] == "3")
        #expect(response.headers["X-mp-rate-limit-exceeded"] == nil)
        #expect(platform.iterable.requests().isEmpty)
        #expect(platform.emulator.requestCounts() == ["events/track": 1])
        #expect(await Self.send(to: platform)?.status == 200)
    }

    @Test func aScripted401IsOneThatANewTokenMends() async {
        let platform = IterablePlatform()
        platform.emulator.faults.inject(.status(401), on: .trackEvent)
        #expect(await Self.send(to: platform)?.message == "JWT token is expired")
    }

    @Test func aRefusalSaysWhatTheTestSays() async {
        let platform = IterablePlatform()
        let fault = FaultInjector.Fault.refused(
            status: 401,
            code: "InvalidJwtPayload",
            message: "Email could not be found"
        )
        platform.emulator.faults.inject(fault, on: .trackEvent)
        let answer = await Self.send(to: platform)
        #expect(answer?.status == 401)
        #expect(answer?.code == "InvalidJwtPayload")
        #expect(answer?.message == "Email could not be found")
        #expect(platform.iterable.users().isEmpty)
    }

    @Test func aRefusalHasTheFormOfItsInterface() async throws {
        let platform = IterablePlatform()
        platform.emulator.faults.inject(.refused(status: 418, code: "TEAPOT", message: "short"))
        let request = Platform.request("/v1/login", Platform.identityBody(["customerid": "c"]).encoded())
        let response = try await platform.emulator.transport.send(request)
        #expect(Answer(response).errorCode == "TEAPOT")
        #expect(Answer(response).errorMessage == "short")
    }

    @Test func aFaultIsForOneRoute() async {
        let platform = IterablePlatform()
        platform.emulator.faults.injectAlways(.connectionRefused, on: .mergeUsers)
        #expect(await Self.send(to: platform)?.status == 200)
        let merge = IterablePlatform.request("users/merge", Array("{}".utf8))
        #expect(await Self.send(merge, to: platform) == nil)
        platform.emulator.faults.clear()
        #expect(await Self.send(merge, to: platform)?.status == 400)
    }

    @Test func anAnswerThatIsLostTookEffect() async {
        let platform = IterablePlatform()
        platform.emulator.faults.inject(.replyLost, on: .trackEvent)
        #expect(await Self.send(to: platform) == nil)
        #expect(await Self.send(to: platform)?.status == 200)
        #expect(platform.iterable.events().map(\.isRepetition) == [false, true])
    }

    @Test func aSlowAnswerWaitsOnTheEmulatorsClock() async {
        let clock = ManualClock()
        let platform = IterablePlatform(clock: clock)
        platform.emulator.faults.inject(.delay(.seconds(10)), on: .trackEvent)
        async let answer = Self.send(to: platform)
        await clock.slept()
        #expect(platform.iterable.requests().isEmpty)
        clock.advance(by: .seconds(10))
        #expect(await answer?.status == 200)
    }

    @Test func aHeldAnswerTookEffectBefore() async {
        let platform = IterablePlatform()
        let gate = EmulatorGate()
        platform.emulator.faults.inject(.replyHeld(gate), on: .trackEvent)
        async let answer = Self.send(to: platform)
        await gate.arrived()
        #expect(platform.iterable.events().count == 1)
        gate.open()
        #expect(await answer?.status == 200)
    }
}
