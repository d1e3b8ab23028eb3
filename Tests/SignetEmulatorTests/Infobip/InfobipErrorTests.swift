// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTransport
import Testing

/// What is refused, with which id, and that nothing changes then.
struct InfobipErrorTests {
    private static func long(_ count: Int) -> String {
        String(repeating: "x", count: count)
    }

    @Test func theBodyOfARefusalIsTheDocumentedOne() async throws {
        let platform = InfobipPlatform()
        let answer = await platform.fetch("nobody")
        let text =
            #"{"requestError":{"serviceException":{"messageId":"NO_REGISTRATION","#
            + #""text":"Registration does not exist"}}}"#
        #expect(answer.status == 400)
        #expect(answer.text == text)
        #expect(answer.headers["Content-Type"] == "application/json; charset=utf-8")
    }

    @Test func whoMayNotAskIsToldWhy() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        func code(_ headers: [(String, String)]) async -> String? {
            let request = InfobipPlatform.request(.get, "appinstance/\(id)/user?ri=1&rt=0", headers: headers)
            return InfobipAnswer(await platform.emulator.handle(request)).messageID
        }
        let right = InfobipPlatform.headers(id)
        #expect(await code(right) == nil)
        #expect(await code(right.filter { $0.0 != "Authorization" }) == "APP_CODE_MISSING")
        #expect(await code(right.filter { $0.0 != "applicationcode" }) == "APP_CODE_MISSING")
        #expect(await code(InfobipPlatform.headers(id, authorization: "App other")) == "1")
        #expect(await code(InfobipPlatform.headers(id, authorization: "Basic x")) == "1")
        #expect(await code(InfobipPlatform.headers(id, hash: "b9ff7d254e")) == "1")
        #expect(await code(InfobipPlatform.headers(nil)) == "7")
        #expect(await code(InfobipPlatform.headers("other")) == "NO_REGISTRATION")
    }

    @Test func whatIsAPersonsIsAskedForOnesOwnRegistrationOnly() async throws {
        let platform = InfobipPlatform()
        let ids = [try await platform.register("aa"), try await platform.register("bb")]
        for path in ["/user", "/personalize", "/repersonalize", "/user/events/custom", "/user/events/session", ""] {
            let isRead = path == "/user" || path.isEmpty
            let event = #"{"events":[{"definitionId":"e","date":"1970-01-01T00:00:00Z"}]}"#
            let body =
                path.hasSuffix("personalize")
                ? #"{"userIdentity":{"externalUserId":"a"}}"# : path.hasSuffix("custom") ? event : #"{"systemData":{}}"#
            let target = "appinstance/\(ids[1])\(path)"
            let answer = await platform.send(isRead ? .get : .post, target, isRead ? "" : body, as: ids[0])
            #expect(answer.messageID == "7", "\(path)")
        }
    }

    @Test(arguments: [
        #"{"firstName":1}"#, #"{"firstName":"\#(long(256))"}"#, #"{"middleName":"\#(long(51))"}"#,
        #"{"lastName":"a;b"}"#, #"{"externalUserId":"\#(long(257))"}"#, #"{"type":"LEAD"}"#, #"{"instances":[]}"#,
        #"{"gender":"male"}"#, #"{"birthday":"1990-02-30"}"#, #"{"birthday":"1990-2-3"}"#, #"{"tags":"a"}"#,
        #"{"tags":[1]}"#, #"{"phones":[{"number":"12345","preferred":true}]}"#, #"{"phones":["12345"]}"#,
        #"{"customAttributes":{"a":{"b":1}}}"#, #"{"customAttributes":{"a":[1]}}"#,
        #"{"customAttributes":{"a":[{"x":1},{"x":"1"}]}}"#, #"{"customAttributes":{"a":[{"x":1},{"y":1}]}}"#,
        #"{"customAttributes":{"a":[{"x":[]}]}}"#, #"{"customAttributes":{"a":"\#(long(4097))"}}"#,
        #"{"customAttributes":[]}"#, "{}", "[]", "{", "", #"{"lastname":"x"}"#,
    ])
    func aChangeOfAWrongFormIsRefused(body: String) async throws {
        try await Self.check(body, "REQUEST_FORMAT_INVALID")
    }

    @Test(arguments: [
        (#"{"phones":[{"number":"1234567890123456"}]}"#, "PHONE_INVALID"),
        (#"{"phones":[{"number":"++12345"}]}"#, "PHONE_INVALID"),
        (#"{"emails":[{"address":"a b@c"}]}"#, "EMAIL_INVALID"), (#"{"emails":[{"address":"@c"}]}"#, "EMAIL_INVALID"),
        (#"{"emails":[{"address":"a@\#(long(254))"}]}"#, "EMAIL_INVALID"),
    ])
    func aChangeToAWrongContactIsRefused(body: String, code: String) async throws {
        try await Self.check(body, code)
    }

    private static func check(_ body: String, _ code: String) async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        let before = platform.infobip.people()
        #expect(await platform.save(id, body).messageID == code)
        #expect(platform.infobip.people() == before)
    }

    @Test(arguments: [
        #"{"firstName":"\#(long(255))"}"#, #"{"middleName":"\#(long(50))"}"#, #"{"externalUserId":"\#(long(256))"}"#,
        #"{"emails":[{"address":"a@\#(long(253))"}]}"#, #"{"phones":[{"number":"+123456789012345"}]}"#,
        #"{"customAttributes":{"a":"\#(long(4096))"}}"#, #"{"customAttributes":{"a":[],"b":null}}"#,
        #"{"customAttributes":{"a":[{"x":1,"n":null},{"x":2.5,"n":null}]}}"#,
    ])
    func whatIsJustWithinTheLimitsIsTaken(body: String) async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        #expect(await platform.save(id, body).status == 204)
    }

    @Test func aHundredContactsAreTheMost() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        func phones(_ range: Range<Int>) -> String {
            "[" + range.map { #"{"number":"\#(100_000 + $0)"}"# }.joined(separator: ",") + "]"
        }
        #expect(await platform.save(id, #"{"phones":\#(phones(0..<101))}"#).messageID == "REQUEST_FORMAT_INVALID")
        #expect(await platform.save(id, #"{"phones":\#(phones(0..<100))}"#).status == 204)
        let more = #"{"phones":\#(phones(99..<101))}"#
        #expect(await platform.personalize(id, more).messageID == "REQUEST_FORMAT_INVALID")
        #expect(platform.infobip.person(of: id)?.phones.count == 100)
        #expect(platform.infobip.person(of: id)?.isCustomer == false)
    }

    @Test(arguments: [
        (#"{"pushServiceToken":"aa"}"#, "2"), (#"{"pushServiceToken":"aa","pushServiceType":"X"}"#, "4"),
        (#"{"pushServiceType":"APNS"}"#, "REQUEST_FORMAT_INVALID"),
        (#"{"pushServiceToken":"","pushServiceType":"APNS"}"#, "REQUEST_FORMAT_INVALID"),
        (#"{"pushServiceToken":"aa","pushServiceType":"APNS","regEnabled":1}"#, "REQUEST_FORMAT_INVALID"),
        (#"{"pushServiceToken":"aa","pushServiceType":"APNS","deviceTimezoneOffset":"GMT"}"#, "REQUEST_FORMAT_INVALID"),
        (#"{"pushServiceToken":"aa","pushServiceType":"APNS","colour":"red"}"#, "REQUEST_FORMAT_INVALID"),
    ])
    func aWrongRegistrationIsRefused(body: String, code: String) async throws {
        let platform = InfobipPlatform()
        #expect(await platform.send(.post, "appinstance?rt=1", body, as: nil).messageID == code)
        #expect(platform.infobip.installations().isEmpty)
    }

    @Test func whatThePortalRestrictsIsRefused() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        platform.infobip.configure { $0.restrictsSensitiveData = true }
        for body in [
            #"{"firstName":"a"}"#, #"{"gender":"Male"}"#, #"{"phones":[{"number":"12345"}]}"#,
            #"{"emails":[{"address":"a@b"}]}"#,
        ] {
            #expect(await platform.save(id, body).messageID == "USER_DATA_RESTRICTED")
        }
        let attributes = #"{"birthday":"1990-01-01"}"#
        let ann = #"{"externalUserId":"a"}"#
        #expect(await platform.personalize(id, ann, attributes: attributes).messageID == "USER_DATA_RESTRICTED")
        #expect(await platform.personalize(id, #"{"phones":[{"number":"12345"}]}"#).messageID == "USER_DATA_RESTRICTED")
        let open = #"{"tags":["t"],"firstName":null,"phones":null,"customAttributes":{"a":1}}"#
        #expect(await platform.save(id, open).status == 204)
        #expect(await platform.personalize(id, ann).status == 200)
    }

    @Test func aListIsAsThePortalHasIt() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        platform.infobip.configure { $0.listAttributes = ["l": ["item": .string, "price": .number, "used": .bool]] }
        func status(_ list: String) async -> Int {
            await platform.save(id, #"{"customAttributes":\#(list)}"#).status
        }
        #expect(await status(#"{"l":[{"item":"p","price":1000.5,"used":true}],"free":"x"}"#) == 204)
        #expect(await status(#"{"l":[{"item":"p","price":null}]}"#) == 204)
        #expect(await status(#"{"l":[{"item":1}]}"#) == 400)
        #expect(await status(#"{"l":[{"colour":"red"}]}"#) == 400)
        #expect(await status(#"{"m":[{"item":"p"}]}"#) == 400)
    }

    @Test func anAttributeCannotBeTakenAwayByPersonalizing() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        let ann = #"{"externalUserId":"a"}"#
        for attributes in [#"{"firstName":null}"#, #"{"phones":[]}"#, #"{"externalUserId":"b"}"#, #"{"type":"LEAD"}"#] {
            let answer = await platform.personalize(id, ann, attributes: attributes)
            #expect(answer.messageID == "REQUEST_FORMAT_INVALID")
        }
        await platform.save(id, #"{"customAttributes":{"a":1,"b":2}}"#)
        await platform.personalize(id, ann, attributes: #"{"customAttributes":{"a":null}}"#)
        #expect(platform.infobip.person(of: id)?.attributesJSON == #"{"b":2}"#)
    }

    @Test func faultsThatNobodyRefusesAreTold() async throws {
        let platform = InfobipPlatform()
        let id = try await platform.register("aa")
        let headers = InfobipPlatform.headers(id).filter { $0.0 != "foreground" && $0.0 != "Accept" }
        let request = InfobipPlatform.request(
            .get,
            "appinstance/\(id)/user?ri=1&x=2",
            "{}",
            headers: headers + [("sessionId", "other_1")]
        )
        #expect(await platform.emulator.handle(request).status == 200)
        #expect(
            platform.infobip.requests().last?.faults == [
                "Accept", "foreground", "sessionId", "query or body: rt", "query or body: x", "query or body: body",
            ]
        )
        let wrong = await platform.send(.get, "appinstance/\(id)/user?ri=yes&rt=0", as: id)
        #expect(wrong.messageID == "REQUEST_FORMAT_INVALID")
        #expect(await platform.send(.get, "appinstance/\(id)/user?ri=true&rt=false", as: id).status == 200)
        #expect(await platform.send(.put, "appinstance/\(id)/user", as: id).status == 405)
    }
}
