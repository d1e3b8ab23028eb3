// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport

/// A project on an emulator whose clock stands still, and requests to it as the vendor's client spells them.
struct IterablePlatform {
    static let key = "emulated-project"
    static let secret: Secret = "emulated-project-secret"

    let emulator: Emulator
    let time = ManualTime()

    init(_ project: EmulatedIterableProject = EmulatedIterableProject(), clock: ManualClock = ManualClock()) {
        var configuration = EmulatorConfiguration()
        configuration.iterableProjects = [project]
        self.emulator = Emulator(configuration, clock: clock, wallClock: self.time.date)
    }

    var iterable: EmulatedIterable {
        self.emulator.iterable
    }

    static func headers(token: String? = nil, key: String = key) -> [(String, String)] {
        let fields = [
            ("Content-Type", "application/json"), ("Api-Key", key), ("SDK-Platform", "iOS"), ("SDK-Version", "6.7.3"),
            ("Sent-At", "1700000000"), ("SDK-Request-Processor", "Online"),
        ]
        return fields + (token.map { [("Authorization", "Bearer " + $0)] } ?? [])
    }

    static func request(
        _ path: String,
        _ body: [UInt8] = [],
        method: TransportRequest.Method = .post,
        headers: [(String, String)] = headers()
    ) -> TransportRequest {
        var fields = HTTPHeaders()
        for (name, value) in headers {
            fields.append(name: name, value: value)
        }
        return TransportRequest(
            method: method,
            url: "https://api.iterable.com/api/" + path,
            headers: fields,
            body: body
        )
    }

    /// Posts a text, be it JSON or not.
    func post(_ path: String, _ body: String, token: String? = nil) async -> IterableAnswer {
        let request = Self.request(path, Array(body.utf8), headers: Self.headers(token: token))
        return IterableAnswer(await self.emulator.handle(request))
    }

    func post(_ path: String, _ body: JSONValue, token: String? = nil) async -> IterableAnswer {
        await self.post(path, String(decoding: body.encoded(), as: UTF8.self), token: token)
    }

    func get(_ path: String, headers: [(String, String)] = headers()) async -> TransportResponse {
        await self.emulator.handle(Self.request(path, method: .get, headers: headers))
    }

    // MARK: Requests

    @discardableResult
    func activate(_ userID: String, criteria: Int64? = nil, fields: JSONObject? = nil) async -> IterableAnswer {
        var user: JSONObject = [
            "userId": .string(userID), "preferUserId": true, "mergeNestedObjects": true, "createNewFields": true,
        ]
        user["dataFields"] = fields.map(JSONValue.object)
        var context: JSONObject = [
            "totalUnknownSessionCount": 2, "lastUnknownSession": 1_699_999_990, "firstUnknownSession": 1_699_999_000,
        ]
        context["matchedCriteriaId"] = criteria.map { .number(JSONNumber($0)) }
        return await self.post(
            "unknownuser/events/session",
            [
                "user": .object(user), "createdAt": 1_700_000_000,
                "deviceInfo": ["deviceId": "d", "platform": "iOS", "appPackageName": "com.example"],
                "unknownSessionContext": .object(context),
            ]
        )
    }

    @discardableResult
    func track(
        _ name: String,
        _ user: JSONObject,
        at seconds: Int64 = 1_700_000_000,
        token: String? = nil
    ) async
        -> IterableAnswer
    {
        var body = user
        body["eventName"] = .string(name)
        body["createdAt"] = .number(JSONNumber(seconds))
        return await self.post("events/track", .object(body), token: token)
    }

    @discardableResult
    func update(_ user: JSONObject, _ fields: JSONObject, mergesNested: Bool = false) async -> IterableAnswer {
        var body = user
        body["dataFields"] = .object(fields)
        body["mergeNestedObjects"] = .bool(mergesNested)
        return await self.post("users/update", .object(body))
    }

    @discardableResult
    func merge(_ source: String, into destination: JSONObject, token: String? = nil) async -> IterableAnswer {
        var body = destination
        body["sourceUserId"] = .string(source)
        return await self.post("users/merge", .object(body), token: token)
    }
}

/// What came back from Iterable's API.
struct IterableAnswer {
    let status: Int
    let code: String?
    let message: String?

    init(_ response: TransportResponse) {
        let answer = Answer(response)
        self.status = answer.status
        self.code = answer.json["code"]?.string
        self.message = answer.json["msg"]?.string
    }
}
