// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

struct IterableMergeTests {
    private static let ann: JSONObject = ["email": "ann@example.com"]
    private static let intoAnn: JSONObject = ["destinationEmail": "ann@example.com"]
    private static let unknown: JSONObject = ["userId": "u"]

    @Test func theDestinationWinsAndObjectsAreNotCombined() async throws {
        let platform = IterablePlatform()
        await platform.activate("u", fields: ["plan": "free", "city": "Kyiv", "home": ["a": 1, "b": 2], "none": 1])
        await platform.update(Self.ann, ["plan": "gold", "home": ["a": 9], "age": 31, "none": nil])
        #expect(await platform.merge("u", into: Self.intoAnn).status == 200)
        let user = try #require(platform.iterable.user(email: "ann@example.com"))
        #expect(user.json == ["plan": "gold", "city": "Kyiv", "home": ["a": 9], "age": 31, "none": nil])
        #expect(user.mergedFrom == [.userID("u")])
        #expect(!user.isUnknown)
        #expect(user.userID == nil)
    }

    @Test func theSourceIsGoneAndItsEventsDevicesAndCartAreTheDestinations() async throws {
        let platform = IterablePlatform()
        await platform.activate("u")
        await platform.track("one", Self.unknown)
        await platform.track("two", Self.ann)
        await platform.track("three", Self.unknown)
        for (user, token) in [(#""userId":"u""#, "a"), (#""userId":"u""#, "b"), (#""email":"ann@example.com""#, "b")] {
            let body = #"{\#(user),"device":{"token":"\#(token)","platform":"APNS","applicationName":"a"}}"#
            #expect(await platform.post("users/registerDeviceToken", body).status == 200)
        }
        let cart = #"{"user":{"userId":"u"},"items":[{"id":"i","name":"n","price":1,"quantity":1}]}"#
        #expect(await platform.post("commerce/updateCart", cart).status == 200)
        await platform.merge("u", into: Self.intoAnn)
        #expect(platform.iterable.user(userID: "u") == nil)
        #expect(platform.iterable.unknownUsers().isEmpty)
        #expect(platform.iterable.events(of: .userID("u")).isEmpty)
        let events = platform.iterable.events(of: .email("ann@example.com"))
        #expect(events.map(\.name) == ["one", "two", "three", nil])
        #expect(events.map(\.mergedFrom) == [.userID("u"), nil, .userID("u"), .userID("u")])
        #expect(events.map(\.user) == [.userID("u"), .email("ann@example.com"), .userID("u"), .userID("u")])
        let user = try #require(platform.iterable.user(email: "ann@example.com"))
        #expect(user.devices.map(\.token) == ["b", "a"])
        #expect(user.cart.map(\.id) == ["i"])
        #expect(platform.iterable.merges().map(\.outcome) == [.merged])
    }

    @Test func theDestinationKeepsACartOfItsOwn() async throws {
        let platform = IterablePlatform()
        await platform.activate("u")
        for (user, item) in [(#""userId":"u""#, "theirs"), (#""email":"ann@example.com""#, "mine")] {
            let cart = #"{"user":{\#(user)},"items":[{"id":"\#(item)","name":"n","price":1,"quantity":1}]}"#
            #expect(await platform.post("commerce/updateCart", cart).status == 200)
        }
        await platform.merge("u", into: Self.intoAnn)
        #expect(platform.iterable.user(email: "ann@example.com")?.cart.map(\.id) == ["mine"])
    }

    @Test(arguments: [
        ("destinationEmail", "ann@example.com", EmulatedIterableUserID.email("ann@example.com")),
        ("destinationUserId", "ann", .userID("ann")),
    ])
    func withoutADestinationTheSourceIsRenamed(key: String, name: String, id: EmulatedIterableUserID) async throws {
        let platform = IterablePlatform()
        await platform.activate("u", fields: ["plan": "free"])
        await platform.track("one", Self.unknown)
        #expect(await platform.merge("u", into: [key: .string(name)]).status == 200)
        #expect(platform.iterable.users().count == 1)
        let user = try #require(platform.iterable.user(id))
        #expect(user.json == ["plan": "free"])
        #expect(!user.isUnknown)
        #expect(user.email == nil || user.userID == nil)
        #expect(user.mergedFrom == [.userID("u")])
        #expect(platform.iterable.user(userID: "u") == nil)
        #expect(platform.iterable.events(of: id).map(\.name) == ["one"])
        #expect(platform.iterable.merges().map(\.outcome) == [.renamed])
    }

    @Test func aSecondMergeFindsNoSource() async {
        let platform = IterablePlatform()
        await platform.activate("u")
        #expect(await platform.merge("u", into: Self.intoAnn).status == 200)
        let answer = await platform.merge("u", into: Self.intoAnn)
        #expect(answer.status == 404)
        #expect(answer.code == "UnknownUserIdError")
        #expect(platform.iterable.merges().count == 1)
        #expect(platform.iterable.requests(on: .mergeUsers).map(\.status) == [200, 404])
        #expect(platform.emulator.requestCounts()["users/merge"] == 2)
    }

    @Test func aSourceByAddressGoesToo() async {
        let platform = IterablePlatform()
        await platform.track("one", Self.ann)
        let body = #"{"sourceEmail":"ann@example.com","destinationUserId":"v"}"#
        #expect(await platform.post("users/merge", body).status == 200)
        #expect(platform.iterable.users().map(\.userID) == ["v"])
    }

    @Test func twoNamesOfOneUserAreNotTwoUsers() async {
        let platform = IterablePlatform()
        await platform.activate("u")
        #expect(
            await platform.post("users/updateEmail", #"{"currentUserId":"u","newEmail":"ann@example.com"}"#).status
                == 200
        )
        #expect(await platform.merge("u", into: Self.intoAnn).status == 400)
        #expect(platform.iterable.user(userID: "u")?.email == "ann@example.com")
    }

    @Test func allNamesOfTheSourceAreGone() async {
        let platform = IterablePlatform()
        await platform.activate("u")
        #expect(
            await platform.post("users/updateEmail", #"{"currentUserId":"u","newEmail":"old@example.com"}"#).status
                == 200
        )
        await platform.track("e", Self.ann)
        #expect(await platform.merge("u", into: Self.intoAnn).status == 200)
        #expect(platform.iterable.user(email: "old@example.com") == nil)
        #expect(
            platform.iterable.user(email: "ann@example.com")?.mergedFrom == [.email("old@example.com"), .userID("u")]
        )
    }

    @Test func whatComesTooLateForASourceIsSeen() async {
        let platform = IterablePlatform()
        await platform.activate("u")
        #expect(platform.iterable.users().map(\.isResurrected) == [false])
        await platform.merge("u", into: Self.intoAnn)
        #expect(await platform.track("late", Self.unknown).status == 404)
        #expect(await platform.track("late", ["userId": "u", "preferUserId": true]).status == 200)
        #expect(platform.iterable.user(userID: "u")?.isResurrected == true)
        #expect(platform.iterable.user(email: "ann@example.com")?.isResurrected == false)
    }

    @Test func chainsOfMergesRememberEverybody() async {
        let platform = IterablePlatform()
        for user in ["a", "b", "c"] {
            await platform.activate(user, fields: [user: 1, "last": .string(user)])
            await platform.track(user, ["userId": .string(user)])
        }
        await platform.merge("a", into: ["destinationUserId": "b"])
        await platform.merge("b", into: ["destinationUserId": "c"])
        let user = platform.iterable.user(userID: "c")
        #expect(user?.mergedFrom == [.userID("a"), .userID("b")])
        #expect(user?.json == ["c": 1, "last": "c", "b": 1, "a": 1])
        #expect(platform.iterable.events(of: .userID("c")).map(\.mergedFrom) == [.userID("a"), .userID("b"), nil])
    }
}
