//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

import FoundationEssentials
import SignetEmulator
import SignetModel
import SignetTransport
import Testing

struct VisitorDeskTests {
    private static let ann: JSONObject = ["email": "ann@example.com"]

    private static func document(_ ids: String...) -> String {
        #"{"count":\#(ids.count),"criteriaSets":[\#(ids.map { #"{"criteriaId":\#($0)}"# }.joined(separator: ","))]}"#
    }

    // MARK: Activation

    @Test func aCriterionThatTheProjectDoesNotHaveIsAConflict() async {
        let platform = VisitorPlatform()
        platform.visitors.setCriteria(Self.document(#""1""#, #""2""#, "3"))
        for (id, status) in [(1, 200), (2, 200), (3, 200), (4, 409), (nil, 200)] as [(Int64?, Int)] {
            #expect(await platform.activate("u\(id ?? 0)", criteria: id).status == status)
        }
        platform.visitors.setCriteria(Self.document(#""4""#))
        #expect(await platform.activate("u4", criteria: 4).status == 200)
        #expect(await platform.activate("u1", criteria: 1).status == 409)
        #expect(platform.visitors.unknownUsers().count == 5)
    }

    @Test(arguments: ["", "no json", "[]", "{}", #"{"criteriaSets":{}}"#])
    func aDocumentWithoutCriteriaContradictsNothing(document: String) async {
        let platform = VisitorPlatform()
        platform.visitors.setCriteria(document)
        #expect(await platform.activate("u", criteria: 7).status == 200)
    }

    @Test func theSameActivationAgainMakesNobodyElse() async {
        let platform = VisitorPlatform()
        await platform.activate("u", fields: ["a": 1])
        #expect(await platform.activate("u", fields: ["a": 2]).status == 200)
        #expect(platform.visitors.unknownUsers().count == 1)
        #expect(platform.visitors.activations().map(\.isRepetition) == [false, true])
        #expect(platform.visitors.user(userID: "u")?.fields == ["a": .integer(2)])
    }

    @Test func notesOfAClientAreSeenInTheProfile() async {
        let platform = VisitorPlatform()
        await platform.activate("u", fields: ["plan": "a", "eventType": "user", "eventTimeStamp": 1])
        #expect(platform.visitors.user(userID: "u")?.bookkeeping == ["eventType", "eventTimeStamp"])
        await platform.activate("v", fields: ["plan": "a"])
        #expect(platform.visitors.user(userID: "v")?.bookkeeping == [])
    }

    // MARK: Consent

    @Test func consentSaysWhetherTheUserWasThere() async {
        let platform = VisitorPlatform()
        let body =
            #"{"consentTimestamp":5,"email":"ann@example.com","isUserKnown":true,"deviceInfo":{"deviceId":"d"}}"#
        #expect(await platform.post("unknownuser/consent", body).status == 200)
        platform.visitors.configure { $0.requiresUserForConsent = true }
        #expect(await platform.post("unknownuser/consent", body).status == 404)
        await platform.track("e", Self.ann)
        #expect(await platform.post("unknownuser/consent", body).status == 200)
        #expect(platform.visitors.consents().map(\.userExisted) == [false, true])
        #expect(platform.visitors.consents().map(\.number) == [1, 4])
        #expect(platform.visitors.users().count == 1)
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
            let platform = VisitorPlatform()
            await platform.update(Self.ann, row.before)
            #expect(await platform.update(Self.ann, row.change, mergesNested: row.mergesNested).status == 200)
            #expect(platform.visitors.user(email: "ann@example.com")?.json == row.after, "row \(number)")
        }
    }

    @Test func valuesKeepTheirTypes() async {
        let platform = VisitorPlatform()
        await platform.update(Self.ann, ["i": 1, "d": 1.0, "t": true, "s": "1", "n": nil, "l": [1], "o": [:]])
        let user = platform.visitors.user(email: "ann@example.com")
        #expect(user?.fields == ["i": .integer(1), "d": .double(1), "t": .bool(true), "s": .string("1")])
        #expect(user?.fieldsJSON == #"{"i":1,"d":1.0,"t":true,"s":"1","n":null,"l":[1],"o":{}}"#)
    }

    // MARK: Events

    @Test func anEventWithAnIDIsOneEvent() async {
        let platform = VisitorPlatform()
        await platform.track("first", ["email": "ann@example.com", "id": "1"])
        await platform.track("other", ["email": "ann@example.com", "id": "2"])
        await platform.track("corrected", ["email": "ann@example.com", "id": "1"])
        await platform.track("of another", ["email": "eve@example.com", "id": "1"])
        let events = platform.visitors.events()
        #expect(events.map(\.name) == ["corrected", "other", "of another"])
        #expect(events.map(\.deliveries) == [2, 1, 1])
        #expect(events.map(\.number) == [1, 2, 4])
        #expect(events.allSatisfy { !$0.isRepetition })
    }

    @Test func anEventThatCameTwiceIsSeen() async {
        let platform = VisitorPlatform()
        await platform.track("e", Self.ann, at: 5)
        await platform.track("e", Self.ann, at: 6)
        await platform.track("e", Self.ann, at: 5)
        await platform.track("e", ["email": "eve@example.com"], at: 5)
        #expect(platform.visitors.events().map(\.isRepetition) == [false, false, true, false])
    }

    /// After a merge too: what the source said was said to the destination, and an id is one event's.
    @Test func whatAMergeBroughtIsKnownAgain() async {
        let platform = VisitorPlatform()
        await platform.activate("u")
        await platform.track("e", ["userId": "u"], at: 5)
        await platform.track("one", ["userId": "u", "id": "1"])
        await platform.track("two", ["email": "ann@example.com", "id": "2"])
        await platform.merge("u", into: ["destinationEmail": "ann@example.com"])
        await platform.track("corrected", ["email": "ann@example.com", "id": "1"])
        await platform.track("corrected too", ["email": "ann@example.com", "id": "2"])
        #expect(platform.visitors.events().map(\.name) == ["e", "corrected", "corrected too"])
        #expect(platform.visitors.events().map(\.deliveries) == [1, 2, 2])
    }

    @Test func manyEventsOfOneUserAreTaken() async {
        let platform = VisitorPlatform()
        for number in 0..<1000 {
            await platform.track("e", ["email": "ann@example.com", "id": .string("\(number)")])
        }
        for number in 0..<1000 { await platform.track("e", Self.ann, at: Int64(number % 999)) }
        let events = platform.visitors.events()
        #expect(events.count == 2000 && events.count(where: \.isRepetition) == 1)
    }

    @Test func theOrderOfAllRequestsIsKept() async {
        let platform = VisitorPlatform()
        _ = await platform.get("unknownuser/list")
        await platform.activate("u")
        await platform.track("replayed", ["userId": "u"], at: 1_699_990_000)
        await platform.track("newer", ["userId": "u"])
        await platform.merge("u", into: ["destinationEmail": "ann@example.com"])
        let requests = platform.visitors.requests()
        #expect(requests.map(\.route) == [.criteria, .activation, .trackEvent, .trackEvent, .mergeUsers])
        #expect(requests.map(\.number) == [1, 2, 3, 4, 5])
        #expect(requests.map(\.user) == [nil, .userID("u"), .userID("u"), .userID("u"), .email("ann@example.com")])
        #expect(requests.map { $0.createdAt?.timeIntervalSince1970 }[2] == 1_699_990_000)
        #expect(requests.allSatisfy { $0.code == nil && $0.receivedAt == platform.time.date() })
        #expect(platform.visitors.events().map(\.number) == [3, 4])
        #expect(platform.visitors.merges().map(\.number) == [5])
    }

    // MARK: Addresses and devices

    @Test func anAddressBelongsToOneUser() async {
        let platform = VisitorPlatform()
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
        #expect(platform.visitors.users().map(\.email) == ["anna@example.com", "eve@example.com"])
        #expect(platform.visitors.events(of: .email("anna@example.com")).count == 1)
    }

    @Test func aDeviceIsDisabledForOneUserOrForAll() async {
        let platform = VisitorPlatform()
        func states() -> [[Bool]] { platform.visitors.users().map { $0.devices.map(\.isEnabled) } }
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
        #expect(platform.visitors.users().map { $0.devices.map(\.registrations) } == [[2], [1]])
    }

    // MARK: Projects

    @Test func projectsShareNothing() async throws {
        var configuration = EmulatorConfiguration()
        configuration.visitorProjects = [
            EmulatedProject(apiKey: "a"), EmulatedProject(apiKey: "b", requiresTokens: true),
        ]
        let emulator = Emulator(configuration)
        let body = Array(#"{"email":"ann@example.com","eventName":"e"}"#.utf8)
        for (key, status) in [("a", 200), ("b", 401), ("c", 401)] {
            let request = VisitorPlatform.request("events/track", body, headers: VisitorPlatform.headers(key: key))
            #expect(await emulator.handle(request).status == status)
        }
        let second = try #require(emulator.visitors(in: "b"))
        #expect(emulator.visitors.apiKey == "a")
        #expect(emulator.visitors.users().count == 1)
        #expect(second.users().isEmpty)
        #expect(second.requests().map(\.status) == [401])
        #expect(emulator.visitors(in: "c") == nil)
        #expect(emulator.requestCounts() == ["events/track": 3])
    }

    @Test func withoutAProjectNobodyMayAsk() async {
        var configuration = EmulatorConfiguration()
        configuration.visitorProjects = []
        let emulator = Emulator(configuration)
        let request = VisitorPlatform.request("unknownuser/list", method: .get, headers: [("Api-Key", "")])
        #expect(await emulator.handle(request).status == 401)
        emulator.visitors.setCriteria("x")
        #expect(emulator.visitors.users().isEmpty)
    }

    @Test func printingShowsNoNameAndNoContent() async {
        let platform = VisitorPlatform()
        let user: JSONObject = ["email": "hunter2@example.com", "dataFields": ["hunter2": "hunter2"]]
        await platform.track("hunter2", user)
        await platform.update(["email": "hunter2@example.com"], ["hunter2": "hunter2"])
        let visitors = platform.visitors
        let texts = [
            "\(visitors.users())", "\(visitors.events())", "\(visitors.requests())", "\(visitors.project)",
            "\(EmulatedVisitorID.email("hunter2"))",
        ]
        #expect(texts.allSatisfy { !$0.contains("hunter2") && !$0.contains("emulated-project-secret") })
    }
}
