// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

struct EventRequestHandlerTests {
    private static func event(_ name: String, _ more: JSONObject = [:]) -> JSONValue {
        var data: JSONObject = ["custom_event_type": "other", "event_name": .string(name)]
        for (key, value) in more {
            data[key] = value
        }
        return ["event_type": "custom_event", "data": .object(data)]
    }

    private static func batch(_ id: String?, mpid: Int64 = 1, _ events: [JSONValue]) -> JSONValue {
        var batch: JSONObject = [
            "environment": "development", "mpid": .number(JSONNumber(mpid)), "events": .array(events),
        ]
        batch["source_request_id"] = id.map(JSONValue.string)
        return .object(batch)
    }

    // MARK: Events

    @Test func anEventKeepsWhatItCameWith() async {
        let platform = Platform()
        let data: JSONObject = [
            "session_id": 1_700_000_000_001, "session_uuid": "00000000-0000-4000-8000-000000000001",
            "timestamp_unixtime_ms": 1_700_000_000_002, "source_message_id": "m", "custom_attributes": ["a": "b"],
            "evnet_num": 4,
        ]
        #expect(await platform.post("/v2/events", Self.batch("b", [Self.event("Go", data)])).status == 202)
        let event = platform.events(1)[0]
        #expect(event.type == "custom_event")
        #expect(event.mpid.rawValue == 1)
        #expect(event.name == "Go")
        #expect(event.sessionID == 1_700_000_000_001)
        #expect(event.sessionUUID == "00000000-0000-4000-8000-000000000001")
        #expect(event.timestamp == 1_700_000_000_002)
        #expect(event.messageID == "m")
        #expect(event.customAttributes == ["a": "b"])
        #expect(event.batchID == "b")
        #expect(event.copiedFrom == nil)
        #expect(event.undocumentedMembers == ["evnet_num"])
        #expect(event.data["evnet_num"] == 4)
    }

    @Test func aBatchSaysWhereItsEventsComeFrom() async throws {
        let platform = Platform()
        var batch = try #require(Self.batch("b", [Self.event("Go")]).object)
        batch["ip"] = "2001:db8::1"
        batch["device_info"] = ["http_header_user_agent": "UA", "push_token": "t", "screen_width": 800]
        batch["application_info"] = ["application_version": "9"]
        #expect(await platform.post("/v2/events", .object(batch)).status == 202)
        let taken = try #require(platform.emulator.batches().first)
        #expect(taken.ip == "2001:db8::1")
        #expect(taken.deviceInfo == ["http_header_user_agent": "UA", "push_token": "t"])
        #expect(taken.applicationInfo == ["application_version": "9"])
    }

    @Test func namesAndAmountsAreWhereEachTypeHasThem() async {
        let platform = Platform()
        let events: [JSONValue] = [
            ["event_type": "screen_view", "data": ["screen_name": "Home", "event_name": "no"]],
            ["event_type": "commerce_event", "data": ["product_action": ["action": "purchase", "total_amount": 9.5]]],
            Self.event(String(repeating: "é", count: 300)),
        ]
        #expect(await platform.post("/v2/events", Self.batch(nil, events)).status == 202)
        #expect(platform.events(1).map(\.name) == ["Home", nil, String(repeating: "é", count: 256)])
        #expect(platform.events(1).map(\.totalAmount) == [nil, 9.5, nil])
    }

    @Test func aTimeThatIsMissingIsThatOfTheBatchOrOfTheArrival() async {
        let platform = Platform()
        var timed = Self.batch(nil, [Self.event("a")]).object ?? JSONObject()
        timed["timestamp_unixtime_ms"] = 5
        #expect(await platform.post("/v2/events", .object(timed)).status == 202)
        #expect(await platform.post("/v2/events", Self.batch(nil, [Self.event("b")])).status == 202)
        #expect(platform.events(1).map(\.timestamp) == [5, ManualTime.start])
    }

    // MARK: Users

    @Test func attributesAreKeptAndRemoved() async {
        let platform = Platform()
        let first: JSONValue = [
            "environment": "development", "mpid": 1,
            "user_attributes": [
                "plan": "gold", "visits": 3, "score": 0.5, "vip": true, "tag": nil, "sizes": ["s", 42], "gone": "x",
            ],
        ]
        let second: JSONValue = [
            "environment": "development", "mpid": 1, "user_attributes": ["plan": "silver", "both": "set"],
            "deleted_user_attributes": ["gone", "both", "never there"],
        ]
        #expect(await platform.post("/v2/events", first).status == 202)
        #expect(await platform.post("/v2/events", second).status == 202)
        let user = platform.user(1)
        #expect(user?.attributes == ["plan": "silver", "visits": 3, "score": 0.5, "vip": true, "both": "set"])
        #expect(user?.attributeLists == ["sizes": ["s", 42]])
        #expect(user?.attributeTags == ["tag"])
    }

    @Test func aBatchForAnUnknownNumberMakesAUserWithoutIdentities() async {
        let platform = Platform(EmulatorConfiguration(mpids: .counting(from: 77)))
        #expect(await platform.post("/v2/events", Self.batch(nil, mpid: 77, [])).status == 202)
        #expect(platform.user(77)?.isOrphaned == true)
        #expect(await platform.resolve("identify", ["ios_idfv": "v"]).mpid == 78)
    }

    @Test func aBatchWithIdentitiesOnlyIsResolvedAsIdentifyDoes() async {
        let platform = Platform(EmulatorConfiguration(mpids: .counting(from: 1)))
        _ = await platform.resolve("login", ["customerid": "7"])
        let batch: JSONValue = [
            "environment": "production", "user_identities": ["customer_id": 7, "other_id_2": "o"],
            "events": [Self.event("Go")],
        ]
        #expect(await platform.post("/v2/events", batch).status == 202)
        #expect(platform.events(1).map(\.name) == ["Go"])
        #expect(platform.record(1) == ["customerid": ["7"], "other2": ["o"]])
    }

