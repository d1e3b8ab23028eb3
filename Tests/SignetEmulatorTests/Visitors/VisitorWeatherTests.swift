//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetEmulator
import SignetTestSupport
import SignetTransport
import Testing

@Suite(.watched) struct VisitorWeatherTests {
    private static let track = VisitorPlatform.request(
        "events/track",
        Array(#"{"email":"ann@example.com","eventName":"e"}"#.utf8)
    )

    private static func send(_ request: TransportRequest = track, to platform: VisitorPlatform) async -> VisitorAnswer?
    {
        do {
            return VisitorAnswer(try await platform.emulator.transport.send(request))
        } catch {
            return nil
        }
    }

    @Test(arguments: [
        (400, "BadParams"), (401, "InvalidJwtPayload"), (403, "Forbidden"), (404, "NotFound"), (409, "Conflict"),
        (429, "RateLimitExceeded"), (500, "GenericError"), (503, "GenericError"),
    ])
    func aScriptedStatusHasTheFormOfTheService(status: Int, code: String) async throws {
        let platform = VisitorPlatform()
        platform.emulator.weather.next(on: .trackEvent, .status(status, retryAfter: .seconds(3)))
        let response = try await platform.emulator.transport.send(Self.track)
        #expect(response.status == status)
        #expect(VisitorAnswer(response).code == code)
        #expect(response.headers["Retry-After"] == "3")
        #expect(response.headers["X-mp-rate-limit-exceeded"] == nil)
        #expect(platform.visitors.requests().isEmpty)
        #expect(platform.emulator.requestCounts() == ["events/track": 1])
        #expect(await Self.send(to: platform)?.status == 200)
    }

    @Test func aScripted401IsOneThatANewTokenMends() async {
        let platform = VisitorPlatform()
        platform.emulator.weather.next(on: .trackEvent, .status(401))
        #expect(await Self.send(to: platform)?.message == "JWT token is expired")
    }

    @Test func aRefusalSaysWhatTheTestSays() async {
        let platform = VisitorPlatform()
        let fault = Weather.Fault.refused(status: 401, code: "InvalidJwtPayload", message: "Email could not be found")
        platform.emulator.weather.next(on: .trackEvent, fault)
        let answer = await Self.send(to: platform)
        #expect(answer?.status == 401)
        #expect(answer?.code == "InvalidJwtPayload")
        #expect(answer?.message == "Email could not be found")
        #expect(platform.visitors.users().isEmpty)
    }

    @Test func aRefusalHasTheFormOfItsInterface() async throws {
        let platform = VisitorPlatform()
        platform.emulator.weather.next(.refused(status: 418, code: "TEAPOT", message: "short"))
        let request = Platform.request("/v1/login", Platform.identityBody(["customerid": "c"]).encoded())
        let response = try await platform.emulator.transport.send(request)
        #expect(Answer(response).errorCode == "TEAPOT")
        #expect(Answer(response).errorMessage == "short")
    }

    @Test func weatherIsForOneRoute() async {
        let platform = VisitorPlatform()
        platform.emulator.weather.always(on: .mergeUsers, .connectionRefused)
        #expect(await Self.send(to: platform)?.status == 200)
        let merge = VisitorPlatform.request("users/merge", Array("{}".utf8))
        #expect(await Self.send(merge, to: platform) == nil)
        platform.emulator.weather.clear()
        #expect(await Self.send(merge, to: platform)?.status == 400)
    }

    @Test func anAnswerThatIsLostTookEffect() async {
        let platform = VisitorPlatform()
        platform.emulator.weather.next(on: .trackEvent, .replyLost)
        #expect(await Self.send(to: platform) == nil)
        #expect(await Self.send(to: platform)?.status == 200)
        #expect(platform.visitors.events().map(\.isRepetition) == [false, true])
    }

    @Test func aSlowAnswerWaitsOnTheEmulatorsClock() async {
        let clock = ManualClock()
        let platform = VisitorPlatform(clock: clock)
        platform.emulator.weather.next(on: .trackEvent, .delay(.seconds(10)))
        async let answer = Self.send(to: platform)
        await clock.slept()
        #expect(platform.visitors.requests().isEmpty)
        clock.advance(by: .seconds(10))
        #expect(await answer?.status == 200)
    }

    @Test func aHeldAnswerTookEffectBefore() async {
        let platform = VisitorPlatform()
        let gate = EmulatorGate()
        platform.emulator.weather.next(on: .trackEvent, .replyHeld(gate))
        async let answer = Self.send(to: platform)
        await gate.arrived()
        #expect(platform.visitors.events().count == 1)
        gate.open()
        #expect(await answer?.status == 200)
    }
}
