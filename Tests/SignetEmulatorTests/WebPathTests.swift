// SPDX-License-Identifier: Apache-2.0

import SignetEmulator
import SignetModel
import SignetTransport
import Testing

/// The other paths of mParticle's SDK for browsers, and the key in all of them.
struct WebPathTests {
    /// The key in the path is all that counts: neither a missing one nor credentials beside it change that.
    @Test(arguments: [
        (TransportRequest.Method.post, "/v3/JS/KEY/events"), (.post, "/webevents/v3/JS/KEY/events"),
        (.post, "/v1/identity/KEY/Alias"), (.post, "/identity/KEY/Alias"), (.post, "/webevents/v1/identity/KEY/Alias"),
        (.post, "/v1/JS/KEY/Forwarding"), (.post, "/webevents/v2/JS/KEY/Forwarding"), (.get, "/JS/v2/KEY/config"),
        (.get, "/tags/JS/v2/KEY/config?env=1"),
    ])
    func aWrongKeyIsRefused(method: TransportRequest.Method, path: String) async {
        for key in ["us1-other", "US1-emulated", "us1-emulated2", "us1-emulate", "us1%2Demulated", ""] {
            for headers in [[WebClient.text], [WebClient.text, Platform.basic(), ("x-mp-key", Platform.key)]] {
                let platform = Platform()
                let answer = await WebClient.send(
                    WebClient.batch([]),
                    to: platform,
                    path: path.replacing("KEY", with: key),
                    method: method,
                    headers: headers
                )
                #expect(answer.status == 401, "\(key)")
                let message = answer.errorMessage ?? answer.json["message"]?.string
                #expect(message == "The key in the path is wrong. It must be the API key of the workspace.")
                #expect(platform.emulator.batches().isEmpty && platform.emulator.refusedBatches().isEmpty)
            }
        }
    }

    /// The key proves nothing elsewhere.
    @Test func theKeyOfAPageOpensNoPathOfAServer() async {
        let body = WebClient.strict(WebClient.event("first_run", ""))
        for path in ["/v2/events", "/v2/bulkevents", "/v1/identify", "/v1/identity/us1-emulated/alias"] {
            let headers = [("Content-Type", "application/json"), ("x-mp-key", Platform.key)]
            #expect(await WebClient.send(body, to: Platform(), path: path, headers: headers).status == 401)
        }
    }

    @Test(arguments: [
        "/v3/js/us1-emulated/events", "/v3/JS/us1-emulated/Events", "/v3/JS/us1-emulated/events/", "/v3/JS/events",
        "/v1/JS/us1-emulated/events", "/v2/JS/us1-emulated/events", "/tags/v3/JS/us1-emulated/events",
        "/webevents/webevents/v3/JS/us1-emulated/events", "/webevents/v2/events", "/webevents/v1/identify",
        "/webevents/JS/v2/us1-emulated/config", "/JS/v2/us1-emulated", "/v3/JS/us1-emulated/Forwarding",
        "/v1/identity/us1-emulated/ALIAS", "/identity/us1-emulated/alias", "/v2/us1-emulated/events",
    ])
    func otherPathsAreNone(path: String) async {
        let answer = await WebClient.send(WebClient.batch([]), to: Platform(), path: path)
        #expect(answer.status == 404)
        #expect(answer.errorMessage == "The emulator has no such path.")
    }

    @Test(arguments: ["/v2/JS/us1-emulated/Events", "/webevents/v2/JS/us1-emulated/Events"])
    func thePathOfOlderReleasesNamesTheOneThatIsServed(path: String) async {
        let answer = await WebClient.send(Array("{}".utf8), to: Platform(), path: path)
        #expect(answer.status == 404)
        #expect(answer.errorMessage?.contains("/v3/JS/{apiKey}/events") == true)
    }

