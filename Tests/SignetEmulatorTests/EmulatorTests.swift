// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

struct EmulatorTests {
    private static let infobipTargets: [(EmulatorRoute, TransportRequest.Method, String)] = [
        (.createInstallation, .post, "appinstance"), (.fetchInstallation, .get, "appinstance/r"),
        (.updateInstallation, .patch, "appinstance/r"), (.expireInstallation, .delete, "appinstance/r"),
        (.fetchPerson, .get, "appinstance/r/user"), (.updatePerson, .patch, "appinstance/r/user"),
        (.personalize, .post, "appinstance/r/personalize"), (.depersonalize, .post, "appinstance/r/depersonalize"),
        (.repersonalize, .post, "appinstance/r/repersonalize"),
        (.customEvents, .post, "appinstance/r/user/events/custom"),
        (.sessionReports, .post, "appinstance/r/user/events/session"), (.baseURL, .get, "baseurl"),
    ]

    @Test func requestsAreCountedByRouteTheRefusedOnesToo() async {
        let platform = Platform(EmulatorConfiguration(mpids: .counting(from: 1)))
        for call in ["identify", "login", "logout", "search", "search"] {
            _ = await platform.resolve(call, ["ios_idfv": "v"])
        }
        _ = await platform.modify(1, "email", from: nil, to: "e")
        _ = await platform.post("/v1/identity/us1-emulated/alias", [:])
        _ = await platform.post("/v2/events", [:])
        _ = await platform.post("/v2/bulkevents", [:])
        _ = await platform.post("/v2/nothing", [:])
        for path in ["v3/JS/other/events", "v1/identity/other/Alias", "JS/v2/other/config", "v1/JS/other/Forwarding"] {
            _ = await platform.post("/" + path, [:])
        }
        let visitors = EmulatorRoute.allCases.map(\.rawValue).filter { $0.contains("/") }
        for path in visitors {
            _ = await platform.post("/api/" + path, [:])
        }
        let people = Self.infobipTargets.map(\.0.rawValue)
        for (route, method, path) in Self.infobipTargets {
            let request = InfobipPlatform.request(method, path, headers: InfobipPlatform.headers("r"))
            let answer = InfobipAnswer(await platform.emulator.handle(request))
            #expect(answer.messageID == nil ? route == .baseURL : answer.status == 400)
        }
        let counts = platform.emulator.requestCounts()
        #expect(
            counts.filter { !visitors.contains($0.key) && !people.contains($0.key) } == [
                "identify": 1, "login": 1, "logout": 1, "search": 2, "modify": 1, "alias": 1, "events": 1,
                "bulkevents": 1, "webEvents": 1, "webAlias": 1, "webConfiguration": 1, "forwarding": 1,
            ]
        )
        #expect((visitors + people).allSatisfy { counts[$0] == 1 })
        #expect(Set(counts.keys) == Set(EmulatorRoute.allCases.map(\.rawValue)))
    }

    @Test func usersAreListedInOrderOfTheirNumbers() async {
        let platform = Platform(EmulatorConfiguration(mpids: .listed([3, -1, 2])))
        for device in ["a", "b", "c"] {
            _ = await platform.resolve("identify", ["ios_idfv": device])
        }
        #expect(platform.emulator.users().map(\.mpid.rawValue) == [-1, 2, 3])
        #expect(platform.user(4) == nil)
        #expect(platform.events(4).isEmpty)
    }

    @Test func manyTasksAtOnceResolveToOneUserEach() async {
        let platform = Platform()
        let mpids = await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask { await platform.resolve("login", ["customerid": "c\(number % 20)"]).mpid }
            }
            return await group.reduce(into: Set<Int64?>()) { $0.insert($1) }
        }
        #expect(mpids.count == 20)
        #expect(platform.emulator.users().count == 20)
        #expect(platform.emulator.requestCounts() == ["login": 200])
    }

    @Test func twoEmulatorsShareNothing() async {
        let first = Platform()
        let second = Platform()
        _ = await first.resolve("login", ["customerid": "c"])
        first.emulator.faults.injectAlways(.connectionRefused)
        #expect(second.emulator.users().isEmpty)
        #expect(second.emulator.faults.remaining == 0)
        #expect(await second.resolve("search", ["customerid": "c"]).status == 404)
    }

    @Test func withoutClocksItUsesThoseOfTheMachine() async throws {
        let emulator = Emulator()
        emulator.faults.inject(.delay(.nanoseconds(1)))
        let body = Platform.identityBody(["customerid": "c"]).encoded()
        let response = try await emulator.transport.send(Platform.request("/v1/login", body))
        #expect(response.status == 200)
        #expect(emulator.users().count == 1)
    }

    @Test func printingAUserABatchOrAnEventShowsNoIdentityAndNoContent() async {
        let platform = Platform(EmulatorConfiguration(mpids: .counting(from: 1)))
        _ = await platform.resolve("login", ["customerid": "hunter2"])
        let event: JSONValue = ["event_type": "screen_view", "data": ["screen_name": "hunter2"]]
        let batch: JSONValue = [
            "environment": "development", "mpid": 1, "events": [event], "user_attributes": ["a": "hunter2"],
        ]
        #expect(await platform.post("/v2/events", batch).status == 202)
        let texts = [
            "\(platform.emulator.users())", "\(platform.events(1))", "\(platform.emulator.batches())",
        ]
        #expect(texts.allSatisfy { !$0.contains("hunter2") && $0.contains("1") })
    }
}
