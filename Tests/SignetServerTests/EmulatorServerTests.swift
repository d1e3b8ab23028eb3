// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetServer
import SignetTestSupport
import SignetTransport
import Testing

import struct FoundationEssentials.Date

/// The documented paths over real HTTP.
@Suite(.watched) struct EmulatorServerTests {
    private static func emulator() -> Emulator {
        Emulator(
            EmulatorConfiguration(mpids: .counting(from: 1)),
            wallClock: { Date(timeIntervalSince1970: 1_800_000_000) }
        )
    }

    @Test func everyPathAnswersAsInTheProcess() async throws {
        let (served, direct) = (Self.emulator(), Self.emulator())
        try await EmulatorServer(served).serve { url async throws in
            for request in Requests.all {
                let name = "\(request.method.rawValue) \(request.path)"
                let answer = try #require(
                    try await HTTPConnection.send(
                        request.method,
                        request.path,
                        request.body,
                        headers: request.headers,
                        to: url
                    )
                )
                var headers = HTTPHeaders()
                for (name, value) in request.headers { headers.append(name: name, value: value) }
                let expected = await direct.handle(
                    TransportRequest(
                        method: request.method,
                        url: "https://platform.example" + request.path,
                        headers: headers,
                        body: Array(request.body.utf8)
                    )
                )
                #expect((200...299).contains(answer.status), "\(name): \(answer.text)")
                #expect(answer.status == expected.status, "\(name)")
                #expect(answer.body == expected.body, "\(name)")
                for field in expected.headers {
                    #expect(answer.headers.values(of: field.name) == [field.value], "\(name)")
                }
            }
        }
        #expect(Set(served.requestCounts().keys) == Set(EmulatorRoute.allCases.map(\.rawValue)))
        #expect(served.users() == direct.users())
        #expect(served.batches() == direct.batches())
    }

    @Test func aConnectionServesManyRequests() async throws {
        try await EmulatorServer(Self.emulator()).serve { url async throws in
            let request = "GET /mobile/1/baseurl HTTP/1.1\r\nHost: localhost\r\n"
            let bytes = Array((request + "\r\n" + request + "\r\n" + request + "Connection: close\r\n\r\n").utf8)
            let answer = try await HTTPConnection.exchange([bytes], with: url)
            #expect(String(decoding: answer, as: UTF8.self).components(of: "HTTP/1.1 401") == 3)
        }
    }

    @Test func whatTheServicesRefuseTheyRefuseHereInTheirForms() async throws {
        try await EmulatorServer(Self.emulator()).serve { url async throws in
            let json = ("Content-Type", "application/json")
            let identity = try #require(
                try await HTTPConnection.send(.post, "/v1/identify", "{}", headers: [json], to: url)
            )
            #expect(identity.status == 401)
            #expect(try identity.json["errors"]?.array?.first?["code"]?.string == "UNAUTHORIZED")
            let events = try #require(
                try await HTTPConnection.send(
                    .post,
                    "/v2/events",
                    "{}",
                    headers: [json, ("Authorization", "Basic eDp5")],
                    to: url
                )
            )
            #expect(events.status == 403)
            let visitors = try #require(
                try await HTTPConnection.send(
                    .post,
                    "/api/events/track",
                    "{}",
                    headers: [json, ("Api-Key", "no")],
                    to: url
                )
            )
            #expect(try visitors.json["code"]?.string == "BadApiKey")
            let people = try #require(try await HTTPConnection.send(.get, "/mobile/1/baseurl", to: url))
            #expect(try people.json["requestError"]?["serviceException"]?["messageId"]?.string == "APP_CODE_MISSING")
            let nowhere = try #require(try await HTTPConnection.send(.get, "/v3/identify", to: url))
            #expect(nowhere.status == 404)
            let wrong = try #require(try await HTTPConnection.send(.get, "/v1/identify", to: url))
            #expect(wrong.status == 405 && wrong.headers["Allow"] == "POST")
        }
    }

    @Test func aServerRunsOnceAndSaysWhenItCannot() async throws {
        let server = EmulatorServer(Self.emulator())
        let port = try await server.serve { url async throws in
            let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            let second = EmulatorServer(
                Self.emulator(),
                configuration: EmulatorServerConfiguration(host: "203.0.113.1", port: port)
            )
            let error = await #expect(throws: EmulatorServerError.self) { try await second.run() }
            #expect(error?.code == .notListening)
            #expect(error?.message.contains("203.0.113.1 is no address of this machine") == true)
            return port
        }
        #expect(port > 0)
        let again = await #expect(throws: EmulatorServerError.self) { try await server.run() }
        #expect(again?.code == .stopped)
        await #expect(throws: EmulatorServerError.self) { try await server.url() }
    }

    @Test func whoWaitsForTheAddressOfAServerThatCannotListenIsToldWhy() async throws {
        try await EmulatorServer(Self.emulator()).serve { url async throws in
            let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            let second = EmulatorServer(
                Self.emulator(),
                configuration: EmulatorServerConfiguration(host: "127.0.0.1", port: port)
            )
            let error = await #expect(throws: EmulatorServerError.self) {
                try await second.serve { _ in Issue.record("It listens where another one does.") }
            }
            #expect(error?.code == .notListening)
            #expect(error?.message.hasPrefix("Port \(port) of 127.0.0.1 is in use by another process.") == true)
        }
    }

    @Test func whatWaitsForAFaultDoesNotKeepAServerFromEnding() async throws {
        let emulator = Self.emulator()
        let gate = EmulatorGate()
        emulator.faults.injectAlways(.held(gate), on: .baseURL)
        emulator.faults.inject(.timeout, on: .identify)
        let server = EmulatorServer(emulator)
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await server.serve { url async throws in
                for path in ["/mobile/1/baseurl", "/v1/identify"] {
                    let method: TransportRequest.Method = path == "/v1/identify" ? .post : .get
                    group.addTask {
                        let answer = try await HTTPConnection.send(method, path, to: url)
                        #expect(answer == nil)
                    }
                }
                await gate.arrived()
                // Who comes when the server has ended finds nobody to wait for.
                await until("the request meets its faults") { emulator.faults.remaining == 0 }
            }
            try await group.waitForAll()
        }
    }
}

extension String {
    fileprivate func components(of needle: String) -> Int {
        var (count, rest) = (0, self[...])
        while let range = rest.firstRange(of: needle) {
            count += 1
            rest = rest[range.upperBound...]
        }
        return count
    }
}
#endif
