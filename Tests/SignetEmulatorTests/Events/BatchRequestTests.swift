// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTransport
import Testing

struct BatchRequestTests {
    static let good: JSONObject = [
        "source_request_id": "batch-1",
        "environment": "development",
        "mpid": -6_504_934_091_054_997_508,
        "mp_deviceid": "00000000-0000-4000-8000-00000000000A",
        "timestamp_unixtime_ms": 1_700_000_000_000,
        "source_info": ["channel": "server_to_server"],
        "sdk_version": "0.1.0",
        "device_info": ["platform": "out_of_band", "os_version": "1", "is_tablet": false, "screen_dpi": 300],
        "application_info": ["application_name": "Shop", "application_version": "1.0", "os": "OutOfBand"],
        "user_attributes": ["plan": "gold", "visits": 3, "vip": true, "tag": nil, "sizes": ["s", 42, nil]],
        "deleted_user_attributes": ["old"],
        "user_identities": ["customer_id": "c", "other_id_2": 7, "email": nil],
        "integration_attributes": ["128": ["key": "value"]],
        "context": ["data_plan": ["plan_id": "shop", "plan_version": 2]],
        "attribution_info": ["service_provider": "s", "publisher": "p", "campaign": nil],
        "consent_state": [
            "gdpr": ["marketing": ["consented": true, "timestamp_unixtime_ms": 1, "document": "v1"]],
            "ccpa": ["data_sale_opt_out": ["consented": false, "timestamp_unixtime_ms": 1]],
        ],
        "events": [],
    ]

    /// What breaks the good batch: the member, what it becomes (nil takes it away), and what the refusal names.
    static let bad: [(member: String, value: JSONValue?, names: String)] = [
        ("environment", nil, "'batch.environment' is missing"),
        ("environment", .null, "'batch.environment' is missing"),
        ("environment", "unknown", "'batch.environment' must be one of"),
        ("mpid", 0, "'batch.mpid' must not be zero"),
        ("mpid", "5", "'batch.mpid' must be an integer"),
        ("mpid", 1.5, "'batch.mpid' must be an integer"),
        ("schema_version", 2, "not documented"),
        ("deviceInfo", [:], "not documented"),
        ("events", [:], "'batch.events' must be an array"),
        ("user_attributes", [], "'batch.user_attributes' must be an object"),
        ("user_attributes", ["a": ["b": 1]], "'batch.user_attributes.*' must be"),
        ("user_attributes", ["a": [["b"]]], "'batch.user_attributes.*[0]' must be"),
        ("deleted_user_attributes", ["a", 1], "'batch.deleted_user_attributes[1]' must be a string"),
        ("user_identities", ["customerId": "c"], "'batch.user_identities' holds"),
        ("user_identities", ["email": ["e"]], "'batch.user_identities.email' must be"),
        ("user_identities", ["email": ""], "'batch.user_identities.email' must not be empty"),
        ("mp_deviceid", "stamp", "'batch.mp_deviceid' must be a UUID"),
        ("mp_deviceid", "00000000-0000-4000-8000-00000000000G", "'batch.mp_deviceid' must be a UUID"),
        ("mp_deviceid", "000000000000-4000-8000-00000000-0000", "'batch.mp_deviceid' must be a UUID"),
        ("device_info", ["platform": "Linux"], "'batch.device_info.platform' must be one of"),
        ("device_info", ["device_name": "x"], "'batch.device_info' holds"),
        ("device_info", ["is_tablet": "no"], "'batch.device_info.is_tablet' must be true or false"),
        ("application_info", ["version": "1"], "'batch.application_info' holds"),
        ("application_info", ["os": ["IOS"]], "'batch.application_info.os' must be a string, a number"),
        ("source_info", ["channel": "carrier pigeon"], "'batch.source_info.channel' must be one of"),
        ("source_info", [:], "'batch.source_info.channel' is missing"),
        ("attribution_info", ["publisher": "p"], "'batch.attribution_info.campaign' is missing"),
        ("context", ["data_plan": ["plan_version": 1]], "'batch.context.data_plan.plan_id' is missing"),
        ("consent_state", ["gdpr": ["a": ["consented": true]]], "timestamp_unixtime_ms' is missing"),
        ("consent_state", ["other": [:]], "'batch.consent_state' holds"),
        ("integration_attributes", ["128": "x"], "'batch.integration_attributes.*' must be an object"),
        ("timestamp_unixtime_ms", "now", "'batch.timestamp_unixtime_ms' must be an integer"),
        ("source_request_id", [], "'batch.source_request_id' must be"),
    ]

    @Test func aFullBatchIsTaken() async {
        let platform = Platform()
        #expect(await platform.post("/v2/events", .object(Self.good)).status == 202)
        #expect(platform.emulator.batches().map(\.requestID) == ["batch-1"])
    }

    /// The schema's list of systems stands beside `$ref`, where draft-07 ignores it.
    @Test func anySystemIsTaken() async {
        for system: JSONValue in ["IOS", "Unknown", "Linux", nil] {
            var batch = Self.good
            batch["application_info"] = ["os": system]
            #expect(await Platform().post("/v2/events", .object(batch)).status == 202, "\(system)")
        }
    }

    @Test func aMalformedBatchIsRefusedAndSaysWhy() async {
        let platform = Platform()
        for (member, value, names) in Self.bad {
            var batch = Self.good
            batch[member] = value
            let answer = await platform.post("/v2/events", .object(batch))
            #expect(answer.status == 400, "\(member) \(names)")
            #expect(answer.errorCode == "BAD_REQUEST")
            #expect(answer.errorMessage?.contains(names) == true, "\(answer.errorMessage ?? "-") for \(names)")
        }
        #expect(platform.emulator.batches().isEmpty)
        #expect(platform.emulator.refusedBatches().count == Self.bad.count)
    }

    @Test func aBatchNamesItsUserOneWayOrTheOther() async {
        for identities: JSONValue in [nil, [:], ["email": nil]] {
            var batch = Self.good
            batch["mpid"] = nil
            batch["user_identities"] = identities
            let answer = await Platform().post("/v2/events", .object(batch))
            #expect(answer.status == 400)
            #expect(answer.errorMessage?.contains("must name a user") == true)
        }
        #expect(await Platform().post("/v2/events", ["environment": "production", "mpid": 5]).status == 202)
    }

    @Test func aValueIsNeverRepeated() async {
        for batch: JSONValue in [
            ["environment": "hunter2", "mpid": 1],
            ["environment": "production", "mpid": 1, "user_attributes": ["hunter2": [["hunter2"]]]],
            ["environment": "production", "mpid": 1, "hunter2": "hunter2"],
        ] {
            let answer = await Platform().post("/v2/events", batch)
            #expect(answer.status == 400)
            #expect(answer.errorMessage?.contains("hunter2") == false)
        }
    }
}
