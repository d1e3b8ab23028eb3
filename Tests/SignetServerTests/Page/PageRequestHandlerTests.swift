// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetServer
import SignetTestSupport
import SignetTransport
import Testing

@testable import SignetServer

/// What the live page's script asks for.
@Suite(.watched) struct PageRequestHandlerTests {
    private static let json = ("Content-Type", "application/json")

    @Test func theFilesHaveNoScriptWithinAndFetchNothing() async throws {
        try await EmulatorServer().serve { url async throws in
            let scripts = [
                "address", "canvas", "copy", "criteria", "details", "events", "faults", "kinds", "page", "parts",
                "people", "profile", "rate", "requests", "status", "story", "timeline",
            ]
            let files = [("/", "text/html"), ("/_signet/page.css", "text/css")]
            for (path, type) in files + scripts.map({ ("/_signet/\($0).js", "text/javascript") }) {
                let file = try #require(try await HTTPConnection.send(.get, path, to: url))
                #expect(file.status == 200)
                #expect(file.headers["Content-Type"]?.hasPrefix(type) == true)
                let policy = try #require(file.headers["Content-Security-Policy"])
                #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
                #expect(file.headers["X-Content-Type-Options"] == "nosniff")
                #expect(
                    !file.text.contains("https://") && !file.text.contains("innerHTML") && !file.text.contains("style=")
                )
                #expect(file.text.firstMatch(of: /<script>|\son[a-z]+=/) == nil)
            }
        }
    }

    @Test(
        arguments: [
            ("/", "200"), ("/_signet/state", "200"), ("/_signet/feed", "200"), ("/_signet/nothing", "404"),
            ("/v2/events", "405"),
        ]
    )
    func anAnswerToHEADHasNoBody(path: String, status: String) async throws {
        try await EmulatorServer().serve { url async throws in
            let host = url.dropFirst("http://".count)
            let head = "HEAD \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
            let answer = String(
                decoding: try await HTTPConnection.exchange([Array(head.utf8)], with: url),
                as: UTF8.self
            )
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            #expect(answer.hasSuffix("\r\n\r\n"), "\(answer)")
        }
    }

    @Test(arguments: ["-9223372036854775808", "9223372036854775807", "0", "x"])
    func aRequestThatIsNotThereIsNotFound(number: String) async throws {
        try await EmulatorServer().serve { url async throws in
            let answer = try await HTTPConnection.send(.get, "/_signet/exchanges/" + number, to: url)
            #expect(answer?.status == 404)
        }
    }

    @Test func usersAreFoundByTheirIdentities() async throws {
        let emulator = Emulator(EmulatorConfiguration(mpids: .counting(from: 1)))
        try await EmulatorServer(emulator).serve { url async throws in
            for customer in ["anna", "<b>ben</b>"] {
                let headers = [Self.json, Requests.basic]
                _ = try await HTTPConnection.send(
                    .post,
                    "/v1/identify",
                    Requests.identity(customer),
                    headers: headers,
                    to: url
                )
                let batch = Requests.batch("batch of \(customer)", customer: customer)
                _ = try await HTTPConnection.send(.post, "/v2/events", batch, headers: headers, to: url)
            }
            let found = try #require(try await HTTPConnection.send(.get, "/_signet/users?q=%3Cb%3EBEN", to: url)).json
            #expect(found["found"]?.number?.int64 == 1)
            #expect(found["users"]?.array?.first?["name"]?.string == "2")
            let all = try #require(try await HTTPConnection.send(.get, "/_signet/users", to: url)).json
            #expect(all["found"]?.number?.int64 == 2)
            let user = try #require(try await HTTPConnection.send(.get, "/_signet/users/1", to: url)).json
            #expect(user["identities"]?.array?.first?["value"]?.string == "anna")
            #expect(user["sessions"]?.array?.first?["id"]?.string == "5")
            #expect(user["events"]?.array?.first?["name"]?.string == "seen")
            let devices = try #require(user["devices"]?.array)
            #expect(devices.count == 1 && devices.first?["device"]?.string == "")
            #expect(try await HTTPConnection.send(.get, "/_signet/users/9", to: url)?.status == 404)
            let state = try #require(try await HTTPConnection.send(.get, "/_signet/state", to: url)).json
            #expect(state["users"]?.number?.int64 == 2 && state["batches"]?.number?.int64 == 2)
            let raw = try #require(try await HTTPConnection.send(.get, "/_signet/exchanges/1", to: url))
            #expect(try raw.json["requestBody"]?.string == Requests.identity("anna"))
            #expect(!raw.text.contains(Requests.basic.1))
        }
    }

    @Test func aUsersDevicesAreThoseOfTheirBatchesTheLastOneFirst() async throws {
        let emulator = Emulator(EmulatorConfiguration(mpids: .counting(from: 1)))
        try await EmulatorServer(emulator).serve { url async throws in
            let headers = [Self.json, Requests.basic]
            _ = try await HTTPConnection.send(.post, "/v1/identify", Requests.identity("a"), headers: headers, to: url)
            for (index, brand) in ["one", "two", "one"].enumerated() {
                let batch =
                    Requests.batch("\(index)", customer: "a").dropLast()
                    + #","ip":"192.0.2.1","device_info":{"brand":"\#(brand)"},"application_info":{"package":"shop"}}"#
                _ = try await HTTPConnection.send(.post, "/v2/events", String(batch), headers: headers, to: url)
            }
            let user = try #require(try await HTTPConnection.send(.get, "/_signet/users/1", to: url)).json
            let devices = try #require(user["devices"]?.array)
            #expect(Set(devices.map { $0["device"]?.string }) == ["brand one", "brand two"])
            #expect(devices.map { $0["events"]?.number?.int64 }.reduce(0) { $0 + ($1 ?? 0) } == 3)
            #expect(
                devices.allSatisfy { $0["ip"]?.string == "192.0.2.1" && $0["application"]?.string == "package shop" }
            )
        }
    }

    @Test func theFeedTellsOfEachRequestAndEndsWithTheServer() async throws {
        let server = EmulatorServer()
        let bytes = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            try await server.serve { url async throws in
                let (opened, open) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    open.yield()
                    let request = "GET /_signet/feed HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    return try await HTTPConnection.exchange([Array(request.utf8)], with: url)
                }
                for await _ in opened { break }
                await until("a page listens") { server.pagesListening > 0 }
                _ = try await HTTPConnection.send(.get, "/mobile/1/baseurl", to: url)
            }
            return try await group.next() ?? []
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("text/event-stream"))
        #expect(text.contains(#""path":"/mobile/1/baseurl","status":401"#), "\(text)")
    }

    @Test(
        arguments: [
            [("Origin", "http://evil.example")], [("Origin", "null")], [("Sec-Fetch-Site", "cross-site")],
            [("Sec-Fetch-Site", "same-site")], [("Origin", "http://localhost:1")],
        ]
    )
    func thePagesOfStrangersMayNotAsk(headers: [(String, String)]) async throws {
        let emulator = Emulator()
        try await EmulatorServer(emulator).serve { url async throws in
            for (method, path) in [(TransportRequest.Method.get, "/_signet/users"), (.post, "/_signet/faults")] {
                let body = #"{"fault":"timeout"}"#
                let answer = try await HTTPConnection.send(method, path, body, headers: headers + [Self.json], to: url)
                #expect(answer?.status == 403)
            }
            let form = [("Content-Type", "text/plain")]
            let answer = try await HTTPConnection.send(
                .post,
                "/_signet/faults",
                #"{"fault":"timeout"}"#,
                headers: form,
                to: url
            )
            #expect(answer?.status == 415)
        }
        #expect(emulator.faults.isClear)
    }

    @Test func faultsAreSwitchedAndCleared() async throws {
        let emulator = Emulator()
        try await EmulatorServer(emulator).serve { url async throws in
            let own = [Self.json, ("Origin", url), ("Sec-Fetch-Site", "same-origin")]
            let body = #"{"fault":"status","status":503,"route":"identify"}"#
            let up = try #require(try await HTTPConnection.send(.post, "/_signet/faults", body, headers: own, to: url))
                .json
            #expect(up["standing"]?.array?.count == 1)
            #expect(try await HTTPConnection.send(.post, "/v1/identify", to: url)?.status == 503)
            #expect(try await HTTPConnection.send(.post, "/_signet/faults", "{", headers: own, to: url)?.status == 400)
            let down = try #require(try await HTTPConnection.send(.delete, "/_signet/faults", headers: own, to: url))
                .json
            #expect(down["standing"]?.array?.isEmpty == true)
            #expect(emulator.faults.isClear)
            _ = try await HTTPConnection.send(.post, "/_signet/faults", body, headers: own, to: url)
            // As `curl -X DELETE` does.
            #expect(try await HTTPConnection.send(.delete, "/_signet/faults", to: url)?.status == 200)
            #expect(emulator.faults.isClear)
        }
    }

    @Test func faultsOfAFileAreShownToo() async throws {
        let emulator = Emulator()
        let file =
            #"[{"fault":"status","status":503,"retryAfter":2.5},{"fault":"delay","seconds":0.25,"route":"identify"},"#
            + #"{"fault":"garbage","body":"x","route":"login"},{"fault":"timeout","route":"search"},"#
            + #"{"fault":"replyLost","share":0.25},{"fault":"delay","seconds":1.5,"route":"login","share":0.5}]"#
        try emulator.faults.add(file: Array(file.utf8))
        try await EmulatorServer(emulator).serve { url async throws in
            let shown = try #require(try await HTTPConnection.send(.get, "/_signet/faults", to: url)).json
            let written = try JSONReader.read(Array(file.utf8))
            let entries = shown["standing"]?.array?.compactMap { $0.object } ?? []
            #expect(entries.map { $0["number"]?.number?.int64 } == [1, 2, 3, 4, 5, 6])
            let rest = entries.map { entry in
                var entry = entry
                entry["number"] = nil
                return JSONValue.object(entry)
            }
            #expect(Set(rest) == Set(written.array ?? []))
        }
    }

    @Test func eachFaultIsRemovedAlone() async throws {
        let emulator = Emulator()
        try await EmulatorServer(emulator).serve { url async throws in
            for body in [#"{"fault":"timeout","route":"login"}"#, #"{"fault":"status","status":503,"times":3}"#] {
                _ = try await HTTPConnection.send(.post, "/_signet/faults", body, headers: [Self.json], to: url)
            }
            let left = try #require(try await HTTPConnection.send(.delete, "/_signet/faults/1", to: url)).json
            let standing = try #require(left["standing"]?.array)
            #expect(standing.count == 1 && standing.first?["times"]?.number?.int64 == 3)
            for number in ["1", "9", "x"] {
                let answer = try await HTTPConnection.send(.delete, "/_signet/faults/\(number)", to: url)
                #expect(answer?.status == 404, "\(number)")
            }
            #expect(try await HTTPConnection.send(.post, "/v1/identify", to: url)?.status == 503)
        }
    }

    @Test func secretsOfHeadersAreHidden() async throws {
        try await EmulatorServer().serve { url async throws in
            let secrets = [
                ("Cookie", "session=topsecret; x=1"), ("Authorization", "topsecret and more"), ("Api-Key", "topsecret"),
                ("x-mp-signature", "topsecret"),
            ]
            _ = try await HTTPConnection.send(.get, "/mobile/1/baseurl", headers: secrets, to: url)
            _ = try await HTTPConnection.send(.get, "/a", headers: [("Authorization", "Bearer topsecret")], to: url)
            for number in 1...2 {
                let shown = try #require(try await HTTPConnection.send(.get, "/_signet/exchanges/\(number)", to: url))
                #expect(shown.status == 200 && !shown.text.contains("topsecret"))
                #expect(shown.text.contains("Bearer <hidden>") == (number == 2))
            }
        }
    }

    @Test func criteriaAreTriedInBothDialects() async throws {
        try await EmulatorServer().serve { url async throws in
            let body = #"{"criteria":"{\"count\":0,\"criteriaSets\":[]}","events":"[]"}"#
            let tried = try #require(
                try await HTTPConnection.send(.post, "/_signet/criteria/check", body, headers: [Self.json], to: url)
            )
            #expect(try tried.json.array?.map { $0["dialect"]?.string } == ["strict", "iOS"], "\(tried.text)")
            let bad = #"{"criteria":"{","events":"["}"#
            let answer = try await HTTPConnection.send(
                .post,
                "/_signet/criteria/check",
                bad,
                headers: [Self.json],
                to: url
            )
            #expect(answer?.status == 400)
        }
    }

    @Test(
        arguments: [
            ("{\\n  \\\"count\\\": 1,\\n  x", "[]", "The criteria are not valid JSON. Line 3, column 3: "),
            ("{}", "[\\n", "The records are not valid JSON. Line 2, column 1: "),
        ]
    )
    func aTextThatIsNoJSONHasOneFault(criteria: String, events: String, fault: String) async throws {
        try await EmulatorServer().serve { url async throws in
            let answer = try #require(
                try await HTTPConnection.send(
                    .post,
                    "/_signet/criteria/check",
                    #"{"criteria":"\#(criteria)","events":"\#(events)"}"#,
                    headers: [Self.json],
                    to: url
                )
            )
            #expect(answer.status == 400)
            #expect(try answer.json["message"]?.string?.hasPrefix(fault) == true, "\(answer.text)")
        }
    }

    @Test func aServerWithoutAPageHasNone() async throws {
        var configuration = EmulatorServerConfiguration()
        configuration.showsPage = false
        try await EmulatorServer(configuration: configuration).serve { url async throws in
            #expect(try await HTTPConnection.send(.get, "/", to: url)?.status == 404)
            #expect(try await HTTPConnection.send(.get, "/_signet/users", to: url)?.status == 404)
        }
    }
}
#endif
