// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTransport
import Testing

struct AliasRequestTests {
    private static let path = "/v1/identity/us1-emulated/alias"

    static let good: JSONObject = [
        "request_type": "alias",
        "api_key": "us1-emulated",
        "request_id": "A6C1C5D2-0000-4000-8000-000000000001",
        "environment": "production",
        "data": .object(Self.data),
    ]

    static let data: JSONObject = [
        "source_mpid": 1,
        "destination_mpid": 2,
        "start_unixtime_ms": .number(JSONNumber(ManualTime.start - 1000)),
        "end_unixtime_ms": .number(JSONNumber(ManualTime.start)),
        "device_application_stamp": "stamp",
    ]

    static let bad: [(member: String, value: JSONValue?)] = [
        ("request_type", nil), ("request_type", "merge"), ("api_key", nil), ("api_key", "us1-other"),
        ("environment", nil), ("environment", "unknown"), ("request_id", 1), ("data", nil), ("data", []),
        ("client_sdk", [:]),
    ]

    static let badData: [(member: String, value: JSONValue?)] = [
        ("source_mpid", nil), ("source_mpid", "1"), ("source_mpid", 0), ("source_mpid", 1.5),
        ("destination_mpid", nil), ("destination_mpid", 0), ("destination_mpid", "2"),
        ("start_unixtime_ms", "then"), ("end_unixtime_ms", 1.5), ("device_application_stamp", 1), ("mpid", 1),
    ]

    private static func platform(_ strategy: IdentityStrategy = .default) async -> Platform {
        let platform = Platform(EmulatorConfiguration(strategy: strategy, mpids: .counting(from: 1)))
        _ = await platform.resolve("identify", ["ios_idfv": "v"])
        _ = await platform.resolve("login", ["customerid": "c"])
        return platform
    }

    private static func refused(_ answer: Answer, with status: Int) -> Bool {
        // One flat object, unlike the errors of the other interfaces.
        answer.status == status && answer.json["message"]?.string?.isEmpty == false
            && answer.json["code"]?.string?.isEmpty == false && answer.json.object?.count == 2
    }

    @Test func theDocumentedBodyIsAcceptedSigned() async {
        for prefix in ["", "/nativeevents"] {
            let platform = await Self.platform()
            let body = JSONValue.object(Self.good).encoded()
            var request = Platform.signed(Self.path, body, at: ManualTime.start)
            request.url = "https://h" + prefix + Self.path
            let response = await platform.emulator.handle(request)
            #expect(response.status == 202)
            #expect(response.body.isEmpty)
        }
    }

    @Test func aMalformedBodyIsRefused() async {
        let platform = await Self.platform()
        for (member, value) in Self.bad {
            var body = Self.good
            body[member] = value
            #expect(Self.refused(await platform.post(Self.path, .object(body)), with: 400), "\(member)")
        }
        for (member, value) in Self.badData {
            var body = Self.good
            var data = Self.data
            data[member] = value
            body["data"] = .object(data)
            #expect(Self.refused(await platform.post(Self.path, .object(body)), with: 400), "data.\(member)")
        }
        #expect(platform.emulator.aliases().isEmpty)
    }

    @Test func aForeignKeyInThePathIsUnauthorized() async {
        let answer = await Self.platform().post("/v1/identity/us1-other/alias", .object(Self.good))
        #expect(Self.refused(answer, with: 401))
    }

    @Test(arguments: [IdentityStrategy.isolation, .bestMatch])
    func strategiesWithoutAliasesForbidThem(strategy: IdentityStrategy) async {
        let platform = await Self.platform(strategy)
        #expect(Self.refused(await platform.post(Self.path, .object(Self.good)), with: 403))
        #expect(Self.refused(await platform.post(Self.path, [:]), with: 403))
    }

    @Test(arguments: [IdentityStrategy.default, .conversion, .link])
    func strategiesWithAliasesAcceptThem(strategy: IdentityStrategy) async {
        let platform = await Self.platform(strategy)
        #expect(await platform.post(Self.path, .object(Self.good)).status == 202)
    }
}
