// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetTransport
import Testing

struct IterableRequestHandlerTests {
    private static let ann: JSONObject = ["email": "ann@example.com"]

    private static func document(_ ids: String...) -> String {
        #"{"count":\#(ids.count),"criteriaSets":[\#(ids.map { #"{"criteriaId":\#($0)}"# }.joined(separator: ","))]}"#
    }

    // MARK: Activation

    @Test func aCriterionThatTheProjectDoesNotHaveIsAConflict() async {
        let platform = IterablePlatform()
        platform.iterable.setCriteria(Self.document(#""1""#, #""2""#, "3"))
        for (id, status) in [(1, 200), (2, 200), (3, 200), (4, 409), (nil, 200)] as [(Int64?, Int)] {
            #expect(await platform.activate("u\(id ?? 0)", criteria: id).status == status)
        }
        platform.iterable.setCriteria(Self.document(#""4""#))
        #expect(await platform.activate("u4", criteria: 4).status == 200)
        #expect(await platform.activate("u1", criteria: 1).status == 409)
        #expect(platform.iterable.unknownUsers().count == 5)
    }

    @Test(arguments: ["", "no json", "[]", "{}", #"{"criteriaSets":{}}"#])
    func aDocumentWithoutCriteriaContradictsNothing(document: String) async {
        let platform = IterablePlatform()
        platform.iterable.setCriteria(document)
        #expect(await platform.activate("u", criteria: 7).status == 200)
    }

    @Test func theSameActivationAgainMakesNobodyElse() async {
        let platform = IterablePlatform()
        await platform.activate("u", fields: ["a": 1])
        #expect(await platform.activate("u", fields: ["a": 2]).status == 200)
        #expect(platform.iterable.unknownUsers().count == 1)
        #expect(platform.iterable.activations().map(\.isRepetition) == [false, true])
        #expect(platform.iterable.user(userID: "u")?.fields == ["a": .integer(2)])
    }

    @Test func notesOfAClientAreSeenInTheProfile() async {
        let platform = IterablePlatform()
        await platform.activate("u", fields: ["plan": "a", "eventType": "user", "eventTimeStamp": 1])
        #expect(platform.iterable.user(userID: "u")?.bookkeeping == ["eventType", "eventTimeStamp"])
        await platform.activate("v", fields: ["plan": "a"])
        #expect(platform.iterable.user(userID: "v")?.bookkeeping == [])
    }

    // MARK: Consent

    @Test func consentSaysWhetherTheUserWasThere() async {
        let platform = IterablePlatform()
        let body =
            #"{"consentTimestamp":5,"email":"ann@example.com","isUserKnown":true,"deviceInfo":{"deviceId":"d"}}"#
        #expect(await platform.post("unknownuser/consent", body).status == 200)
        platform.iterable.configure { $0.requiresUserForConsent = true }
        #expect(await platform.post("unknownuser/consent", body).status == 404)
        await platform.track("e", Self.ann)
        #expect(await platform.post("unknownuser/consent", body).status == 200)
        #expect(platform.iterable.consents().map(\.userExisted) == [false, true])
        #expect(platform.iterable.consents().map(\.number) == [1, 4])
        #expect(platform.iterable.users().count == 1)
    }

    // MARK: Fields

    @Test func nestedObjectsAreMergedOnlyWhenAskedFor() async {
        let rows: [(mergesNested: Bool, before: JSONObject, change: JSONObject, after: JSONObject)] = [
            (false, ["a": ["x": 1]], ["a": ["y": 2]], ["a": ["y": 2]]),
            (true, ["a": ["x": 1]], ["a": ["y": 2]], ["a": ["x": 1, "y": 2]]),
            (true, ["a": ["x": 1]], ["a": ["x": 2]], ["a": ["x": 2]]),
            (true, ["a": ["x": ["p": 1]]], ["a": ["x": ["q": 2]]], ["a": ["x": ["q": 2]]]),
            (true, ["a": ["x": 1]], ["a": 7], ["a": 7]), (true, ["a": 7], ["a": ["x": 1]], ["a": ["x": 1]]),
            (true, ["a": [1]], ["a": [2]], ["a": [2]]), (false, ["a": 1], ["b": 2], ["a": 1, "b": 2]),
            (false, ["a": 1], ["a": nil], ["a": nil]),
        ]
        for (number, row) in rows.enumerated() {
            let platform = IterablePlatform()
            await platform.update(Self.ann, row.before)
            #expect(await platform.update(Self.ann, row.change, mergesNested: row.mergesNested).status == 200)
            #expect(platform.iterable.user(email: "ann@example.com")?.json == row.after, "row \(number)")
        }
    }

    @Test func valuesKeepTheirTypes() async {
        let platform = IterablePlatform()
        await platform.update(Self.ann, ["i": 1, "d": 1.0, "t": true, "s": "1", "n": nil, "l": [1], "o": [:]])
        let user = platform.iterable.user(email: "ann@example.com")
        #expect(user?.fields == ["i": .integer(1), "d": .double(1), "t": .bool(true), "s": .string("1")])
        #expect(user?.fieldsJSON == #"{"i":1,"d":1.0,"t":true,"s":"1","n":null,"l":[1],"o":{}}"#)
    }

    // MARK: Events

    @Test func anEventWithAnIDIsOneEvent() async {
        let platform = IterablePlatform()
        await platform.track("first", ["email": "ann@example.com", "id": "1"])
        await platform.track("other", ["email": "ann@example.com", "id": "2"])
        await platform.track("corrected", ["email": "ann@example.com", "id": "1"])
        await platform.track("of another", ["email": "eve@example.com", "id": "1"])
        let events = platform.iterable.events()
        #expect(events.map(\.name) == ["corrected", "other", "of another"])
        #expect(events.map(\.deliveries) == [2, 1, 1])
        #expect(events.map(\.number) == [1, 2, 4])
        #expect(events.allSatisfy { !$0.isRepetition })
    }

    @Test func anEventThatCameTwiceIsSeen() async {
        let platform = IterablePlatform()
        await platform.track("e", Self.ann, at: 5)
        await platform.track("e", Self.ann, at: 6)
        await platform.track("e", Self.ann, at: 5)
        await platform.track("e", ["email": "eve@example.com"], at: 5)
        #expect(platform.iterable.events().map(\.isRepetition) == [false, false, true, false])
    }

    /// After a merge too: what the source said was said to the destination, and an id is one event's.
    @Test func whatAMergeBroughtIsKnownAgain() async {
        let platform = IterablePlatform()
        await platform.activate("u")
        await platform.track("e", ["userId": "u"], at: 5)
        await platform.track("one", ["userId": "u", "id": "1"])
        await platform.track("two", ["email": "ann@example.com", "id": "2"])
        await platform.merge("u", into: ["destinationEmail": "ann@example.com"])
        await platform.track("corrected", ["email": "ann@example.com", "id": "1"])
        await platform.track("corrected too", ["email": "ann@example.com", "id": "2"])
        #expect(platform.iterable.events().map(\.name) == ["e", "corrected", "corrected too"])
        #expect(platform.iterable.events().map(\.deliveries) == [1, 2, 2])
    }

    @Test func manyEventsOfOneUserAreTaken() async {
        let platform = IterablePlatform()
        for number in 0..<1000 {
            await platform.track("e", ["email": "ann@example.com", "id": .string("\(number)")])
        }
        for number in 0..<1000 { await platform.track("e", Self.ann, at: Int64(number % 999)) }
        let events = platform.iterable.events()
        #expect(events.count == 2000 && events.count(where: \.isRepetition) == 1)
    }

    @Test func theOrderOfAllRequestsIsKept() async {
        let platform = IterablePlatform()
        _ = await platform.get("unknownuser/list")
        await platform.activate("u")
        await platform.track("replayed", ["userId": "u"], at: 1_699_990_000)
        await platform.track("newer", ["userId": "u"])
        await platform.merge("u", into: ["destinationEmail": "ann@example.com"])
        let requests = platform.iterable.requests()
        #expect(requests.map(\.route) == [.criteria, .activation, .trackEvent, .trackEvent, .mergeUsers])
        #expect(requests.map(\.number) == [1, 2, 3, 4, 5])
        #expect(requests.map(\.user) == [nil, .userID("u"), .userID("u"), .userID("u"), .email("ann@example.com")])
        #expect(requests.map { $0.createdAt?.timeIntervalSince1970 }[2] == 1_699_990_000)
        #expect(requests.allSatisfy { $0.code == nil && $0.receivedAt == platform.time.date() })
        #expect(platform.iterable.events().map(\.number) == [3, 4])
        #expect(platform.iterable.merges().map(\.number) == [5])
    }

    // MARK: Addresses and devices

    @Test func anAddressBelongsToOneUser() async {
        let platform = IterablePlatform()
        func change(_ name: String, _ value: String, to email: String) async -> String? {
            await platform.post("users/updateEmail", #"{"\#(name)":"\#(value)","newEmail":"\#(email)"}"#).code
        }
        await platform.track("e", Self.ann)
        await platform.track("e", ["email": "eve@example.com"])
        #expect(await change("currentEmail", "ann@example.com", to: "eve@example.com") == "EmailAlreadyExists")
        #expect(await change("currentEmail", "ann@example.com", to: "ann@example.com") == "Success")
        #expect(await change("currentEmail", "ann@example.com", to: "anna@example.com") == "Success")
        // The answer was lost, so the client asks again.
        #expect(await change("currentEmail", "ann@example.com", to: "anna@example.com") == "UnknownEmailError")
        #expect(platform.iterable.users().map(\.email) == ["anna@example.com", "eve@example.com"])
        #expect(platform.iterable.events(of: .email("anna@example.com")).count == 1)
    }

    @Test func aDeviceIsDisabledForOneUserOrForAll() async {
        let platform = IterablePlatform()
        func states() -> [[Bool]] { platform.iterable.users().map { $0.devices.map(\.isEnabled) } }
        func register(_ user: String) async {
            let body = #"{"email":"\#(user)","device":{"token":"t","platform":"APNS","applicationName":"a"}}"#
            #expect(await platform.post("users/registerDeviceToken", body).status == 200)
        }
        await register("ann@example.com")
        await register("eve@example.com")
        #expect(await platform.post("users/disableDevice", #"{"token":"t","email":"ann@example.com"}"#).status == 200)
        #expect(await platform.post("users/disableDevice", #"{"token":"t","email":"ann@example.com"}"#).status == 200)
        #expect(states() == [[false], [true]])
        #expect(await platform.post("users/disableDevice", #"{"token":"t"}"#).status == 200)
        #expect(states() == [[false], [false]])
        await register("ann@example.com")
        #expect(states() == [[true], [false]])
        #expect(platform.iterable.users().map { $0.devices.map(\.registrations) } == [[2], [1]])
    }

    // MARK: Projects

    @Test func projectsShareNothing() async throws {
        var configuration = EmulatorConfiguration()
        configuration.iterableProjects = [
            EmulatedIterableProject(apiKey: "a"), EmulatedIterableProject(apiKey: "b", requiresTokens: true),
        ]
        let emulator = Emulator(configuration)
        let body = Array(#"{"email":"ann@example.com","eventName":"e"}"#.utf8)
        for (key, status) in [("a", 200), ("b", 401), ("c", 401)] {
            let request = IterablePlatform.request("events/track", body, headers: IterablePlatform.headers(key: key))
            #expect(await emulator.handle(request).status == status)
        }
        let second = try #require(emulator.iterable(in: "b"))
        #expect(emulator.iterable.apiKey == "a")
        #expect(emulator.iterable.users().count == 1)
        #expect(second.users().isEmpty)
        #expect(second.requests().map(\.status) == [401])
        #expect(emulator.iterable(in: "c") == nil)
        #expect(emulator.requestCounts() == ["events/track": 3])
    }

    @Test func withoutAProjectNobodyMayAsk() async {
        var configuration = EmulatorConfiguration()
        configuration.iterableProjects = []
        let emulator = Emulator(configuration)
        let request = IterablePlatform.request("unknownuser/list", method: .get, headers: [("Api-Key", "")])
        #expect(await emulator.handle(request).status == 401)
        emulator.iterable.setCriteria("x")
        #expect(emulator.iterable.users().isEmpty)
    }

    @Test func printingShowsNoNameAndNoContent() async {
        let platform = IterablePlatform()
        let user: JSONObject = ["email": "hunter2@example.com", "dataFields": ["hunter2": "hunter2"]]
        await platform.track("hunter2", user)
        await platform.update(["email": "hunter2@example.com"], ["hunter2": "hunter2"])
        let visitors = platform.iterable
        let texts = [
            "\(visitors.users())", "\(visitors.events())", "\(visitors.requests())", "\(visitors.project)",
            "\(EmulatedIterableUserID.email("hunter2"))",
        ]
        #expect(texts.allSatisfy { !$0.contains("hunter2") && !$0.contains("emulated-project-secret") })
    }
}