    static func alias(_ source: String, _ destination: String, scope: String? = #""device""#) -> [UInt8] {
        let text =
            #"{"request_id":"00000000-0000-4000-8000-000000000004","request_type":"alias","#
            + #""environment":"development","api_key":"us1-emulated","data":{"destination_mpid":\#(destination),"#
            + #""source_mpid":\#(source),"#
            + (scope.map { #""scope":\#($0),"# } ?? "")
            + #""device_application_stamp":"00000000-0000-4000-8000-000000000003"}}"#
        return Array(text.utf8)
    }

    private static func platformOfTwo() async -> Platform {
        let platform = Platform(EmulatorConfiguration(mpids: .counting(from: 1)))
        #expect(await platform.resolve("identify", ["device_application_stamp": "d"]).mpid == 1)
        #expect(await platform.resolve("login", ["customerid": "c"]).mpid == 2)
        return platform
    }

    @Test(arguments: [
        "/v1/identity/us1-emulated/Alias", "/identity/us1-emulated/Alias", "/webevents/v1/identity/us1-emulated/Alias",
    ])
    func anAliasOfAPageIsTaken(path: String) async {
        let platform = await Self.platformOfTwo()
        for headers in [[("Content-Type", "application/json")], [WebClient.text]] {
            let body = Self.alias(#""1""#, #""2""#)
            #expect(await WebClient.send(body, to: platform, path: path, headers: headers).status == 202)
        }
        #expect(platform.emulator.aliases().map(\.source.rawValue) == [1])
        #expect(platform.emulator.aliases().map(\.destination.rawValue) == [2])
        #expect(platform.emulator.requestCounts()["webAlias"] == 2)
    }

    @Test(arguments: [
        (alias("1", "2"), 202, ""), (alias(#""1""#, #""2""#, scope: #""mpid""#), 202, ""),
        (alias(#""1""#, #""2""#, scope: nil), 202, ""),
        (alias(#""1""#, #""2""#, scope: #""all""#), 400, "'data.scope'"),
        (alias(#""1""#, #""2""#, scope: "1"), 400, "'data.scope'"),
        (alias(#""x""#, #""2""#), 400, "'data.source_mpid'"),
        (alias(#""1""#, #""0""#), 400, "'data.destination_mpid'"), (alias("null", #""2""#), 400, "'data.source_mpid'"),
        (alias(#""1""#, #""3""#), 400, "does not exist"), (alias(#""2""#, #""1""#), 400, "anonymous"),
    ])
    func theBodyOfAnAliasIsChecked(body: [UInt8], status: Int, names: String) async {
        let platform = await Self.platformOfTwo()
        let answer = await WebClient.send(body, to: platform, path: "/v1/identity/us1-emulated/Alias")
        #expect(answer.status == status)
        if status == 400 {
            // The SDK reads the code and the message of an alias without a list around them.
            #expect(answer.json["code"]?.string == "BAD_REQUEST")
            #expect(answer.json["message"]?.string?.contains(names) == true)
        }
        #expect(platform.emulator.aliases().count == (status == 202 ? 1 : 0))
    }

    /// The form of the SDK is refused at the documented path, also with credentials.
    @Test(arguments: [alias(#""1""#, #""2""#, scope: nil), alias("1", "2")])
    func theDocumentedPathOfAliasesStaysStrict(body: [UInt8]) async {
        let platform = await Self.platformOfTwo()
        let request = Platform.request("/v1/identity/us1-emulated/alias", body)
        #expect(await platform.emulator.handle(request).status == 400)
        #expect(platform.emulator.aliases().isEmpty)
    }

    @Test(arguments: ["/JS/v2/us1-emulated/config", "/tags/JS/v2/us1-emulated/config?env=0&plan_id=shop"])
    func theConfigurationIsTheLeastThatTheSDKStartsWith(path: String) async {
        let platform = Platform()
        let answer = await WebClient.send([], to: platform, path: path, method: .get)
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"] == "application/json; charset=utf-8")
        #expect(answer.json == ["workspaceToken": "us1-emulated", "kitConfigs": [], "pixelConfigs": []])
        let wrong = await WebClient.send([], to: platform, path: path)
        #expect(wrong.status == 405 && wrong.headers["Allow"] == "GET")
        #expect(platform.emulator.requestCounts() == ["webConfiguration": 2])
    }

    @Test(arguments: [
        "/v1/JS/us1-emulated/Forwarding", "/v2/JS/us1-emulated/Forwarding", "/webevents/v1/JS/us1-emulated/Forwarding",
        "/webevents/v2/JS/us1-emulated/Forwarding",
    ])
    func reportsOfForwardingAreTakenAndNotKept(path: String) async {
        let platform = Platform()
        for body in [#"{"mid":1,"n":"go"}"#, #"{"uuid":"u","data":[]}"#, "", "no JSON"] {
            #expect(await WebClient.send(Array(body.utf8), to: platform, path: path).status == 202)
        }
        #expect(platform.emulator.batches().isEmpty && platform.emulator.refusedBatches().isEmpty)
        #expect(platform.emulator.users().isEmpty)
        let wrong = await WebClient.send([], to: platform, path: path, method: .get)
        #expect(wrong.status == 405 && wrong.headers["Allow"] == "POST")
    }
}
