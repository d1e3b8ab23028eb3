// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

struct IdentityRequestTests {
    static let calls = ["identify", "login", "logout", "search"]

    static let good: JSONObject = [
        "client_sdk": ["platform": "other", "sdk_vendor": "mparticle", "sdk_version": "9.4.0"],
        "context": "b3BhcXVl",
        "environment": "production",
        "request_id": "A6C1C5D2-0000-4000-8000-000000000001",
        "request_timestamp_ms": 1_700_000_000_000,
        "previous_mpid": "-6504934091054997508",
        "known_identities": ["device_application_stamp": "stamp"],
    ]

    /// What breaks the good body: the member, what it becomes (nil takes it away), and what the refusal names.
    static let bad: [(member: String, value: JSONValue?, names: String)] = [
        ("environment", nil, "'environment' is missing"),
        ("environment", .null, "'environment' is missing"),
        ("environment", "staging", "'environment' must be one of"),
        ("environment", 1, "'environment' must be a string"),
        ("known_identities", nil, "'known_identities' is missing"),
        ("known_identities", [:], "at least one identity"),
        ("known_identities", ["email": nil], "at least one identity"),
        ("known_identities", [], "'known_identities' must be an object"),
        ("known_identities", "email", "'known_identities' must be an object"),
        ("known_identities", ["customer_id": "c"], "'known_identities' holds a member that is not documented"),
        ("known_identities", ["Email": "e"], "'known_identities' holds a member that is not documented"),
        ("known_identities", ["email": "e", "nonsense": nil], "not documented"),
        ("known_identities", ["customerid": 5], "'known_identities.customerid' must be a string"),
        ("known_identities", ["customerid": ["c"]], "'known_identities.customerid' must be a string"),
        ("known_identities", ["customerid": ""], "'known_identities.customerid' must be a string that is not empty"),
        ("previous_mpid", "0", "'previous_mpid' must be"),
        ("previous_mpid", 0, "'previous_mpid' must be"),
        ("previous_mpid", 1.5, "'previous_mpid' must be"),
        ("previous_mpid", "12a", "'previous_mpid' must be"),
        ("previous_mpid", "9223372036854775808", "'previous_mpid' must be"),
        ("previous_mpid", true, "'previous_mpid' must be"),
        ("request_timestamp_ms", "now", "'request_timestamp_ms' must be an integer"),
        ("request_timestamp_ms", 1.5, "'request_timestamp_ms' must be an integer"),
        ("request_id", 1, "'request_id' must be a string"),
        ("context", [:], "'context' must be a string"),
        ("client_sdk", "ios", "'client_sdk' must be an object"),
        ("client_sdk", ["platform": "linux"], "'client_sdk.platform' must be one of"),
        ("client_sdk", ["sdk_version": 9], "'client_sdk.sdk_version' must be a string"),
        ("client_sdk", ["version": "9"], "'client_sdk' holds a member that is not documented"),
        ("identity_changes", [], "The body holds a member that is not documented"),
        ("known_identites", [:], "The body holds a member that is not documented"),
    ]

    @Test(arguments: calls)
    func theDocumentedBodyIsTaken(call: String) async {
        let answer = await Platform().post("/v1/\(call)", .object(Self.good))
        #expect(answer.status == (call == "search" ? 404 : 200))
    }

    @Test(arguments: calls)
    func aMalformedBodyIsRefusedAndSaysWhy(call: String) async {
        let platform = Platform()
        for (member, value, names) in Self.bad {
            var body = Self.good
            body[member] = value
            let answer = await platform.post("/v1/\(call)", .object(body))
            #expect(answer.status == 400, "\(member) \(names)")
            #expect(answer.errorCode == "BAD_REQUEST")
            #expect(answer.errorMessage?.contains(names) == true, "\(answer.errorMessage ?? "-") for \(names)")
        }
        #expect(platform.emulator.users().isEmpty)
    }

    @Test func onlyEnvironmentAndIdentitiesAreRequired() async {
        let body: JSONValue = ["environment": "development", "known_identities": ["email": "e"]]
        #expect(await Platform().post("/v1/identify", body).status == 200)
    }

    @Test func nullIsTheSameAsNothing() async {
        let body: JSONValue = [
            "client_sdk": nil, "context": nil, "environment": "development", "request_id": nil,
            "request_timestamp_ms": nil, "previous_mpid": nil, "known_identities": ["email": "e", "yahoo": nil],
        ]
        let platform = Platform(EmulatorConfiguration(mpids: .counting(from: 1)))
        #expect(await platform.post("/v1/identify", body).status == 200)
        #expect(platform.record(1) == ["email": ["e"]])
    }

    @Test func thePreviousUserMayBeANumber() async {
        var body = Self.good
        body["previous_mpid"] = .number(JSONNumber(-6_504_934_091_054_997_508))
        #expect(await Platform().post("/v1/identify", .object(body)).status == 200)
    }

    @Test(arguments: ["read_only=yes", "read_only=1", "return_matches=", "read_only=true&read_only=false"])
    func aFlagIsTrueOrFalseOnce(query: String) async {
        #expect(await Platform().post("/v1/identify?\(query)", .object(Self.good)).status == 400)
    }

    @Test func aRefusalNeverRepeatsAValue() async {
        let body: JSONValue = ["environment": "development", "known_identities": ["hunter2-type": "hunter2"]]
        let answer = await Platform().post("/v1/identify", body)
        #expect(answer.status == 400)
        #expect(answer.errorMessage?.contains("hunter2") == false)
    }
}
