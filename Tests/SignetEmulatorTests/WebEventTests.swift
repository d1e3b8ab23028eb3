// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

/// Batches of web pages, as mParticle's SDK for browsers sends them.
struct WebEventTests {
    /// What the converter of the SDK makes, and whether `/v2/events` takes it too.
    static let events: [(type: String, members: String, isOfTheSchema: Bool)] = [
        ("session_start", "", true),
        ("session_end", #""session_duration_ms":100"#, true),
        ("screen_view", #""screen_name":"Home","custom_flags":{}"#, true),
        ("custom_event", #""custom_event_type":"navigation","event_name":"go","custom_flags":{"a":1}"#, true),
        // `mParticle.logEvent("go")`, without a type.
        ("custom_event", #""custom_event_type":"unknown","event_name":"go","custom_flags":{}"#, false),
        ("opt_out", #""is_opted_out":true"#, true),
        ("crash_report", #""message":"x is not defined""#, false),
        (
            "application_state_transition",
            #""application_transition_type":"application_initialized","is_first_run":true,"is_upgrade":false,"#
                + #""launch_referral":"https://shop.example/""#,
            true
        ),
        ("commerce_event", #""promotion_action":{"action":1,"promotions":[{"id":"p"}]},"product_action":null"#, false),
        ("commerce_event", #""promotion_action":{"action":2,"promotions":null},"shopping_cart":null"#, false),
        ("commerce_event", #""promotion_action":{"action":"view","promotions":[{"id":7,"name":null}]}"#, false),
        ("commerce_event", #""product_action":{"action":"add_to_cart","products":[{"id":"s","price":1.5}]}"#, true),
        ("commerce_event", #""product_action":{"action":"purchase","transaction_id":17,"products":null}"#, false),
        ("commerce_event", #""product_action":{"action":"purchase","products":[{"id":17,"name":"n"}]}"#, false),
        // A look at the cart, which the converter does not know.
        ("commerce_event", #""product_action":{"action":"unknown","products":null}"#, false),
        (
            "commerce_event",
            #""product_action":{"action":"purchase","products":[{"id":"s","custom_attributes":{"size":42}}]}"#, false
        ),
        (
            "commerce_event",
            #""product_impressions":[{"product_impression_list":"l","products":"#
                + #"[{"id":"s","custom_attributes":{"gift":true}}]}]"#,
            false
        ),
        ("commerce_event", #""shopping_cart":{"products":[{"id":"s","custom_attributes":{"size":4.5}}]}"#, false),
        (
            "user_attribute_change",
            #""user_attribute_name":"plan","new":"gold","old":null,"deleted":false,"is_new_attribute":true"#, true
        ),
        (
            "user_identity_change",
            #""new":{"identity_type":"email","identity":"a@example.com","timestamp_unixtime_ms":1,"#
                + #""created_this_batch":true},"#
                + #""old":{"identity_type":"email","identity":null,"timestamp_unixtime_ms":1,"created_this_batch":false}"#,
            true
        ),
    ]

    @Test(arguments: events) func eachEventOfTheSDKIsTakenFromAPage(
        type: String,
        members: String,
        isOfTheSchema: Bool
    ) async throws {
        for path in WebClient.paths {
            let platform = Platform()
            let body = WebClient.batch([WebClient.event(type, members)])
            #expect(await WebClient.send(body, to: platform, path: path).status == 202)
            #expect(platform.emulator.refusedBatches().isEmpty)
            let event = try #require(platform.events(7).first)
            #expect(event.type == type && event.sessionUUID == WebClient.session && event.sessionID == nil)
            #expect(event.customAttributes == ["text": "t", "whole": "3", "part": "1.5", "yes": "true"])
        }
    }

    /// What only the SDK sends is refused at the paths of servers, also with their credentials.
    @Test(arguments: events) func thePathsOfServersStayStrict(
        type: String,
        members: String,
        isOfTheSchema: Bool
    ) async {
        let platform = Platform()
        let body = WebClient.strict(WebClient.event(type, members))
        let answer = await platform.emulator.handle(Platform.request("/v2/events", body))
        #expect(answer.status == (isOfTheSchema ? 202 : 400))
        let bulk = Platform.request("/v2/bulkevents", Array("[".utf8) + body + Array("]".utf8))
        #expect(await platform.emulator.handle(bulk).status == 202)
        #expect(platform.events(7).count == (isOfTheSchema ? 2 : 0))
        #expect(platform.emulator.refusedBatches().count == (isOfTheSchema ? 0 : 2))
    }

    @Test func aBatchOfAPageIsRecordedOnceAsAnyOther() async throws {
        let platform = Platform()
        let body = WebClient.batch([
            WebClient.event("session_start", ""), WebClient.event("screen_view", #""screen_name":"Home""#),
        ])
        for path in WebClient.paths {
            #expect(await WebClient.send(body, to: platform, path: path).status == 202)
        }
        let batch = try #require(platform.emulator.batches().first)
        #expect(platform.emulator.batches().count == 1)
        #expect(batch.requestID == "b-1" && batch.eventCount == 2 && batch.deliveries == 2 && !batch.contentChanged)
        #expect(batch.mpid == MPID(rawValue: 7) && batch.deviceInfo["platform"] == "web")
        #expect(platform.events(7).map(\.type) == ["session_start", "screen_view"])
        let user = try #require(platform.user(7))
        #expect(user.attributes["plan"] == .string("gold"))
        #expect(platform.emulator.requestCounts() == ["webEvents": 2])
    }

    /// What the SDK sends after `removeUserAttribute("visits")`: its batches never have `deleted_user_attributes`.
    static func removal(deleted: String = "true", attributes: String = #"{"plan":"gold"}"#) -> String {
        let event = WebClient.event(
            "user_attribute_change",
            #""user_attribute_name":"visits","new":null,"old":"3","deleted":\#(deleted),"is_new_attribute":false"#
        )
        return #"{"source_request_id":"b-2","environment":"development","mpid":7,"events":[\#(event)],"#
            + #""user_attributes":\#(attributes)}"#
    }

    @Test(
        arguments: [
            (removal(), nil), (removal(attributes: "null"), nil),
            // It was set again before the batch was made.
            (removal(attributes: #"{"visits":4}"#), 4), (removal(deleted: "false"), 3), (removal(deleted: "null"), 3),
        ] as [(String, AttributeValue?)]
    )
    func anAttributeThatAPageRemovesIsGone(body: String, visits: AttributeValue?) async {
        let platform = Platform()
        #expect(await WebClient.send(WebClient.batch([]), to: platform).status == 202)
        #expect(await WebClient.send(Array(body.utf8), to: platform).status == 202)
        #expect(platform.user(7)?.attributes["visits"] == visits)
        #expect(platform.user(7)?.attributes["plan"] == "gold")
        #expect(platform.user(7)?.attributeLists == ["sizes": ["s", "m"]])
    }

    /// A server names what it deletes in `deleted_user_attributes`.
    @Test func theSameEventOfAServerDeletesNothing() async {
        let platform = Platform()
        #expect(await WebClient.send(WebClient.batch([]), to: platform).status == 202)
        let request = Platform.request("/v2/events", Array(Self.removal().utf8))
        #expect(await platform.emulator.handle(request).status == 202)
        #expect(platform.user(7)?.attributes["visits"] == 3)
    }

    /// Their sessions have no number: the UUID is their name.
    @Test func theEventsOfASessionOfAPageAreFoundTogether() async throws {
        let platform = Platform()
        let other = WebClient.event("first_run", "").replacing(
            WebClient.session,
            with: "00000000-0000-4000-8000-000000000009"
        )
        let body = WebClient.batch([
            WebClient.event("session_start", ""), other, WebClient.event("screen_view", #""screen_name":"Home""#),
            #"{"event_type":"first_run","data":{}}"#,
        ])
        #expect(await WebClient.send(body, to: platform).status == 202)
        let events = platform.events(7)
        try #require(events.count == 4)
        func types(inSessionOf event: EmulatedEvent) -> [String] {
            platform.emulator.recordedEvents(inSessionOf: event).map(\.event.type)
        }
        #expect(types(inSessionOf: events[0]) == ["session_start", "screen_view"])
        #expect(types(inSessionOf: events[1]) == ["first_run"])
        #expect(types(inSessionOf: events[3]).isEmpty)
    }

    @Test(arguments: [#""-6504934091054997508""#, "-6504934091054997508"])
    func anMPIDIsANumberOrText(mpid: String) async {
        let platform = Platform()
        #expect(await WebClient.send(WebClient.batch([], mpid: mpid), to: platform).status == 202)
        #expect(platform.emulator.batches().map(\.mpid.rawValue) == [-6_504_934_091_054_997_508])
    }

    @Test(arguments: [
        #""0""#, "0", #""""#, #""x""#, #""+7""#, #"" 7""#, #""7.0""#, "7.5", "true", "[7]", "{}",
        #""9223372036854775808""#, "9223372036854775808",
    ])
    func whatIsNoMPIDIsRefused(mpid: String) async throws {
        let platform = Platform()
        let answer = await WebClient.send(WebClient.batch([], mpid: mpid), to: platform)
        #expect(answer.status == 400)
        #expect(answer.errorMessage?.contains("'batch.mpid' must") == true)
        #expect(platform.emulator.users().isEmpty)
        #expect(try #require(platform.emulator.refusedBatches().first).reason.contains("'batch.mpid' must"))
    }

    @Test(arguments: [
        (",\"modified\":true", 202), (",\"modified\":\"yes\"", 400), (",\"deviceInfo\":{}", 400),
        (",\"partner_identities\":{\"click\":\"x\"}", 202), (",\"context\":{\"data_plan\":{\"plan_id\":\"p\"}}", 202),
    ])
    func membersOfABatchAreNamed(more: String, status: Int) async {
        #expect(await WebClient.send(WebClient.batch([], more: more), to: Platform()).status == status)
    }

    /// The dialect is that of the SDK, no wider.
    @Test(arguments: [
        #""promotion_action":{"action":3}"#, #""promotion_action":{"action":true}"#, #""promotion_action":{}"#,
        #""promotion_action":{"action":null}"#, #""product_action":{"action":1}"#,
        #""product_action":{"action":"purchase","products":[{"custom_attributes":{"a":["b"]}}]}"#,
        #""product_action":{"action":"purchase","products":[{"id":["s"]}]}"#,
        #""product_action":{"action":"purchase","total_amount":"1"}"#,
    ])
    func otherFormsOfCommerceAreRefused(members: String) async {
        let platform = Platform()
        let answer = await WebClient.send(WebClient.batch([WebClient.event("commerce_event", members)]), to: platform)
        #expect(answer.status == 400)
        #expect(answer.errorMessage?.contains("batch.events[0].data") == true)
        #expect(platform.emulator.batches().isEmpty && platform.emulator.refusedBatches().count == 1)
    }

    @Test(arguments: [
        ("crash_report", "", "'batch.events[0].data.message' is missing"),
        ("custom_event", #""event_name":"go","custom_event_type":"purchase""#, "must be one of"),
        ("custom_event", #""event_name":7,"custom_event_type":"other""#, "must be a string"),
        ("page_view", "", "must be one of"),
    ])
    func otherEventsAreRefused(type: String, members: String, names: String) async {
        let answer = await WebClient.send(WebClient.batch([WebClient.event(type, members)]), to: Platform())
        #expect(answer.status == 400)
        #expect(answer.errorMessage?.contains(names) == true)
    }

    @Test(arguments: [
        ([("Content-Type", "text/plain")], 202), ([WebClient.text], 202),
        ([("Content-Type", "text/plain; charset=utf-8")], 202),
        ([("Content-Type", "application/json")], 202), ([], 202),
        ([("Content-Type", "text/plain;charset=utf-16")], 400),
        ([("Content-Type", "text/plainer")], 400), ([("Content-Type", "text/html")], 400),
        ([("Content-Type", "application/x-www-form-urlencoded")], 400),
    ])
    func aBatchOfAPageMayComeAsText(headers: [(String, String)], status: Int) async {
        #expect(await WebClient.send(WebClient.batch([]), to: Platform(), headers: headers).status == status)
    }

    @Test func aBatchOfAServerMayNotComeAsText() async {
        for path in ["/v2/events", "/v2/bulkevents"] {
            let headers = [WebClient.text, Platform.basic()]
            let answer = await WebClient.send(Array("[]".utf8), to: Platform(), path: path, headers: headers)
            #expect(answer.status == 400)
            #expect(answer.errorMessage == "Content-Type must be application/json in UTF-8.")
        }
    }

    @Test func aLongBatchOfAPageIsRefused() async {
        let limits = EmulatorLimits()
        let batch = WebClient.batch([])
        for (length, status, refused) in [
            (limits.batchBytes, 202, 0), (limits.batchBytes + 1, 400, 1), (limits.eventsRequestBytes + 1, 400, 0),
        ] {
            let platform = Platform()
            let padding = [UInt8](repeating: UInt8(ascii: " "), count: length - batch.count)
            let answer = await WebClient.send(batch + padding, to: platform)
            #expect(answer.status == status, "\(length)")
            #expect(platform.emulator.refusedBatches().count == refused, "\(length)")
        }
    }

    @Test func faultsReachTheRequestsOfPages() async throws {
        let platform = Platform()
        platform.emulator.faults.inject(.status(503), on: .webEvents)
        let request = TransportRequest(method: .post, url: "https://h" + WebClient.paths[1], body: WebClient.batch([]))
        #expect(try await platform.emulator.transport.send(request).status == 503)
        #expect(platform.emulator.batches().isEmpty)
        #expect(try await platform.emulator.transport.send(request).status == 202)
    }
}
