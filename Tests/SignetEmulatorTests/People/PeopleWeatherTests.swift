//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import SignetEmulator
import SignetTransport
import Testing

struct PeopleWeatherTests {
    private static let ann = #"{"userIdentity":{"externalUserId":"ann"}}"#

    private static func personalize(_ id: String) -> TransportRequest {
        PeoplePlatform.request(.post, "appinstance/\(id)/personalize", ann, headers: PeoplePlatform.headers(id))
    }

    @Test func weatherMeetsOneEndpointAndSpeaksItsForm() async throws {
        let platform = PeoplePlatform()
        let id = try await platform.register("aa")
        platform.emulator.weather.next(on: .personalize, .status(503, retryAfter: .seconds(3)))
        let fetch = PeoplePlatform.request(.get, "appinstance/\(id)/user", headers: PeoplePlatform.headers(id))
        #expect(try await platform.emulator.transport.send(fetch).status == 200)
        let response = try await platform.emulator.transport.send(Self.personalize(id))
        #expect(response.status == 503)
        #expect(response.headers["Retry-After"] == "3")
        #expect(PeopleAnswer(response).messageID == "0")
        #expect(platform.people.person(externalUserID: "ann") == nil)
        platform.emulator.weather.next(on: .personalize, .status(429))
        let throttled = try await platform.emulator.transport.send(Self.personalize(id))
        #expect(throttled.headers["X-mp-rate-limit-exceeded"] == nil)
    }

    @Test func aRefusalMayComeInside200() async throws {
        let platform = PeoplePlatform()
        let id = try await platform.register("aa")
        platform.emulator.weather.next(on: .personalize, .refused(status: 200, code: "EMAIL_INVALID", message: "no"))
        let response = try await platform.emulator.transport.send(Self.personalize(id))
        #expect(response.status == 200)
        #expect(PeopleAnswer(response).messageID == "EMAIL_INVALID")
    }

    @Test func aLostAnswerTookEffectAndTheRepetitionIsHarmless() async throws {
        let platform = PeoplePlatform()
        let id = try await platform.register("aa")
        platform.emulator.weather.next(on: .personalize, .replyLost)
        await #expect(throws: TransportError.self) {
            _ = try await platform.emulator.transport.send(Self.personalize(id))
        }
        #expect(platform.people.person(of: id)?.externalUserID == "ann")
        #expect(try await platform.emulator.transport.send(Self.personalize(id)).status == 200)
        #expect(platform.people.people().count == 1)
    }

    @Test func anEmptyAnswerCanBeScripted() async throws {
        let platform = PeoplePlatform()
        let id = try await platform.register("aa")
        platform.emulator.weather.next(on: .fetchPerson, .answer(TransportResponse(status: 200)))
        let fetch = PeoplePlatform.request(.get, "appinstance/\(id)/user", headers: PeoplePlatform.headers(id))
        let response = try await platform.emulator.transport.send(fetch)
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
    }
}