    @Test func aBatchMovesLastSeen() async {
        let platform = Platform(EmulatorConfiguration(mpids: .counting(from: 1)))
        _ = await platform.resolve("identify", ["ios_idfv": "v"])
        platform.time.advance(by: .seconds(3))
        _ = await platform.post("/v2/events", Self.batch(nil, []))
        #expect(platform.user(1)?.lastSeen == platform.time.date())
    }

    // MARK: Once

    @Test func aBatchThatComesAgainCountsOnce() async {
        let platform = Platform()
        for _ in 1...3 {
            #expect(await platform.post("/v2/events", Self.batch("b", [Self.event("Go")])).status == 202)
        }
        #expect(platform.events(1).count == 1)
        #expect(platform.emulator.batches().map(\.deliveries) == [3])
        #expect(platform.emulator.batches().map(\.contentChanged) == [false])
    }

    @Test func anotherContentUnderTheSameIdIsReportedAndNotTaken() async {
        let platform = Platform()
        _ = await platform.post("/v2/events", Self.batch("b", [Self.event("Go")]))
        _ = await platform.post("/v2/events", Self.batch("b", mpid: 2, [Self.event("Stop")]))
        #expect(platform.emulator.batches().map(\.contentChanged) == [true])
        #expect(platform.emulator.batches()[0].json["mpid"] == 1)
        #expect(platform.events(1).map(\.name) == ["Go"])
        #expect(platform.events(2).isEmpty)
    }

    @Test func batchesWithoutAnIdAreAllTaken() async {
        let platform = Platform()
        for id in [nil, nil, "", ""] as [String?] {
            _ = await platform.post("/v2/events", Self.batch(id, [Self.event("Go")]))
        }
        #expect(platform.events(1).count == 4)
    }

    @Test func aRefusedBatchMayComeAgainMended() async {
        let platform = Platform()
        #expect(await platform.post("/v2/events", Self.batch("b", [["event_type": "party"]])).status == 400)
        #expect(await platform.post("/v2/events", Self.batch("b", [Self.event("Go")])).status == 202)
        #expect(platform.emulator.refusedBatches().map(\.requestID) == ["b"])
        #expect(platform.events(1).count == 1)
    }

    // MARK: Bulk

    @Test func theGoodBatchesOfABulkAreTaken() async {
        let platform = Platform()
        let body: JSONValue = [
            Self.batch("a", mpid: 1, [Self.event("1")]), ["mpid": 1], nil, Self.batch("b", mpid: 2, [Self.event("2")]),
            Self.batch("a", mpid: 1, [Self.event("1")]), Self.batch("c", mpid: 0, []),
        ]
        #expect(await platform.post("/v2/bulkevents", body).status == 202)
        #expect(platform.emulator.batches().map(\.requestID) == ["a", "b"])
        #expect(platform.emulator.batches().map(\.deliveries) == [2, 1])
        #expect(platform.emulator.refusedBatches().map(\.requestID) == [nil, nil, "c"])
        #expect(platform.emulator.refusedBatches()[2].reason == "'batch.mpid' must not be zero.")
        #expect(platform.events(1).count + platform.events(2).count == 2)
    }

    @Test func aBulkIsAnArrayOfAtMost100() async {
        let platform = Platform()
        let batches = (1...101).map { Self.batch("\($0)", []) }
        #expect(await platform.post("/v2/bulkevents", .array(Array(batches.prefix(100)))).status == 202)
        #expect(await platform.post("/v2/bulkevents", .array(batches)).status == 400)
        #expect(await platform.post("/v2/bulkevents", Self.batch("x", [])).status == 400)
        #expect(await platform.post("/v2/events", .array(batches)).status == 400)
        #expect(await platform.post("/v2/bulkevents", []).status == 202)
        #expect(platform.emulator.batches().count == 100)
    }

    // MARK: Sizes

    /// A batch of exactly so many bytes.
    private static func batch(_ id: String, bytes: Int) -> JSONValue {
        let empty = Self.batch(id, [Self.event("")]).encoded().count
        return Self.batch(id, [Self.event(String(repeating: "x", count: bytes - empty))])
    }

    @Test func aBatchMayBe128KBLong() async {
        let platform = Platform()
        #expect(await platform.post("/v2/events", Self.batch("a", bytes: 131_072)).status == 202)
        #expect(await platform.post("/v2/events", Self.batch("b", bytes: 131_073)).status == 400)
        let bulk: JSONValue = [Self.batch("c", bytes: 131_073), Self.batch("d", bytes: 1000)]
        #expect(await platform.post("/v2/bulkevents", bulk).status == 202)
        #expect(platform.emulator.batches().map(\.requestID) == ["a", "d"])
        #expect(platform.emulator.refusedBatches().map(\.requestID) == ["b", "c"])
    }

    @Test func aRequestMayBe256KBLong() async {
        let platform = Platform()
        let body = [Self.batch("a", bytes: 131_000), Self.batch("b", bytes: 131_000)] as JSONValue
        let short = 262_144 - body.encoded().count
        let padding = [UInt8](repeating: 0x20, count: short)
        let fits = Platform.request("/v2/bulkevents", body.encoded() + padding)
        #expect(await platform.emulator.handle(fits).status == 202)
        let tooLong = Platform.request("/v2/bulkevents", body.encoded() + padding + [0x20])
        #expect(await platform.emulator.handle(tooLong).status == 400)
    }
}
