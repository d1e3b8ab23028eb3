// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

/// What is wrong with a request, and what it is told: `{"msg","code","params"}` with the service's codes.
struct IterableErrorTests {
    private static let device = #""deviceInfo":{"deviceId":"d","platform":"iOS","appPackageName":"a"}"#
    private static let context =
        #""unknownSessionContext":{"totalUnknownSessionCount":1,"lastUnknownSession":1,"firstUnknownSession":1}"#
    private static let user = #""user":{"userId":"u","preferUserId":true}"#
    private static let item = #"{"id":"i","name":"n","price":1,"quantity":1}"#

    private static let session = [
        "{}", "{\(device),\(context)}", "{\(user),\(context)}", "{\(user),\(device)}",
        #"{"user":{"preferUserId":true},\#(device),\#(context)}"#, #"{"user":{"userId":""},\#(device),\#(context)}"#,
        #"{"user":{"userId":"u","preferUserId":false},\#(device),\#(context)}"#, #"{"user":7,\#(device),\#(context)}"#,
        #"{"user":{"userId":"u","preferUserId":true,"dataFields":[]},\#(device),\#(context)}"#,
        #"{\#(user),\#(device),"unknownSessionContext":{"totalUnknownSessionCount":1,"lastUnknownSession":1}}"#,
        #"{\#(user),\#(device),\#(context),"createdAt":"1"}"#, #"{\#(user),\#(device),\#(context),"createdAt":-1}"#,
        #"{\#(user),\#(device),\#(context),"createdAt":1.5}"#, #"{\#(user),\#(device),\#(context),"misspelt":1}"#,
        #"{\#(user),"deviceInfo":{"platform":"iOS"},\#(context)}"#,
        #"{\#(user),"deviceInfo":{"deviceId":""},\#(context)}"#,
    ]
    private static let consent = [
        "{}", #"{"consentTimestamp":1,"isUserKnown":true,\#(device)}"#,
        #"{"consentTimestamp":1,"userId":"u",\#(device)}"#, #"{"userId":"u","isUserKnown":true,\#(device)}"#,
        #"{"consentTimestamp":0,"userId":"u","isUserKnown":true,\#(device)}"#,
        #"{"consentTimestamp":"1","userId":"u","isUserKnown":true,\#(device)}"#,
        #"{"consentTimestamp":1,"userId":"u","isUserKnown":1,\#(device)}"#,
        #"{"consentTimestamp":1,"userId":"u","isUserKnown":true}"#,
    ]
    private static let merge = [
        "{}", #"{"sourceUserId":"u"}"#, #"{"destinationUserId":"u"}"#, #"{"sourceUserId":"u","destinationUserId":"u"}"#,
        #"{"sourceUserId":"u","destinationUserId":""}"#, #"{"sourceUserId":"","destinationUserId":"v"}"#,
        #"{"sourceUserId":"u","destinationUserId":"v","destinationEmail":"a@b"}"#,
        #"{"sourceUserId":"u","sourceEmail":"a@b","destinationUserId":"v"}"#,
        #"{"sourceUserId":7,"destinationUserId":"v"}"#, #"{"sourceUserId":"u","destination":"v"}"#,
    ]
    private static let event = [
        "{}", #"{"eventName":"e"}"#, #"{"userId":"u","preferUserId":true}"#,
        #"{"userId":"u","preferUserId":true,"eventName":""}"#, #"{"userId":"","eventName":"e"}"#,
        #"{"userId":"u","preferUserId":"true","eventName":"e"}"#, #"{"email":7,"eventName":"e"}"#,
        #"{"userId":"u","preferUserId":true,"eventName":"e","dataFields":"x"}"#,
        #"{"userId":"u","preferUserId":true,"eventName":"e","datafields":{}}"#,
        #"{"userId":"u","preferUserId":true,"eventName":"e","campaignId":"x"}"#,
        #"{"userId":"u","preferUserId":true,"eventName":"e","id":7}"#,
        #"{"userId":"u","preferUserId":true,"eventName":"e","eventType":"customEvent"}"#,
    ]
    private static let purchase = [
        "{}", #"{\#(user),"items":[\#(item)]}"#, #"{\#(user),"total":1}"#, #"{"total":1,"items":[\#(item)]}"#,
        #"{\#(user),"total":"1","items":[\#(item)]}"#, #"{\#(user),"total":1e999,"items":[\#(item)]}"#,
        #"{\#(user),"total":1,"items":{}}"#, #"{\#(user),"total":1,"items":[7]}"#,
        #"{\#(user),"total":1,"items":[{"id":"i","name":"n","price":1}]}"#,
        #"{\#(user),"total":1,"items":[{"id":"i","name":"n","price":"1","quantity":1}]}"#,
        #"{\#(user),"total":1,"items":[{"id":"i","name":"n","price":1,"quantity":1.5}]}"#,
        #"{\#(user),"total":1,"items":[{"id":"i","name":"n","price":1,"quantity":1,"categories":[1]}]}"#,
        #"{\#(user),"total":1,"items":[{"id":"i","name":"n","price":1,"quantity":1,"colour":"red"}]}"#,
        #"{"userId":"u","preferUserId":true,"total":1,"items":[\#(item)]}"#,
        #"{\#(user),"total":1,"items":[],"campaignId":1.5}"#, #"{\#(user),"total":1,"items":[],"templateId":"7"}"#,
        #"{"user":{"email":"a@b","dataFields":7},"total":1,"items":[]}"#,
        #"{"user":{"email":"a@b","mergeNestedObjects":1},"total":1,"items":[]}"#,
        #"{"user":{"email":"a@b","colour":"red"},"total":1,"items":[]}"#,
    ]
    private static let cart = ["{}", #"{\#(user)}"#, #"{\#(user),"items":[{}]}"#, #"{\#(user),"items":[],"total":1}"#]
    private static let update = [
        "{}", #"{"dataFields":{}}"#, #"{"userId":"u","preferUserId":true,"dataFields":[]}"#,
        #"{"userId":"u","preferUserId":true,"mergeNestedObjects":1}"#,
    ]
    private static let updateEmail = [
        "{}", #"{"currentUserId":"u"}"#, #"{"newEmail":"a@b"}"#, #"{"currentUserId":"","newEmail":"a@b"}"#,
        #"{"email":"u@x","newEmail":"a@b"}"#, #"{"currentUserId":"u","newEmail":"a@b","merge":1}"#,
        #"{"currentEmail":"","currentUserId":"","newEmail":"a@b"}"#,
    ]
    private static let register = [
        "{}", #"{"email":"a@b"}"#, #"{"device":{"token":"t","platform":"APNS","applicationName":"a"}}"#,
        #"{"email":"a@b","device":{"token":"","platform":"APNS","applicationName":"a"}}"#,
        #"{"email":"a@b","device":{"token":"t","platform":"apns","applicationName":"a"}}"#,
        #"{"email":"a@b","device":{"token":"t","platform":"APNS"}}"#, #"{"email":"a@b","device":"t"}"#,
    ]
    private static let disable = [
        "{}", #"{"email":"a@b"}"#, #"{"token":"","email":"a@b"}"#, #"{"token":"t","email":7}"#,
    ]

    private static let table: [(path: String, bodies: [String])] = [
        ("unknownuser/events/session", session), ("unknownuser/consent", consent), ("users/merge", merge),
        ("events/track", event), ("commerce/trackPurchase", purchase), ("commerce/updateCart", cart),
        ("users/update", update), ("users/updateEmail", updateEmail), ("users/registerDeviceToken", register),
        ("users/disableDevice", disable),
    ]

    @Test func aBadBodyIsBadParametersAndChangesNothing() async {
        for (path, bodies) in Self.table {
            for body in bodies {
                let platform = IterablePlatform()
                let answer = await platform.post(path, body)
                #expect(answer.status == 400, "\(path) \(body)")
                #expect(answer.code == "BadParams", "\(path) \(body)")
                #expect(answer.message?.isEmpty == false)
                #expect(platform.iterable.users().isEmpty && platform.iterable.events().isEmpty)
                #expect(platform.iterable.activations().isEmpty && platform.iterable.consents().isEmpty)
                #expect(platform.iterable.requests().map(\.code) == ["BadParams"])
            }
        }
    }

    @Test(arguments: ["", " ", "{", "[1", "{}x", #"{"a":1,"a":2}"#, "NaN", "\u{FEFF}{}", #"{"a":"\ud800"}"#, "{'a':1}"])
    func whatIsNoJSONIsABadBody(body: String) async {
        for (path, _) in Self.table {
            let answer = await IterablePlatform().post(path, body)
            #expect(answer.status == 400, "\(path)")
            #expect(answer.code == "BadJsonBody", "\(path)")
        }
    }

    @Test func whatIsNoObjectIsBadParameters() async {
        for (path, _) in Self.table {
            for body in ["[]", "null", "7", "\"\"", "true"] {
                #expect(await IterablePlatform().post(path, body).code == "BadParams", "\(path) \(body)")
            }
        }
    }

    @Test(arguments: ["", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a@b\n"])
    func anAddressThatIsNoneIsSaidSo(address: String) async {
        let answer = await IterablePlatform().track("e", ["email": .string(address)])
        #expect(answer.status == 400)
        #expect(answer.code == "InvalidEmailAddressError")
    }

    @Test func sizeAndDepthHaveTheirLimits() async {
        let limit = EmulatorLimits().iterableRequestBytes
        let good = #"{"email":"a@b","eventName":"e"}"#
        let padding = String(repeating: " ", count: limit - good.utf8.count)
        #expect(await IterablePlatform().post("events/track", good + padding).status == 200)
        #expect(await IterablePlatform().post("events/track", good + padding + " ").code == "BadJsonBody")
        for (depth, status) in [(30, 200), (31, 400), (50_000, 400)] {
            let lists = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let body = #"{"email":"a@b","eventName":"e","dataFields":{"d":\#(lists)}}"#
            #expect(await IterablePlatform().post("events/track", body).status == status, "\(depth)")
        }
    }

    @Test(arguments: [[], [("Api-Key", "other")], [("Api-Key", "")], [("x-mp-key", IterablePlatform.key)]])
    func aKeyThatNoProjectHasIsBad(headers: [(String, String)]) async {
        let platform = IterablePlatform()
        for (path, method) in [("unknownuser/list", TransportRequest.Method.get), ("events/track", .post)] {
            let request = IterablePlatform.request(path, method: method, headers: headers)
            let response = await platform.emulator.handle(request)
            #expect(response.status == 401)
            #expect(response.body == Array(#"{"msg":"Invalid API key","code":"BadApiKey","params":null}"#.utf8))
        }
        #expect(platform.iterable.requests().isEmpty)
        #expect(platform.emulator.requestCounts().values.allSatisfy { $0 == 1 })
    }

    @Test func aKeyThatIsThereTwiceIsBad() async {
        let headers = IterablePlatform.headers() + [("api-key", IterablePlatform.key)]
        #expect(await IterablePlatform().get("unknownuser/list", headers: headers).status == 401)
    }

    @Test func aWrongMethodIsToldTheRightOne() async {
        let emulator = IterablePlatform().emulator
        for method in [TransportRequest.Method.get, .put, .delete] {
            let response = await emulator.handle(IterablePlatform.request("events/track", method: method))
            #expect(response.status == 405)
            #expect(response.headers["Allow"] == "POST")
        }
        let response = await emulator.handle(IterablePlatform.request("unknownuser/list", method: .post))
        #expect(response.status == 405)
        #expect(response.headers["Allow"] == "GET")
    }

    @Test func whoeverIsNotThereIsNotFound() async {
        let platform = IterablePlatform()
        // A user id makes a user only where that is asked for.
        #expect(await platform.track("e", ["userId": "u"]).code == "UnknownUserIdError")
        #expect(await platform.track("e", ["userId": "u", "preferUserId": false]).status == 404)
        #expect(await platform.update(["userId": "u"], [:]).code == "UnknownUserIdError")
        #expect(await platform.merge("u", into: ["destinationEmail": "a@b"]).status == 404)
        let change = #"{"currentEmail":"a@b","newEmail":"c@d"}"#
        #expect(await platform.post("users/updateEmail", change).code == "UnknownEmailError")
        #expect(await platform.post("users/disableDevice", #"{"token":"t","email":"a@b"}"#).code == "UnknownEmailError")
        #expect(await platform.post("users/disableDevice", #"{"token":"t"}"#).code == "NotFound")
        #expect(platform.iterable.users().isEmpty)
    }

    @Test func messagesDoNotRepeatValues() async {
        let platform = IterablePlatform()
        for path in Self.table.map(\.path) {
            for body in [#"{"hunter2":1}"#, #"{"userId":{"hunter2":1}}"#, #"{"user":"hunter2"}"#, "hunter2"] {
                #expect(await platform.post(path, body).message?.contains("hunter2") == false)
            }
        }
        #expect(await platform.track("e", ["email": "hunter2"]).message?.contains("hunter2") == false)
    }
}
