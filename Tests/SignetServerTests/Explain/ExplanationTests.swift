// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTransport
import Testing

@testable import SignetServer

/// An explanation names the facts that put an event where it is.
@Suite(.watched) struct ExplanationTests {
    /// A platform whose time stands still until it is moved, and its requests.
    private struct World {
        let emulator: Emulator

        init(keeping limit: Int? = nil) {
            var configuration = EmulatorConfiguration(mpids: .counting(from: 1))
            configuration.keptEvents = limit
            self.emulator = Emulator(configuration)
        }

        func send(_ path: String, _ body: String) -> TransportResponse {
            var request = TransportRequest(method: .post, url: "http://emulator" + path)
            request.headers.append(name: "Content-Type", value: "application/json")
            request.headers.append(name: Requests.basic.0, value: Requests.basic.1)
            request.body = Array(body.utf8)
            return self.emulator.answer(request)
        }

        func batch(_ id: String, mpid: Int, events: String, more: String = "") -> TransportResponse {
            self.send(
                "/v2/events",
                #"{"environment":"development","source_request_id":"\#(id)","mpid":\#(mpid),\#(more)"events":[\#(events)]}"#
            )
        }

        func explanation(of number: Int, user: Int64) throws -> Explanation {
            let user = try #require(MPID(rawValue: user))
            let (events, batches, _) = self.emulator.recordedEvents(of: user, after: 0)
            let event = try #require(events.first { $0.number == number })
            return Explanation(
                Explanation.Evidence(
                    event: event,
                    batch: batches[event.batch],
                    session: self.emulator.recordedEvents(inSessionOf: event.event),
                    facts: self.emulator.facts(),
                    aliases: self.emulator.aliases(),
                    user: self.emulator.user(user)
                )
            )
        }
    }

    // Later than the requests of the test, which arrive at the machine's time.
    private static let later: Int64 = 4_000_000_000_000

    private static func event(_ type: String, _ more: String = "", at time: Int64 = later) -> String {
        #"{"event_type":"\#(type)","data":{"timestamp_unixtime_ms":\#(time),"session_id":7\#(more)}}"#
    }

