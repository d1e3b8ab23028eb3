// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTransport
import Testing

struct InfobipFaultTests {
    private static let ann = #"{"userIdentity":{"externalUserId":"ann"}}"#

    private static func personalize(_ id: String) -> TransportRequest {
        InfobipPlatform.request(.post, "appinstance/\(id)/personalize", ann, headers: InfobipPlatform.headers(id))
    }

    @Test func aFaultMeetsOneEndpointAndSpeaksItsForm() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        platform.emulator.faults.inject(.status(503, retryAfter: .seconds(3)), on: .personalize)
        let fetch = InfobipPlatform.request(.get, "appinstance/\(id)/user", headers: InfobipPlatform.headers(id))
        #expect(try await platform.emulator.transport.send(fetch).status == 200)
        let response = try await platform.emulator.transport.send(Self.personalize(id))
        #expect(response.status == 503)
        #expect(response.headers["Retry-After"] == "3")
        #expect(InfobipAnswer(response).messageID == "0")
        #expect(platform.infobip.person(externalUserID: "ann") == nil)
        platform.emulator.faults.inject(.status(429), on: .personalize)
        let throttled = try await platform.emulator.transport.send(Self.personalize(id))
        #expect(throttled.headers["X-mp-rate-limit-exceeded"] == nil)
    }

    @Test func aRefusalMayComeInside200() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        platform.emulator.faults.inject(.refused(status: 200, code: "EMAIL_INVALID", message: "no"), on: .personalize)
        let response = try await platform.emulator.transport.send(Self.personalize(id))
        #expect(response.status == 200)
        #expect(InfobipAnswer(response).messageID == "EMAIL_INVALID")
    }

    @Test func aLostAnswerTookEffectAndTheRepetitionIsHarmless() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        platform.emulator.faults.inject(.replyLost, on: .personalize)
        await #expect(throws: TransportError.self) {
            _ = try await platform.emulator.transport.send(Self.personalize(id))
        }
        #expect(platform.infobip.person(of: id)?.externalUserID == "ann")
        #expect(try await platform.emulator.transport.send(Self.personalize(id)).status == 200)
        #expect(platform.infobip.people().count == 1)
    }

    @Test func anEmptyAnswerCanBeScripted() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        platform.emulator.faults.inject(.answer(TransportResponse(status: 200)), on: .fetchPerson)
        let fetch = InfobipPlatform.request(.get, "appinstance/\(id)/user", headers: InfobipPlatform.headers(id))
        let response = try await platform.emulator.transport.send(fetch)
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
    }
}
