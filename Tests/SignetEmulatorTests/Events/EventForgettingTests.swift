// SPDX-License-Identifier: Apache-2.0

import SignetModel
import SignetTestSupport
import SignetTransport
import Testing

@testable import SignetEmulator

/// A platform that remembers the last events only (`keptEvents`), and users all the same.
@Suite struct EventForgettingTests {
    private static func platform(keeping limit: Int?) -> Platform {
        var configuration = EmulatorConfiguration(mpids: .counting(from: 1))
        configuration.keptEvents = limit
        configuration.aliasDelay = .seconds(1)
        return Platform(configuration)
    }

    private static func batch(_ number: Int, mpid: Int64, events: Int = 1) -> JSONValue {
        let event: JSONValue = [
            "event_type": "custom_event",
            "data": ["event_name": .string("e\(number)"), "custom_event_type": "other"],
        ]
        return [
            "environment": "development", "mpid": .number(JSONNumber(mpid)),
            "source_request_id": .string("b\(number)"), "user_attributes": ["last": .number(JSONNumber(Int64(number)))],
            "events": .array(Array(repeating: event, count: events)),
        ]
    }

    @Test(arguments: [1, 7, 10, 64]) func theLastEventsAreRememberedAndUsersAlways(limit: Int) async {
        let platform = Self.platform(keeping: limit)
        for number in 1...200 {
            #expect(await platform.post("/v2/events", Self.batch(number, mpid: Int64(number % 3 + 1))).status == 202)
            #expect(platform.emulator.batches().count == min(number, limit))
        }
        #expect(platform.emulator.batches().map(\.requestID) == (201 - limit...200).map { "b\($0)" })
        for mpid in 1...3 {
            let names = platform.events(Int64(mpid)).compactMap(\.name)
            #expect(names == (201 - limit...200).filter { $0 % 3 + 1 == mpid }.map { "e\($0)" })
            #expect(platform.user(Int64(mpid))?.attributes["last"] != nil)
        }
        #expect(platform.emulator.totals().events.events == 200)
    }

    @Test(arguments: [Int.max, .max - 1, .max / 2 + 1]) func aLimitThatNobodyReachesForgetsNothing(limit: Int) async {
        let platform = Self.platform(keeping: limit)
        for number in 1...40 { _ = await platform.post("/v2/events", Self.batch(number, mpid: 1)) }
        #expect(platform.events(1).count == 40)
        var recent = RingBuffer<Int>(limit: limit)
        for number in 1...40 { #expect(recent.append(number) == nil) }
        #expect(recent.all == Array(1...40))
    }

    @Test func withoutALimitNothingIsForgotten() async {
        let platform = Self.platform(keeping: nil)
        for number in 1...200 { _ = await platform.post("/v2/events", Self.batch(number, mpid: 1)) }
        #expect(platform.events(1).count == 200)
    }

    @Test func batchesAreForgottenWholeAndTheNewestNever() async {
        let platform = Self.platform(keeping: 10)
        for (number, events) in [(1, 6), (2, 6), (3, 3), (4, 1), (5, 0), (6, 40)] {
            _ = await platform.post("/v2/events", Self.batch(number, mpid: 1, events: events))
            #expect(platform.events(1).count >= min(10, number == 1 ? 6 : 10))
        }
        #expect(platform.emulator.batches().map(\.eventCount) == [40])
    }

    @Test func aBatchIsRecognisedUntilItIsForgotten() async {
        let platform = Self.platform(keeping: 3)
        for number in 1...10 { _ = await platform.post("/v2/events", Self.batch(number, mpid: 1)) }
        _ = await platform.post("/v2/events", Self.batch(9, mpid: 1))
        #expect(platform.emulator.batches().map(\.deliveries) == [1, 2, 1])
        _ = await platform.post("/v2/events", Self.batch(1, mpid: 1))
        #expect(platform.events(1).compactMap(\.name) == ["e9", "e10", "e1"])
        #expect(platform.emulator.totals().events.repetitions == 1)
    }

    @Test func refusedBatchesAreBoundedToo() async {
        let platform = Self.platform(keeping: 20)
        for _ in 0..<500 { _ = await platform.post("/v2/events", ["environment": "nowhere"]) }
        #expect((20...41).contains(platform.emulator.refusedBatches().count))
        #expect(platform.emulator.totals().events.refused == 500)
    }

    @Test func whatAnAliasCopiedIsForgottenWithItsSource() async {
        let platform = Self.platform(keeping: 5)
        for device in ["d1", "d2"] { _ = await platform.resolve("identify", ["device_application_stamp": device]) }
        for number in 1...3 { _ = await platform.post("/v2/events", Self.batch(number, mpid: 1)) }
        let alias: JSONValue = [
            "request_type": "alias", "request_id": "a", "environment": "development", "api_key": "us1-emulated",
            "data": ["source_mpid": 1, "destination_mpid": 2],
        ]
        let answer = await platform.post("/v1/identity/us1-emulated/alias", alias)
        #expect(answer.status == 202, "\(answer.errorMessage ?? "")")
        platform.time.advance(by: .seconds(2))
        #expect(platform.events(2).count == 3)
        for number in 4...40 { _ = await platform.post("/v2/events", Self.batch(number, mpid: 3)) }
        #expect(platform.events(1).isEmpty && platform.events(2).isEmpty)
        #expect(platform.events(3).count == 5)
    }

    @Test func requestsOfVisitorsAndTheirEventsAreBounded() async {
        let platform = Self.platform(keeping: 20)
        for number in 1...500 {
            let body: JSONValue = [
                "userId": "u", "preferUserId": true, "eventName": .string("e\(number)"),
                "dataFields": ["n": .number(JSONNumber(Int64(number)))],
            ]
            let request = Platform.request(
                "/api/events/track",
                body.encoded(),
                headers: [("Api-Key", "emulated-project")]
            )
            #expect(await platform.emulator.handle(request).status == 200)
        }
        let visitors = platform.emulator.iterable
        #expect((20...41).contains(visitors.requests().count))
        #expect((20...41).contains(visitors.events(of: .userID("u")).count))
        #expect(visitors.events(of: .userID("u")).last?.name == "e500")
        #expect(visitors.requests().last?.number == 500)
        #expect(visitors.users().count == 1)
    }
}
