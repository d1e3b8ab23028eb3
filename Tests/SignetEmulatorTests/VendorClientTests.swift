// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

/// Requests as the vendors' own clients send them, written by hand.
struct VendorClientTests {
    // MARK: mParticle

    private static func events(_ events: String, mpid: String = "1") -> [UInt8] {
        Array(#"{"environment":"development","mpid":\#(mpid),"events":[\#(events)]}"#.utf8)
    }

    /// The clients for Ruby and Go: a session has a UUID only, and an attribute may have any single value.
    @Test(arguments: [
        #"{"event_type":"session_start","data":{}}"#,
        #"{"event_type":"session_start","data":{"session_uuid":"00000000-0000-4000-8000-000000000001"}}"#,
        #"{"event_type":"session_start","data":{"session_id":null}}"#,
        #"{"event_type":"custom_event","data":{"event_name":"e","custom_event_type":"other","#
            + #""custom_attributes":{"text":"t","whole":3,"part":1.5,"yes":true,"none":null}}}"#,
    ])
    func whatTheSchemaOfTheEventsAPITakesIsTaken(event: String) async {
        let platform = Platform()
        for (path, body) in [
            ("/v2/events", Self.events(event)),
            ("/v2/bulkevents", Array("[".utf8) + Self.events(event) + Array("]".utf8)),
        ] {
            #expect(await platform.emulator.handle(Platform.request(path, body)).status == 202)
        }
        #expect(platform.events(1).count == 2)
        #expect(platform.emulator.refusedBatches().isEmpty)
    }

    @Test func anAttributeThatIsNoTextIsShownAsText() async {
        let platform = Platform()
        let event =
            #"{"event_type":"first_run","data":{"custom_attributes":{"a":"t","b":3,"c":1.5,"d":true,"e":null}}}"#
        #expect(await platform.emulator.handle(Platform.request("/v2/events", Self.events(event))).status == 202)
        #expect(platform.events(1).first?.customAttributes == ["a": "t", "b": "3", "c": "1.5", "d": "true"])
    }

    /// The client for Android: an alias has the key in its path and no `x-mp-key`.
    @Test func anAliasMayNameTheKeyInItsPathOnly() async {
        let platform = Platform(EmulatorConfiguration(mpids: .counting(from: 1)))
        #expect(await platform.resolve("identify", ["device_application_stamp": "d"]).mpid == 1)
        #expect(await platform.resolve("login", ["customerid": "c"]).mpid == 2)
        let body: JSONValue = [
            "request_type": "alias", "api_key": "us1-emulated", "environment": "development",
            "data": ["source_mpid": 1, "destination_mpid": 2],
        ]
        for (path, key, status) in [
            ("/v1/identity/us1-emulated/alias", nil, 202), ("/v1/identity/us1-other/alias", nil, 401),
            ("/v1/identity/us1-emulated/alias", "us1-other", 401), ("/v1/identity//alias", nil, 401),
        ] as [(String, String?, Int)] {
            let signed = Platform.signed(path, body.encoded(), at: platform.time.milliseconds)
            let fields = signed.headers.filter { $0.name != "x-mp-key" && $0.name != "Content-Type" }
            let headers = fields.map { ($0.name, $0.value) } + (key.map { [("x-mp-key", $0)] } ?? [])
            let request = Platform.request(path, body.encoded(), headers: headers)
            #expect(await platform.emulator.handle(request).status == status, "\(path) \(key ?? "")")
            // The key alone proves nothing, in the path as in the header.
            let unsigned = Platform.request(path, body.encoded(), headers: key.map { [("x-mp-key", $0)] } ?? [])
            #expect(await platform.emulator.handle(unsigned).status == 401, "\(path) \(key ?? "")")
        }
        let identify = Platform.signed("/v1/identify", Platform.identityBody(["email": "e"]).encoded(), at: 0)
        let headers = identify.headers.filter { $0.name != "x-mp-key" && $0.name != "Content-Type" }
        let request = Platform.request("/v1/identify", identify.body, headers: headers.map { ($0.name, $0.value) })
        #expect(await platform.emulator.handle(request).status == 401)
    }

    // MARK: Iterable

    /// The client for browsers: `preferUserId` is not among the members of an activation.
    @Test func anUnknownUserIsCreatedWithoutAPreferenceAndMerged() async throws {
        let platform = IterablePlatform()
        let body =
            #"{"user":{"userId":"u","mergeNestedObjects":true,"createNewFields":true,"dataFields":{"plan":"free"}},"#
            + #""createdAt":1700000000,"deviceInfo":{"deviceId":"d","platform":"Web","appPackageName":"shop.example"},"#
            + #""unknownSessionContext":{"totalUnknownSessionCount":1,"lastUnknownSession":1699999990,"#
            + #""firstUnknownSession":1699999000}}"#
        #expect(await platform.post("unknownuser/events/session", body).status == 200)
        #expect(platform.iterable.unknownUsers().map(\.userID) == ["u"])
        #expect(await platform.merge("u", into: ["destinationEmail": "ann@example.com"]).status == 200)
        let user = try #require(platform.iterable.user(email: "ann@example.com"))
        #expect(user.json == ["plan": "free"])
    }

    @Test func aPurchaseEmptiesTheCart() async {
        let platform = IterablePlatform()
        let items = #""items":[{"id":"i","name":"n","price":1,"quantity":1}]"#
        let user = #""user":{"email":"a@x.io"}"#
        #expect(await platform.post("commerce/updateCart", "{\(user),\(items)}").status == 200)
        #expect(platform.iterable.user(email: "a@x.io")?.cart.map(\.id) == ["i"])
        #expect(await platform.track("looked", ["email": "a@x.io"]).status == 200)
        #expect(platform.iterable.user(email: "a@x.io")?.cart.map(\.id) == ["i"])
        #expect(await platform.post("commerce/trackPurchase", #"{\#(user),"total":1,\#(items)}"#).status == 200)
        #expect(platform.iterable.user(email: "a@x.io")?.cart.isEmpty == true)
        #expect(platform.iterable.events().map(\.kind) == [.cart, .custom, .purchase])
        #expect(await platform.post("commerce/updateCart", "{\(user),\(items)}").status == 200)
        #expect(platform.iterable.user(email: "a@x.io")?.cart.map(\.id) == ["i"])
    }

    /// Documented: a purchase and a cart change the user's fields as `users/update` does.
    @Test(arguments: ["commerce/trackPurchase", "commerce/updateCart"])
    func theUserOfACommerceCallIsUpdated(path: String) async {
        let platform = IterablePlatform()
        let rest = path == "commerce/updateCart" ? #""items":[]}"# : #""total":1,"items":[]}"#
        let first = #"{"user":{"email":"a@x.io","dataFields":{"name":"Ann","shoe":{"size":40}}},"# + rest
        #expect(await platform.post(path, first).status == 200)
        let merging =
            #"{"user":{"email":"a@x.io","mergeNestedObjects":true,"dataFields":{"shoe":{"kind":"boot"}}},"# + rest
        #expect(await platform.post(path, merging).status == 200)
        #expect(
            platform.iterable.user(email: "a@x.io")?.json == ["name": "Ann", "shoe": ["size": 40, "kind": "boot"]]
        )
        let replacing = #"{"user":{"email":"a@x.io","dataFields":{"shoe":{"kind":"clog"}}},"# + rest
        #expect(await platform.post(path, replacing).status == 200)
        #expect(platform.iterable.user(email: "a@x.io")?.json == ["name": "Ann", "shoe": ["kind": "clog"]])
        // A user who does not exist, and must, gets no fields.
        let nobody = #"{"user":{"userId":"u","dataFields":{"name":"Ben"}},"# + rest
        #expect(await platform.post(path, nobody).status == 404)
        #expect(platform.iterable.user(userID: "u") == nil)
    }

