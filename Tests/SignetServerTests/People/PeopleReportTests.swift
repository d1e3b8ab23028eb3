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
            let fields = try await Self.get("events/2?user=1", from: url)
            #expect(fields["data"] == reasons["data"] && fields["steps"]?.array == nil)
            for path in [
                "events/9", "events/2?user=8", "people/9", "people/visitor-1", "explain?event=9",
                "explain?event=2&user=8", "explain", "users/9/timeline",
            ] {
                #expect(try await HTTPConnection.send(.get, "/_signet/" + path, to: url)?.status == 404, "\(path)")
            }
        }
    }

    @Test func aPageOfPeopleBeginsWhereTheOneBeforeEnded() async throws {
        let emulator = Emulator(EmulatorConfiguration(mpids: .counting(from: 1)))
        try await EmulatorServer(emulator).serve { url async throws in
            for number in 1...103 {
                try await Self.post("/v1/login", Requests.identity("c\(number)"), Requests.basic, to: url)
            }
            var names: [String] = []
            for (from, count) in [("0", 100), ("100", 3), ("200", 0), ("-1", 100), ("9223372036854775807", 0)] {
                let page = try await Self.get("people?q=&from=\(from)", from: url)
                let people = try #require(page["people"]?.array)
                #expect(page["found"]?.number?.int64 == 103 && people.count == count, "\(from)")
                if ["0", "100"].contains(from) { names += people.compactMap { $0["name"]?.string } }
            }
            #expect(Set(names).count == 103)
        }
    }

    @Test func aPersonIsFoundByTheNameOfAnyOfItsUsers() async throws {
        let emulator = Emulator(EmulatorConfiguration(mpids: .counting(from: 1)))
        try await EmulatorServer(emulator).serve { url async throws in
            try await Self.post("/v1/login", Requests.identity("c1"), Requests.basic, to: url)
            let track = #"{"userId":"c1","preferUserId":true,"eventName":"seen"}"#
            try await Self.post("/api/events/track", track, ("Api-Key", "emulated-project"), to: url)
            for name in ["1", "visitor-1"] {
                let person = try await Self.get("people/" + name, from: url)
                #expect(person["name"]?.string == "1", "\(name)")
                #expect(person["members"]?.array?.compactMap { $0["name"]?.string } == ["1", "visitor-1"], "\(name)")
            }
        }
    }

    // A placeholder and nanoseconds say nothing.
    @Test(arguments: [(1_763_596_800_000, true), (1, false), (1_763_596_800_000_000_000, false)])
    func anIdentityCallStandsAtTheClientsTime(sent: Int64, isTaken: Bool) async throws {
        let emulator = Emulator(EmulatorConfiguration(mpids: .counting(from: 1)))
        try await EmulatorServer(emulator).serve { url async throws in
            let login = Requests.identity("c1")
                .replacing(#""request_timestamp_ms":1,"#, with: #""request_timestamp_ms":\#(sent),"#)
            try await Self.post("/v1/login", login, Requests.basic, to: url)
            let fact = try #require(try await Self.get("users/1/timeline", from: url)["facts"]?.array?.first)
            let received = try #require(fact["received"]?.number?.int64)
            #expect(fact["time"]?.number?.int64 == (isTaken ? sent : received))
            #expect(received != sent)
        }
    }

    @Test func aRowNamesWhatChangedAndTheBrowser() async throws {
        let emulator = Emulator(EmulatorConfiguration(mpids: .counting(from: 1)))
        try await EmulatorServer(emulator).serve { url async throws in
            let login = Requests.identity("c1").replacing(
                #""customerid":"c1""#,
                with: #""device_application_stamp":"d","customerid":"c1","email":"a@example.com""#
            )
            try await Self.post("/v1/login", login, Requests.basic, to: url)
            let new = #"{"identity_type":"email","identity":"a@example.com","timestamp_unixtime_ms":1}"#
            let events = [
                #"{"event_type":"user_attribute_change","data":{"user_attribute_name":"plan","new":"gold","old":null}}"#,
                #"{"event_type":"user_attribute_change","data":{"user_attribute_name":"plan","new":null,"old":"gold","deleted":true}}"#,
                #"{"event_type":"user_attribute_change","data":{"user_attribute_name":"tags","new":["a","b"],"old":null}}"#,
                #"{"event_type":"user_identity_change","data":{"new":\#(new),"old":null}}"#,
                #"{"event_type":"user_identity_change","data":{"new":null,"old":\#(new)}}"#,
            ]
            let device = #""device_info":{"http_header_user_agent":"Browser/1"}"#
            let batch =
                #"{"environment":"development","mpid":1,\#(device),"events":[\#(events.joined(separator: ","))]}"#
            try await Self.post("/v2/events", batch, Requests.basic, to: url)
            let timeline = try await Self.get("users/1/timeline", from: url)
            #expect(
                timeline["events"]?.array?.map { $0["name"]?.string }
                    == ["plan gold", "plan, removed", #"tags ["a","b"]"#, "email a@example.com", "email, removed"]
            )
            #expect(timeline["batches"]?["0"]?["agent"]?.string == "Browser/1")
            #expect(
                timeline["facts"]?.array?.map { $0["title"]?.string }
                    == ["customerid c1, email a@example.com, device_application_stamp d"]
            )
        }
    }
}
#endif
