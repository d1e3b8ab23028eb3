// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

struct InfobipTokenTests {
    private static func status(_ token: String, on platform: InfobipPlatform, _ id: String) async -> InfobipAnswer {
        await platform.send(.get, "appinstance/\(id)/user?ri=1&rt=0", as: id, authorization: "Bearer " + token)
    }

    @Test func aTokenStandsForTheCodeOnThreeCallsOnly() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        let authorization = "Bearer " + platform.infobip.signToken(for: "ann")
        func send(_ method: TransportRequest.Method, _ path: String, _ body: String = "") async -> InfobipAnswer {
            await platform.send(method, "appinstance/\(id)" + path, body, as: id, authorization: authorization)
        }
        #expect(await send(.get, "/user").status == 200)
        #expect(await send(.patch, "/user", #"{"firstName":"a"}"#).status == 204)
        #expect(await send(.post, "/personalize", #"{"userIdentity":{"externalUserId":"a"}}"#).status == 200)
        #expect(platform.infobip.requests(on: .personalize).map(\.tokenSubject) == ["ann"])
        for (method, path, body) in [
            (.get, "", ""), (.patch, "", #"{"language":"hr"}"#), (.post, "/depersonalize", ""),
            (.post, "/repersonalize", #"{"userIdentity":{"externalUserId":"a"}}"#),
        ] as [(TransportRequest.Method, String, String)] {
            #expect(await send(method, path, body).status == 401, "\(method) \(path)")
        }
    }

    @Test func anApplicationMayWantTokensOnTheThreeCalls() async throws {
        let platform = InfobipPlatform(EmulatedInfobipApplication(requiresTokens: true))
        let id = try await platform.register("aa")
        #expect(await platform.fetch(id).status == 401)
        #expect(await platform.save(id, #"{"firstName":"a"}"#).status == 401)
        #expect(await platform.personalize(id, #"{"externalUserId":"a"}"#).status == 401)
        #expect(await platform.change(id, #"{"language":"hr"}"#).status == 204)
        #expect(await Self.status(platform.infobip.signToken(for: "a"), on: platform, id).status == 200)
    }

    @Test func aTokenHasItsTime() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        let token = platform.infobip.signToken(for: "ann", lifetime: .seconds(10))
        platform.time.advance(by: .milliseconds(9999))
        #expect(await Self.status(token, on: platform, id).status == 200)
        platform.time.advance(by: .milliseconds(1))
        #expect(await Self.status(token, on: platform, id).messageID == "JWT_TOKEN_EXPIRED")
    }

    @Test func aTokenThatProvesNothingIsRefused() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        let token = platform.infobip.signToken(for: "ann")
        let parts = token.split(separator: ".").map(String.init)
        for wrong in [
            "", "a.b", "a.b.c", "a.b.c.d", parts[0] + "." + parts[1] + ".", parts[1] + "." + parts[1] + "." + parts[2],
            parts[0] + "." + parts[0] + "." + parts[2], token + "A",
        ] {
            #expect(await Self.status(wrong, on: platform, id).messageID == "JWT_TOKEN_STRUCTURE_INVALID", "\(wrong)")
        }
        platform.infobip.configure { $0.secret = "rotated" }
        #expect(await Self.status(token, on: platform, id).messageID == "JWT_TOKEN_STRUCTURE_INVALID")
    }
}
