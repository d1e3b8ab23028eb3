// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTransport
import Testing

/// Texts with so many combining marks in a row that comparing them would take seconds.
@Suite(.timeLimit(.minutes(3))) struct CombiningMarksTests {
    /// 120 kB: what the identity interface takes.
    ///
    /// To compare it with a word once takes Swift a second.
    private static let hostile =
        "a" + String(repeating: "\u{301}\u{316}", count: TestScale.count(quick: 2000, full: 30_000))

    private typealias Call = (path: String, body: JSONValue, status: Int)

    private static let identity: JSONObject = [
        "client_sdk": ["platform": "web", "sdk_vendor": "x", "sdk_version": "1"], "context": "c", "request_id": "r",
        "environment": "development", "known_identities": ["customerid": "c", "email": "e"], "previous_mpid": "5",
    ]

    private static let calls: [Call] = [
        ("/v1/identify", .object(identity), 400), ("/v1/logout", .object(identity), 400),
        ("/v1/search", .object(identity), 400),
        (
            "/v1/1/modify",
            [
                "environment": "development",
                "identity_changes": [["identity_type": "email", "old_value": "a", "new_value": "b"]],
            ], 400
        ),
        ("/v1/identity/us1-emulated/alias", ["request_type": "alias", "data": ["device_application_stamp": "d"]], 400),
        (
            "/v2/events",
            [
                "environment": "development", "source_request_id": "b", "mpid": 5,
                "user_attributes": ["plan": "gold", "list": ["a"]], "deleted_user_attributes": ["old"],
                "user_identities": ["email": "e"], "device_info": ["platform": "iOS", "device_model": "m"],
                "consent_state": ["gdpr": ["p": ["consented": true, "timestamp_unixtime_ms": 1, "document": "d"]]],
                "events": [
                    [
                        "event_type": "custom_event",
                        "data": [
                            "event_name": "n", "custom_event_type": "other", "session_uuid": "u",
                            "source_message_id": "m", "custom_attributes": ["a": "b"],
                        ],
                    ]
                ],
            ], 400
        ),
        // Batches are refused one by one.
        ("/v2/bulkevents", [["environment": "development", "mpid": 5, "source_request_id": "b"]], 202),
    ]

    private static let iterableCalls: [Call] = [
        ("events/track", ["userId": "u", "preferUserId": true, "eventName": "e", "dataFields": ["a": "b"]], 400),
        ("users/update", ["email": "a@b", "dataFields": ["a": ["b": "c"]]], 400),
        ("users/merge", ["sourceUserId": "n", "destinationUserId": "u"], 400),
        ("users/updateEmail", ["currentEmail": "a@b", "newEmail": "c@d"], 400),
        (
            "users/registerDeviceToken",
            ["email": "a@b", "device": ["token": "t", "platform": "APNS", "applicationName": "a", "dataFields": [:]]],
            400
        ),
    ]

    private static let infobipBodies: [(path: String, method: TransportRequest.Method, body: JSONValue)] = [
        ("appinstance?rt=1", .post, ["pushServiceToken": "t", "pushServiceType": "APNS", "os": "iOS"]),
        (
            "appinstance/ID/user?ri=0&rt=0", .patch,
            ["firstName": "A", "externalUserId": "x", "customAttributes": ["a": "b"], "emails": [["address": "a@b"]]]
        ),
        (
            "appinstance/ID/user/events/custom?validate=false", .post,
            ["events": [["definitionId": "e", "date": "2026-01-01T00:00:00Z", "properties": ["a": "b"]]]]
        ),
    ]

    /// What a value becomes with the text in the place of each text and each name of it, one at a time.
    private static func hostile(_ value: JSONValue) -> [JSONValue] {
        switch value {
        case .null, .bool, .number: return []
        case .string: return [.string(Self.hostile)]
        case .array(let elements):
            return elements.indices.flatMap { place in
                Self.hostile(elements[place]).map { changed in
                    var elements = elements
                    elements[place] = changed
                    return .array(elements)
                }
            }
        case .object(let object):
            var changed: [JSONValue] = []
            for (key, value) in object {
                var renamed = object
                renamed[key] = nil
                renamed[Self.hostile] = value
                changed.append(.object(renamed))
                for value in Self.hostile(value) {
                    var object = object
                    object[key] = value
                    changed.append(.object(object))
                }
            }
            return changed
        }
    }

    @Test(arguments: calls.indices) func noPlaceInARequestTakesLongAndEachIsRefused(index: Int) async {
        let (path, body, status) = Self.calls[index]
        let platform = Platform()
        for body in Self.hostile(body) {
            let answer = await platform.post(path, body)
            #expect(answer.status == status, "\(path): \(answer.errorMessage ?? "-")")
        }
        #expect(platform.emulator.users().isEmpty && platform.emulator.batches().isEmpty)
    }

    @Test(arguments: iterableCalls.indices) func noPlaceInARequestOfVisitorsDoes(index: Int) async {
        let (path, body, status) = Self.iterableCalls[index]
        let platform = IterablePlatform()
        for body in Self.hostile(body) {
            #expect(await platform.post(path, body).status == status, "\(path)")
        }
        #expect(platform.iterable.users().isEmpty)
    }

    @Test(arguments: infobipBodies.indices) func noPlaceInARequestOfPeopleDoes(index: Int) async throws {
        let (path, method, body) = Self.infobipBodies[index]
        let platform = InfobipPlatform()
        let id = try await platform.register("t")
        for body in Self.hostile(body) {
            let text = String(decoding: body.encoded(), as: UTF8.self)
            let answer = await platform.send(method, path.replacing("ID", with: id), text, as: id)
            #expect(answer.status == 400, "\(path): \(answer.text)")
        }
    }

    @Test func noHeaderFieldDoes() async {
        let names = [
            "Authorization", "Content-Type", "Content-Encoding", "x-mp-key", "Date", "x-mp-signature", "Api-Key",
            "X-HTTP-Method-Override", "pushregistrationid", "applicationcode", "sessionId", "Sent-At", "anything",
        ]
        let emulator = Emulator()
        for path in ["/v1/identify", "/v2/events", "/api/events/track", "/mobile/1/appinstance"] {
            for name in names {
                var headers = HTTPHeaders()
                headers.append(name: name, value: Self.hostile)
                let url = "https://platform.example" + path
                let request = TransportRequest(method: .post, url: url, headers: headers, body: Array("{}".utf8))
                #expect(await emulator.handle(request).status == 400, "\(path) \(name)")
            }
        }
    }

    @Test func theRefusalSaysWhatToDoAndABatchOfABulkRequestIsRefusedAlone() async {
        let platform = Platform()
        let attributes: JSONValue = ["a": .string(Self.hostile)]
        let hostile: JSONValue = ["environment": "development", "mpid": 5, "user_attributes": attributes]
        let answer = await platform.post("/v2/events", hostile)
        #expect(answer.errorCode == "BAD_REQUEST")
        #expect(answer.errorMessage?.contains("256 combining marks") == true)
        let good: JSONValue = ["environment": "development", "mpid": 6]
        #expect(await platform.post("/v2/bulkevents", [hostile, good]).status == 202)
        #expect(platform.emulator.batches().map(\.mpid.rawValue) == [6])
        #expect(platform.emulator.refusedBatches().count == 2)
    }

    /// Letters with marks, as languages have them, and rows up to the limit.
    @Test func whatPeopleWriteIsTaken() async {
        let texts = [
            "e\u{301}", "ệ", "שָׁלוֹם", "हिन्दी", "நிலா", "བསྒྲུབས", "각", "😀👍🏽",
            "a" + String(repeating: "\u{301}", count: 256),
            String(repeating: "a\u{301}\u{316}\u{327}", count: 10_000),
        ]
        let platform = Platform()
        for text in texts {
            #expect(await platform.resolve("identify", ["customerid": text]).status == 200, "\(text.prefix(20))")
        }
        // The second of them is no mark by its class, and becomes two when it is decomposed.
        for beginning in ["a\u{301}", "a\u{0F73}"] {
            let text = beginning + String(repeating: "\u{301}", count: 256)
            #expect(await platform.resolve("identify", ["customerid": text]).status == 400)
        }
    }

    @Test func theLimitIsTheEmulatorsOwnAndMayBeAnother() async {
        var configuration = EmulatorConfiguration()
        configuration.limits.combiningMarks = 1
        let platform = Platform(configuration)
        #expect(await platform.resolve("identify", ["customerid": "e\u{301}"]).status == 200)
        #expect(await platform.resolve("identify", ["customerid": "e\u{301}\u{316}"]).status == 400)
    }

    /// One letter in two ways is two texts, as two names of members are.
    @Test func valuesAreComparedByTheirBytes() {
        let (composed, decomposed): (JSONValue, JSONValue) = (["\u{E9}"], ["e\u{301}"])
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, ["\u{E9}"]]).count == 2)
    }
}