    private static let custom = event("custom_event", #","event_name":"seen","custom_event_type":"other""#)

    @Test func theStepsSayHowTheUserBecameCurrentAndHowTheBatchCame() throws {
        let world = World()
        #expect(world.send("/v1/identify", Requests.identity("d1")).status == 200)
        #expect(world.send("/v1/login", Requests.identity("c1", previous: "1")).status == 200)
        let consent =
            #""consent_state":{"gdpr":{"ads":{"consented":false,"timestamp_unixtime_ms":1},"analytics":{"consented":true,"timestamp_unixtime_ms":1}}},"ip":"192.0.2.1","#
        let launch = #","application_transition_type":"application_initialized""#
        let before = [
            Self.event("session_start", at: Self.later - 20),
            Self.event("application_state_transition", launch, at: Self.later - 10),
        ]
        #expect(world.batch("b0", mpid: 1, events: before.joined(separator: ",")).status == 202)
        let events = Self.custom + "," + Self.event("session_end", #","session_duration_ms":30"#, at: Self.later + 10)
        #expect(world.batch("b1", mpid: 2, events: events, more: consent).status == 202)
        #expect(world.batch("b1", mpid: 2, events: events, more: consent).status == 202)
        let steps = try world.explanation(of: 3, user: 2).steps
        #expect(steps.first?.kind == .launch && steps.first?.time == Self.later - 10)
        #expect(
            steps.filter { $0.kind == .identity }.map(\.title)
                == ["identify with device_application_stamp d1", "login with customerid c1"]
        )
        let login = try #require(steps.last { $0.kind == .identity })
        #expect(login.title == "login with customerid c1" && login.detail == "200: new known user 2")
        #expect(steps.filter { $0.kind == .session }.map(\.time) == [Self.later - 20, Self.later + 10])
        #expect(steps.first { $0.kind == .session }?.detail == "session 7, 4 events, 2 users were current in it")
        #expect(steps.first { $0.kind == .consent }?.detail == "ads denied, analytics granted")
        #expect(steps.first { $0.kind == .context }?.detail == "address 192.0.2.1")
        #expect(steps.first { $0.kind == .batch }?.detail == "batch b1, development, 2 deliveries")
        let answers = steps.filter { $0.kind == .attempt }.map(\.detail)
        #expect(answers == ["202: accepted", "202: known already, its events do not count again"])
    }

    @Test func aRefusedAttemptIsSaidBeforeTheOneThatWasAccepted() throws {
        let world = World()
        #expect(world.batch("b1", mpid: 2, events: #"{"event_type":"nonsense"}"#).status == 400)
        #expect(world.batch("b1", mpid: 2, events: Self.custom).status == 202)
        let steps = try world.explanation(of: 1, user: 2).steps
        let answers = steps.filter { $0.kind == .attempt }.map(\.detail)
        #expect(answers.count == 2 && answers.first?.hasPrefix("400: ") == true && answers.last == "202: accepted")
    }

    @Test func theCallThatMadeAnotherUserCurrentIsTheLastStep() throws {
        let world = World()
        #expect(world.send("/v1/login", Requests.identity("c1")).status == 200)
        #expect(
            world.batch("b1", mpid: 1, events: Self.event("screen_view", #","screen_name":"a""#, at: 1)).status == 202
        )
        #expect(world.send("/v1/logout", Requests.identity("d1", previous: "1")).status == 200)
        let last = try #require(try world.explanation(of: 1, user: 1).steps.last)
        #expect(last.kind == .left && last.title == "Later: logout with device_application_stamp d1")
    }

    @Test func anEventWithoutSessionAndConsentSaysSo() throws {
        let world = World()
        let event = #"{"event_type":"screen_view","data":{"screen_name":"a"}}"#
        #expect(world.batch("b1", mpid: 1, events: event).status == 202)
        let steps = try world.explanation(of: 1, user: 1).steps
        #expect(steps.first { $0.kind == .session }?.title == "The event belongs to no session")
        #expect(steps.first { $0.kind == .consent }?.detail == "the batch carries none")
    }

    @Test func anEventBeforeTheFirstUserIsNotSaidToBeOfTheCurrentOne() throws {
        let world = World()
        #expect(world.send("/v1/identify", Requests.identity("d1")).status == 200)
        let event = Self.event("screen_view", #","screen_name":"a""#, at: 1)
        #expect(world.batch("b1", mpid: 1, events: event).status == 202)
        let steps = try world.explanation(of: 1, user: 1).steps
        #expect(steps.first { $0.kind == .event }?.title == "The event was logged before user 1 was current")
        #expect(steps.filter { $0.kind == .identity }.map(\.title) == ["identify with device_application_stamp d1"])
    }

    @Test func anEventOfATraceBelongsToTheUserOfTheTracesTime() throws {
        let world = World()
        let noon: Int64 = 1_763_640_000_000
        func identity(_ customer: String, previous: String? = nil, at time: Int64) -> String {
            Requests.identity(customer, previous: previous)
                .replacing(#""request_timestamp_ms":1,"#, with: #""request_timestamp_ms":\#(time),"#)
        }
        #expect(world.send("/v1/login", identity("c1", at: noon)).status == 200)
        #expect(world.send("/v1/logout", identity("d1", previous: "1", at: noon + 20)).status == 200)
        let event = Self.event("screen_view", #","screen_name":"a""#, at: noon + 10)
        #expect(world.batch("b1", mpid: 1, events: event).status == 202)
        let steps = try world.explanation(of: 1, user: 1).steps
        #expect(steps.first { $0.kind == .event }?.title == "The event was logged while user 1 was current")
        #expect(steps.first { $0.kind == .identity }?.time == noon)
        #expect(steps.last?.kind == .left && steps.last?.time == noon + 20)
    }

    @Test func aLogOutOnAnotherDeviceEndsNothingHere() throws {
        let world = World()
        let (d1, d2) = ("d1000000-0000-4000-8000-000000000001", "d2000000-0000-4000-8000-000000000002")
        func login(_ device: String) -> String {
            let stamp = #""device_application_stamp":"\#(device)","#
            return Requests.identity("c1").replacing(#""customerid""#, with: stamp + #""customerid""#)
        }
        #expect(world.send("/v1/login", login(d1)).status == 200)
        #expect(world.send("/v1/login", login(d2)).status == 200)
        let event = Self.event("screen_view", #","screen_name":"a""#, at: 1)
        #expect(world.batch("b1", mpid: 1, events: event, more: #""mp_deviceid":"\#(d1)","#).status == 202)
        #expect(world.send("/v1/logout", Requests.identity(d2, previous: "1")).status == 200)
        let steps = try world.explanation(of: 1, user: 1).steps
        #expect(!steps.contains { $0.kind == .left })
        #expect(world.send("/v1/logout", Requests.identity(d1, previous: "1")).status == 200)
        #expect(try world.explanation(of: 1, user: 1).steps.last?.kind == .left)
    }

    @Test func forgottenRequestsAreSaidToBeForgotten() throws {
        let world = World(keeping: 1)
        #expect(world.send("/v1/login", Requests.identity("c1")).status == 200)
        for number in 0..<3 { #expect(world.batch("b\(number)", mpid: 1, events: Self.custom).status == 202) }
        let user = try #require(MPID(rawValue: 1))
        let last = try #require(world.emulator.recordedEvents(of: user, after: 0).events.last)
        let steps = try world.explanation(of: last.number, user: 1).steps
        #expect(steps.first { $0.kind == .identity }?.title == "Earlier requests are forgotten")
        #expect(steps.last?.title == "An attempt reached the platform")
    }
}
#endif
