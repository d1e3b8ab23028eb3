// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SignetModel
import SignetTestSupport
import SignetTransport
import SignetWire
import Testing

@Suite struct EventBodyTests {
    // The session id is FNV-1a over the UUID text in UTF-16LE, computed with Python.
    static let common =
        #""timestamp_unixtime_ms":1700000000000,"source_message_id":"00000000-0000-4000-8000-000000000009","#
        + #""session_id":9191057522885940723,"session_uuid":"ABCDEF01-0203-4405-8607-08090A0B0C0D","#
        + #""session_start_unixtime_ms":1699999990500"#

    func text(_ event: Event, stamp: EventStamp = Samples.stamp) -> String {
        Samples.text(EventBody.encode(event, stamp: stamp))
    }

    @Test func aCustomEvent() {
        let event = Event.custom(
            "Added \"x\"",
            type: .userContent,
            attributes: ["z": 1, "a": "text", "m": true, "b": 0.5, "Z": -7]
        )
        #expect(
            self.text(event)
                == #"{"event_type":"custom_event","data":{\#(Self.common),"custom_event_type":"user_content","#
                + #""event_name":"Added \"x\"","custom_attributes":{"z":"1","a":"text","m":"true","b":"0.5","Z":"-7"}}}"#
        )
    }

    @Test func aScreenView() {
        #expect(
            self.text(.screen("Home"))
                == #"{"event_type":"screen_view","data":{\#(Self.common),"screen_name":"Home"}}"#
        )
    }

    @Test func aScreenSaysWhatItIsFor() {
        #expect(
            self.text(.screen("Home", activityType: "browse"))
                == #"{"event_type":"screen_view","data":{\#(Self.common),"screen_name":"Home","activity_type":"browse"}}"#
        )
        let long = Event.screen("Home", activityType: String(repeating: "x", count: 4097))
        #expect(EventLimits.violation(of: long)?.message.contains("activity type") == true)
    }

    @Test func aPurchase() {
        let purchase = Purchase(transactionID: "t-1", total: 59.98, currency: "EUR", products: [Product(id: "p")])
        #expect(
            self.text(.purchase(purchase, attributes: ["k": "v"]))
                == #"{"event_type":"commerce_event","data":{\#(Self.common),"product_action":{"action":"purchase","#
                + #""transaction_id":"t-1","total_amount":59.98,"products":[{"id":"p"}]},"currency_code":"EUR","#
                + #""custom_attributes":{"k":"v"}}}"#
        )
    }

    @Test func aSessionStart() {
        #expect(
            Samples.text(EventBody.encode(EventBody.sessionStart(), stamp: Samples.stamp))
                == #"{"event_type":"session_start","data":{\#(Self.common)}}"#
        )
    }

    @Test func aSessionEnd() {
        #expect(
            Samples.text(EventBody.encode(EventBody.sessionEnd(Samples.accounts(9500)), stamp: Samples.stamp))
                == #"{"event_type":"session_end","data":{\#(Self.common),"session_duration_ms":9500,"custom_attributes":"#
                + #"{"$ForegroundTimeMs":"9500","$EventCount":"0"}}}"#
        )
    }

    @Test func aSessionStartTellsOfTheOneBefore() {
        let earlier = EventBody.EarlierSession(uuid: Samples.uuid(9), start: 1_600_000_000_000, length: 61_500)
        #expect(
            Samples.text(EventBody.encode(EventBody.sessionStart(after: earlier), stamp: Samples.stamp))
                == #"{"event_type":"session_start","data":{\#(Self.common),"custom_attributes":{"$PreviousSessionUUID":"#
                + #""00000000-0000-4000-8000-000000000009","$PreviousSessionStartMs":"1600000000000","#
                + #""$PreviousSessionLengthMs":"61500"}}}"#
        )
    }

    @Test func aSessionEndTellsAllThereWasInIt() {
        let accounts = EventBody.SessionAccounts(
            length: 9500,
            foregroundLength: 4000,
            events: 7,
            mpids: [5, -6].compactMap { MPID(rawValue: $0) },
            attributes: ["b": .double(1.5), "a": .bool(true)]
        )
        #expect(
            Samples.text(EventBody.encode(EventBody.sessionEnd(accounts), stamp: Samples.stamp))
                == #"{"event_type":"session_end","data":{\#(Self.common),"session_duration_ms":9500,"custom_attributes":"#
                + #"{"a":"true","b":"1.5","$ForegroundTimeMs":"4000","$EventCount":"7","$SessionMPIDs":"5,-6"}}}"#
        )
    }

    @Test func theUsersOfASessionKeepToTheLengthOfAnAttribute() throws {
        let mpids = (0..<500).compactMap { MPID(rawValue: .min + $0) }
        let accounts = EventBody.SessionAccounts(length: 0, foregroundLength: 0, events: 0, mpids: mpids)
        let end = EventBody.encode(EventBody.sessionEnd(accounts), stamp: Samples.stamp)
        let attributes = try JSONReader.read(end)["data"]?["custom_attributes"]
        let text = try #require(attributes?["$SessionMPIDs"]?.string)
        #expect(text.utf8.count <= EventLimits.valueLength)
        #expect(text.hasPrefix("-9223372036854775808,-9223372036854775807,"))
    }

    @Test func anEventOutsideOfASessionSpeaksOfNone() {
        let stamp = EventStamp(milliseconds: -1, session: nil, messageID: Samples.uuid(2))
        #expect(
            self.text(.screen("S"), stamp: stamp)
                == #"{"event_type":"screen_view","data":{"timestamp_unixtime_ms":-1,"#
                + #""source_message_id":"00000000-0000-4000-8000-000000000002","screen_name":"S"}}"#
        )
    }

    @Test func theSessionIsNumberedAsTheModelSays() throws {
        let data = try JSONReader.read(EventBody.encode(EventBody.sessionStart(), stamp: Samples.stamp))["data"]
        #expect(data?["session_id"]?.number?.int64 == Samples.session.id)
    }

    @Test(arguments: [
        (Int64.max, "9223372036854775807"), (Int64.min, "-9223372036854775808"),
        (9_007_199_254_740_993, "9007199254740993"),
    ])
    func wholeNumbersStayExact(_ value: Int64, _ text: String) {
        let body = self.text(.custom("n", attributes: ["v": .integer(value)]))
        #expect(body.contains("\"v\":\"\(text)\""))
    }

    @Test func hostileTextsStayInTheirStrings() throws {
        let hostile = "\u{0}\u{2028}</script>\\\"}],\r\n\u{1F600}\u{202E}"
        let event = Event.custom(hostile, attributes: [hostile: .string(hostile)])
        let data = try JSONReader.read(EventBody.encode(event, stamp: Samples.stamp))["data"]
        #expect(data?["event_name"]?.string == hostile)
        #expect(data?["custom_attributes"]?[hostile]?.string == hostile)
    }

    // Seconds, not dates: the description of an infinite date, which a failing test would print, traps.
    static let starts: [(Double, Int64)] = [
        (-62_135_769_600, -62_135_769_600_000), (.infinity, .max), (-.infinity, .min), (1e300, .max), (.nan, .max),
        (0.0004, 0), (-0.001, -1), (1_700_000_000.001, 1_700_000_000_001),
    ]

    @Test(arguments: Self.starts)
    func noSessionStartTraps(_ seconds: Double, _ expected: Int64) throws {
        let date = Date(timeIntervalSince1970: seconds)
        let session = Session(uuid: Samples.uuid(1), startTime: date)
        let stamp = EventStamp(milliseconds: 0, session: session, messageID: Samples.uuid(2))
        let data = try JSONReader.read(EventBody.encode(EventBody.sessionStart(), stamp: stamp))["data"]
        #expect(data?["session_start_unixtime_ms"]?.number?.int64 == expected)
    }

    @Test(arguments: Event.CustomType.all)
    func everyKindOfEventKeepsTheRules(_ type: Event.CustomType) {
        let purchase = Purchase(
            transactionID: "t",
            total: 1,
            currency: "EUR",
            products: [Product(id: "p", name: "P", price: 0.5, quantity: 2), Product(id: "q")]
        )
        let events = [
            EventBody.encode(.custom("c", type: type, attributes: ["k": 1.5]), stamp: Samples.stamp),
            EventBody.encode(.screen("s", attributes: ["k": false]), stamp: Samples.stamp),
            EventBody.encode(.purchase(purchase), stamp: Samples.stamp),
            EventBody.encode(EventBody.sessionStart(), stamp: Samples.stamp),
            EventBody.encode(EventBody.sessionEnd(Samples.accounts(0)), stamp: Samples.stamp),
        ]
        for event in events {
            #expect(BatchRules.faults(inEvent: event) == [])
        }
    }

    @Test func theRulesSeeAFault() {
        func faults(_ text: String) -> [String] {
            BatchRules.faults(inEvent: Array(text.utf8))
        }
        #expect(faults(#"{"event_type":"screen_view","data":{}}"#) == ["event.screen_view: lacks screen_name"])
        #expect(
            faults(#"{"event_type":"screen_view","data":{"screen_name":"s","colour":1}}"#)
                == ["event.screen_view: must not have colour"]
        )
        #expect(
            faults(#"{"event_type":"screen_view","data":{"screen_name":5,"custom_attributes":{"k":1}}}"#).count == 2
        )
        #expect(faults(#"{"event_type":"party","data":{}}"#) == ["event: unknown event_type"])
    }
}
