// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetTransport
import Testing

/// Requests word for word as the documentation and the vendor's client have them: each is taken, and means what it says.
struct GoldenIterableRequestTests {
    private static let uuid = "5E6D1F1C-54E5-4C7A-9A0B-0E6E0B9F3E11"

    @Test func theCriteriaAreGivenOutWordForWord() async {
        let platform = IterablePlatform()
        for document in [#"{ "count":1, "criteriaSets": [ {"criteriaId":"1"} ] }"#, "", "no json", "[1,"] {
            platform.iterable.setCriteria(document)
            // The vendor's client attaches an empty query.
            let response = await platform.get("unknownuser/list?")
            #expect(response.status == 200)
            #expect(response.body == Array(document.utf8))
            #expect(response.headers["Content-Type"]?.hasPrefix("application/json") == true)
        }
        #expect(platform.emulator.requestCounts() == ["unknownuser/list": 4])
    }

    @Test func anUnknownUserIsMade() async throws {
        let platform = IterablePlatform()
        platform.iterable.setCriteria(#"{"count":1,"criteriaSets":[{"criteriaId":"285"}]}"#)
        let answer = await platform.post(
            "unknownuser/events/session",
            """
            {"user":{"userId":"\(Self.uuid)","preferUserId":true,"mergeNestedObjects":true,"createNewFields":true,
            "dataFields":{"plan":"gold","age":31}},"createdAt":1700000000,
            "deviceInfo":{"deviceId":"D1","platform":"iOS","appPackageName":"com.example.shop"},
            "unknownSessionContext":{"totalUnknownSessionCount":3,"lastUnknownSession":1699999990,
            "firstUnknownSession":1699990000,"matchedCriteriaId":285,"mobilePushOptIn":"com.example.shop"}}
            """
        )
        #expect(answer.status == 200)
        #expect(answer.code == "Success")
        let user = try #require(platform.iterable.user(userID: Self.uuid))
        #expect(user.isUnknown)
        #expect(user.fields == ["plan": .string("gold"), "age": .integer(31)])
        let activation = try #require(platform.iterable.activations().first)
        #expect(activation.matchedCriteriaID == 285)
        #expect(activation.totalSessions == 3)
        #expect(activation.firstSession.timeIntervalSince1970 == 1_699_990_000)
        #expect(activation.lastSession.timeIntervalSince1970 == 1_699_999_990)
        #expect(activation.pushOptIn == "com.example.shop")
        #expect(activation.deviceID == "D1")
        #expect(!activation.isRepetition)
    }

    @Test(arguments: [("email", "ann@example.com", true), ("userId", uuid, false)])
    func consentIsNoted(key: String, value: String, isKnown: Bool) async throws {
        let platform = IterablePlatform()
        let answer = await platform.post(
            "unknownuser/consent",
            """
            {"consentTimestamp":1699999999123,"\(key)":"\(value)","isUserKnown":\(isKnown),"createdAt":1700000000,
            "deviceInfo":{"deviceId":"D1","platform":"iOS","appPackageName":""}}
            """
        )
        #expect(answer.status == 200)
        let consent = try #require(platform.iterable.consents().first)
        #expect(consent.user == (key == "email" ? .email(value) : .userID(value)))
        #expect(consent.consentedAt.timeIntervalSince1970 == 1_699_999_999.123)
        #expect(consent.isUserKnown == isKnown)
        #expect(!consent.userExisted)
        #expect(consent.createdAt?.timeIntervalSince1970 == 1_700_000_000)
    }

    @Test func aCustomEventIsTakenAsTrackedAndAsReplayed() async throws {
        let platform = IterablePlatform()
        let tracked =
            #"{"email":"ann@example.com","eventName":"opened","dataFields":{"a":{"b":[1]}},"createdAt":1700000000}"#
        let replayed = """
            {"userId":"\(Self.uuid)","preferUserId":true,"eventName":"closed","createdAt":1699990000,"createNewFields":true,
            "dataFields":{"n":1.5,"flag":true},"eventTimeStamp":1699990000}
            """
        #expect(await platform.post("events/track", tracked).status == 200)
        #expect(await platform.post("events/track", replayed).status == 200)
        let events = platform.iterable.events()
        #expect(events.map(\.name) == ["opened", "closed"])
        #expect(events.map(\.kind) == [.custom, .custom])
        #expect(events[1].createdAt?.timeIntervalSince1970 == 1_699_990_000)
        #expect(events[1].fields == ["n": .double(1.5), "flag": .bool(true)])
        #expect(events.map(\.bookkeeping) == [[], ["eventTimeStamp"]])
        #expect(platform.iterable.events(of: .userID(Self.uuid)) == [events[1]])
    }

    @Test func aPurchaseIsTaken() async throws {
        let platform = IterablePlatform()
        let answer = await platform.post(
            "commerce/trackPurchase",
            """
            {"user":{"userId":"\(Self.uuid)"},"preferUserId":true,"total":42.5,"createdAt":1699990000,"dataFields":{"c":"d"},
            "campaignId":7,"templateId":8,"items":[{"id":"i","name":"Boots","price":21.25,"quantity":2,"sku":"s",
            "description":"warm","url":"https://e.x","imageUrl":"https://e.x/i","categories":["shoes"],
            "dataFields":{"size":42}}]}
            """
        )
        #expect(answer.status == 200)
        let event = try #require(platform.iterable.events(of: .userID(Self.uuid)).first)
        #expect(event.kind == .purchase)
        #expect(event.total == 42.5)
        #expect(event.createdAt?.timeIntervalSince1970 == 1_699_990_000)
        let item = try #require(event.items.first)
        #expect(item.id == "i" && item.name == "Boots" && item.price == 21.25 && item.quantity == 2)
        #expect(item.sku == "s" && item.itemDescription == "warm" && item.url == "https://e.x")
        #expect(item.imageURL == "https://e.x/i" && item.categories == ["shoes"])
        #expect(item.fields == ["size": .integer(42)])
    }

    @Test(arguments: [
        #"{"user":{"email":"ann@example.com"},"items":[{"id":"i","name":"n","price":1,"quantity":1}],"createdAt":1}"#,
        #"{"user":{"userId":"u"},"preferUserId":true,"items":[{"id":"i","name":"n","price":1,"quantity":1}]}"#,
        #"{"user":{"userId":"u","preferUserId":true},"items":[{"id":"i","name":"n","price":1.0,"quantity":1}]}"#,
    ])
    func aCartIsTakenFromAnyOfTheVendorsClients(body: String) async {
        let platform = IterablePlatform()
        #expect(await platform.post("commerce/updateCart", body).status == 200)
        #expect(platform.iterable.users().map(\.cart.first?.id) == ["i"])
        #expect(platform.iterable.events().map(\.kind) == [.cart])
    }

    @Test func aUserIsUpdatedAndGetsAnotherAddress() async {
        let platform = IterablePlatform()
        let update =
            #"{"userId":"u","preferUserId":true,"mergeNestedObjects":false,"dataFields":{"a":1},"createdAt":1700000000}"#
        #expect(await platform.post("users/update", update).status == 200)
        let first = #"{"currentUserId":"u","newEmail":"a@example.com","createdAt":1700000000}"#
        #expect(await platform.post("users/updateEmail", first).status == 200)
        let second = #"{"currentEmail":"a@example.com","newEmail":"b@example.com"}"#
        #expect(await platform.post("users/updateEmail", second).status == 200)
        #expect(platform.iterable.user(email: "a@example.com") == nil)
        #expect(platform.iterable.user(email: "b@example.com")?.userID == "u")
        #expect(platform.iterable.user(email: "b@example.com")?.fieldsJSON == #"{"a":1}"#)
    }

    @Test func aDeviceIsRegisteredAndDisabled() async throws {
        let platform = IterablePlatform()
        let register = """
            {"email":"ann@example.com","device":{"token":"0aff","platform":"APNS_SANDBOX","applicationName":"com.example",
            "dataFields":{"deviceId":"D1","notificationsEnabled":true,"systemName":"iOS",
            "mobileFrameworkInfo":{"frameworkType":"native","iterableSdkVersion":"6.7.3"}}},"createdAt":1700000000}
            """
        #expect(await platform.post("users/registerDeviceToken", register).status == 200)
        let device = try #require(platform.iterable.user(email: "ann@example.com")?.devices.first)
        #expect(device.token == "0aff" && device.platform == "APNS_SANDBOX" && device.isEnabled)
        #expect(device.fields["notificationsEnabled"] == .bool(true))
        let disable = #"{"token":"0aff","email":"ann@example.com","createdAt":1700000000}"#
        #expect(await platform.post("users/disableDevice", disable).status == 200)
        #expect(platform.iterable.user(email: "ann@example.com")?.devices.map(\.isEnabled) == [false])
    }

    @Test func theRemoteConfigurationIsWhatTheProjectSays() async {
        let platform = IterablePlatform()
        let path =
            "mobile/getRemoteConfiguration?platform=iOS&systemVersion=18.0&SDKVersion=6.7.3&packageName=com.example"
        #expect(await platform.get(path).body == Array(#"{"offlineMode":false}"#.utf8))
        platform.iterable.configure {
            $0.offlineMode = true
            $0.autoRetry = false
        }
        #expect(await platform.get(path).body == Array(#"{"offlineMode":true,"autoRetry":false}"#.utf8))
        #expect(await platform.get("mobile/getRemoteConfiguration?platform=iOS&SDKVersion=1").status == 400)
    }

    @Test func theDocumentedHeadersAreInOrderAndOthersAreSaid() async {
        let platform = IterablePlatform()
        _ = await platform.get("unknownuser/list")
        _ = await platform.get("unknownuser/list", headers: [("Api-Key", IterablePlatform.key)])
        var headers = IterablePlatform.headers()
        headers[4] = ("Sent-At", "yesterday")
        headers[5] = ("SDK-Request-Processor", "online")
        _ = await platform.get("unknownuser/list", headers: headers)
        let requests = platform.iterable.requests()
        #expect(requests.map(\.status) == [200, 200, 200])
        #expect(requests[0].headerFaults == [])
        #expect(requests[0].sentAt?.timeIntervalSince1970 == 1_700_000_000)
        #expect(
            requests[1].headerFaults == [
                "Content-Type", "SDK-Platform", "SDK-Version", "Sent-At", "SDK-Request-Processor",
            ]
        )
        #expect(requests[2].headerFaults == ["Sent-At", "SDK-Request-Processor"])
    }
}
