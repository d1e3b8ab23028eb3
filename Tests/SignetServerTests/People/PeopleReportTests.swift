// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetServer
import SignetTestSupport
import SignetTransport
import Testing

/// The live page asks for people, for what is new on a timeline, and for reasons.
@Suite(.watched) struct PeopleReportTests {
    private static let json = ("Content-Type", "application/json")

    private static func get(_ path: String, from url: String) async throws -> JSONValue {
        try #require(try await HTTPConnection.send(.get, "/_signet/" + path, to: url)).json
    }

    private static func post(_ path: String, _ body: String, _ key: (String, String), to url: String) async throws {
        let answer = try await HTTPConnection.send(.post, path, body, headers: [Self.json, key], to: url)
        #expect(answer?.status == 200 || answer?.status == 202)
    }

    @Test func usersOfTwoServicesWithOneIdentityAreOnePerson() async throws {
        let emulator = Emulator(EmulatorConfiguration(mpids: .counting(from: 1)))
        try await EmulatorServer(emulator).serve { url async throws in
            try await Self.post("/v1/login", Requests.identity("c1"), Requests.basic, to: url)
            for user in ["c1", "x"] {
                let track = #"{"userId":"\#(user)","preferUserId":true,"eventName":"seen"}"#
                try await Self.post("/api/events/track", track, ("Api-Key", "emulated-project"), to: url)
            }
            let people = try await Self.get("people", from: url)
            #expect(people["found"]?.number?.int64 == 2)
            let members = people["people"]?.array?.map { $0["members"]?.array?.compactMap { $0["name"]?.string } ?? [] }
            #expect(Set(members ?? []) == [["1", "visitor-1"], ["visitor-2"]])
            let found = try await Self.get("people?q=C1", from: url)
            #expect(found["found"]?.number?.int64 == 1)
            #expect(found["people"]?.array?.first?["name"]?.string == "1")
        }
    }

    @Test func aTimelineHasWhatIsNewAndAnEventItsReasons() async throws {
        let emulator = Emulator(EmulatorConfiguration(mpids: .counting(from: 1)))
        try await EmulatorServer(emulator).serve { url async throws in
            try await Self.post("/v1/login", Requests.identity("c1"), Requests.basic, to: url)
            try await Self.post("/v2/events", Requests.batch("b1", customer: "c1"), Requests.basic, to: url)
            let first = try await Self.get("users/1/timeline", from: url)
            #expect(first["events"]?.array?.map { $0["number"]?.number?.int64 } == [1])
            #expect(first["events"]?.array?.first?["session"]?.string == "5")
            #expect(first["facts"]?.array?.map { $0["kind"]?.string } == ["login"])
            try await Self.post("/v2/events", Requests.batch("b2", customer: "c1"), Requests.basic, to: url)
            let next = try await Self.get("users/1/timeline?after=1&facts=9", from: url)
            #expect(next["events"]?.array?.map { $0["number"]?.number?.int64 } == [2])
            #expect(next["total"]?.number?.int64 == 2 && next["facts"]?.array?.isEmpty == true)
            let reasons = try await Self.get("explain?event=2&user=1", from: url)
            #expect(reasons["name"]?.string == "seen")
            #expect(reasons["steps"]?.array?.contains { $0["title"]?.string == "login with customerid c1" } == true)
            for path in ["explain?event=9", "explain?event=2&user=8", "explain", "users/9/timeline"] {
                #expect(try await HTTPConnection.send(.get, "/_signet/" + path, to: url)?.status == 404, "\(path)")
            }
        }
    }
}
#endif