    @Test(arguments: [#""7""#, "7", "null", #""""#]) func aCampaignOfAPurchaseMayBeText(campaign: String) async {
        let body = #"{"user":{"email":"a@x.io"},"total":1,"items":[],"campaignId":\#(campaign)}"#
        #expect(await IterablePlatform().post("commerce/trackPurchase", body).status == 200)
    }

    /// A client for Go sends both members, one of them empty.
    @Test func anEmptyAddressBesideAnIDCountsAsAbsent() async {
        let platform = IterablePlatform()
        #expect(await platform.track("e", ["userId": "g", "preferUserId": true]).status == 200)
        let body = #"{"currentEmail":"","currentUserId":"g","newEmail":"g@x.io"}"#
        #expect(await platform.post("users/updateEmail", body).status == 200)
        #expect(platform.iterable.user(email: "g@x.io")?.userID == "g")
        let alone = await platform.post("users/updateEmail", #"{"currentEmail":"","newEmail":"h@x.io"}"#)
        #expect(alone.status == 400 && alone.code == "InvalidEmailAddressError")
    }

    /// A client for Python always sends `merge`.
    @Test func aNewAddressMergesTwoUsersOnlyWhereThatIsRequested() async {
        let platform = IterablePlatform()
        for (name, email) in [("first", "a@x.io"), ("second", "b@x.io")] {
            #expect(await platform.track(name, ["email": .string(email)]).status == 200)
        }
        func change(to email: String, merges: Bool) async -> IterableAnswer {
            let body: JSONValue = [
                "currentEmail": "a@x.io", "newEmail": .string(email), "merge": .bool(merges),
            ]
            return await platform.post("users/updateEmail", body)
        }
        #expect(await change(to: "a@x.io", merges: true).status == 200)
        #expect(await change(to: "b@x.io", merges: false).code == "EmailAlreadyExists")
        #expect(platform.iterable.users().count == 2)
        #expect(await change(to: "b@x.io", merges: true).status == 200)
        #expect(platform.iterable.users().map(\.email) == ["b@x.io"])
        #expect(platform.iterable.events(of: .email("b@x.io")).map(\.name) == ["first", "second"])
        #expect(platform.iterable.merges().map(\.outcome) == [.merged])
    }
}
