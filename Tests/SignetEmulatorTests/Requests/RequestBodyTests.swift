// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetTransport
import Testing

struct RequestBodyTests {
    private static let good = Platform.identityBody(["email": "e"]).encoded()

    private static func answer(_ body: [UInt8], _ headers: [(String, String)] = [], path: String) async -> Answer {
        var fields = HTTPHeaders()
        for (name, value) in [Platform.basic()] + headers {
            fields.append(name: name, value: value)
        }
        let request = TransportRequest(method: .post, url: "https://h" + path, headers: fields, body: body)
        return Answer(await Platform().emulator.handle(request))
    }

    @Test(arguments: [
        "", " ", "null", "[]", "7", "\"\"", "{", "}", "{,}", "{}x", #"{"a":1,}"#, #"{"a":1,"a":2}"#, "{'a':1}", "NaN",
        #"{"environment":"production","environment":"production"}"#, "\u{FEFF}{}", #"{"a":"\ud800"}"#,
    ])
    func whatIsNoJSONObjectIsRefused(body: String) async {
        for path in ["/v1/identify", "/v1/1/modify", "/v2/events"] {
            let answer = await Self.answer(Array(body.utf8), path: path)
            #expect(answer.status == 400)
            #expect(answer.errorCode == "BAD_REQUEST")
        }
    }

    @Test func bytesThatAreNoTextAreRefused() async {
        #expect(await Self.answer([0xFF, 0xFE, 0x7B], path: "/v1/identify").status == 400)
        #expect(
            await Self.answer([0x7B, 0x22, 0xC0, 0xAF, 0x22, 0x3A, 0x31, 0x7D], path: "/v1/identify").status == 400
        )
    }

    @Test(arguments: [33, 10_000])
    func aDeepBodyIsRefused(depth: Int) async {
        let body = #"{"context":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        let answer = await Self.answer(Array(body.utf8), path: "/v1/identify")
        #expect(answer.status == 400)
        #expect(answer.errorMessage?.contains("tooDeep") == true)
    }

    @Test func aLongIdentityBodyIsRefused() async {
        let limit = EmulatorLimits().identityRequestBytes
        let padding = [UInt8](repeating: UInt8(ascii: " "), count: limit - Self.good.count)
        #expect(await Self.answer(Self.good + padding, path: "/v1/identify").status == 200)
        #expect(await Self.answer(Self.good + padding + [0x20], path: "/v1/identify").status == 400)
    }

    @Test(arguments: [
        ("Content-Type", "application/json", 200),
        ("content-type", "Application/JSON;charset=UTF-8", 200),
        ("Content-Type", "application/json; charset=\"utf-8\"", 200),
        ("Content-Type", "application/json; charset=utf-16", 400),
        ("Content-Type", "application/jsonp", 400),
        ("Content-Type", "text/plain", 400),
        ("Content-Type", "", 400),
        ("Content-Encoding", "identity", 200),
        ("Content-Encoding", "br", 415),
        ("X-Other", "gzip", 200),
    ])
    func theBodyIsPlainJSONInUTF8(name: String, value: String, status: Int) async {
        #expect(await Self.answer(Self.good, [(name, value)], path: "/v1/identify").status == status)
    }

    /// 415 in a build without gzip.
    @Test func aBodyThatSaysGzipAndIsNoneIsRefused() async {
        let status = await Self.answer(Self.good, [("Content-Encoding", "gzip")], path: "/v1/identify").status
        #expect([400, 415].contains(status))
    }

    @Test func whatIsWrongFirstIsSaidFirst() async {
        let emulator = Platform().emulator
        func status(_ path: String, _ method: TransportRequest.Method, _ headers: [(String, String)]) async -> Int {
            await emulator.handle(Platform.request(path, [0xFF], method: method, headers: headers)).status
        }
        #expect(await status("/v1/nothing", .get, []) == 404)
        #expect(await status("/v1/identify", .get, []) == 405)
        #expect(await status("/v1/identify", .post, []) == 401)
        #expect(await status("/v1/identify", .post, [Platform.basic()]) == 400)
    }

    @Test func aWrongMethodIsToldTheRightOne() async {
        for method in [TransportRequest.Method.get, .put, .patch, .delete] {
            let request = Platform.request("/v1/identify", Self.good, method: method)
            let response = await Platform().emulator.handle(request)
            #expect(response.status == 405)
            #expect(response.headers["Allow"] == "POST")
        }
    }
}
