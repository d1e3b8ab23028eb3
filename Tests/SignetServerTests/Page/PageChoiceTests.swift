// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetServer
import SignetTestSupport
import SignetTransport
import Testing

/// The live page shows the project and the application that it is asked for, and calls nobody by another's name.
@Suite(.watched) struct PageChoiceTests {
    private static let json = ("Content-Type", "application/json")

    @Test func eachProjectShowsItsOwnVisitorsAndCriteria() async throws {
        var configuration = EmulatorConfiguration()
        configuration.iterableProjects = ["first", "second"].map { EmulatedIterableProject(apiKey: $0) }
        configuration.applications = ["one", "two"].map { EmulatedInfobipApplication(code: $0) }
        let emulator = Emulator(configuration)
        try await EmulatorServer(emulator).serve { url async throws in
            try await Self.track("u", in: "second", to: url)
            let state = try await Self.get("state?project=second&application=two", from: url).json
            #expect(state["projects"]?.array?.compactMap(\.string) == ["first", "second"])
            #expect(state["applications"]?.array?.compactMap(\.string) == ["one", "two"])
            #expect(state["project"]?.string == "second" && state["application"]?.string == "two")
            #expect(state["visitors"]?.number?.int64 == 1)
            #expect(try await Self.get("state", from: url).json["visitors"]?.number?.int64 == 0)
            #expect(try await Self.get("users?q=", from: url).json["found"]?.number?.int64 == 0)
            #expect(try await Self.names("users?q=&project=second", from: url) == ["visitor-1"])
            let visitor = try await Self.get("users/visitor-1?project=second", from: url).json
            #expect(visitor["events"]?.array?.first?["name"]?.string == "seen")
            let criteria = "/_signet/criteria?project=second"
            let body = #"{"criteria":"2"}"#
            let saved = try await HTTPConnection.send(.put, criteria, body, headers: [Self.json], to: url)
            #expect(saved?.status == 200)
            #expect(emulator.iterable(in: "second")?.project.criteria == "2")
            #expect(emulator.iterable(in: "first")?.project.criteria == EmulatedIterableProject.noCriteria)
            #expect(try await Self.get("users?project=third", from: url).status == 404)
            #expect(try await Self.get("users?application=three", from: url).status == 404)
        }
    }

    @Test func aMergeGivesNobodyTheNameOfAnother() async throws {
        try await EmulatorServer().serve { url async throws in
            for user in ["a", "b", "c"] { try await Self.track(user, in: "emulated-project", to: url) }
            let before = try await Self.get("users/visitor-3", from: url).json
            let merge = #"{"sourceUserId":"a","destinationUserId":"b"}"#
            let headers = [Self.json, ("Api-Key", "emulated-project")]
            let merged = try await HTTPConnection.send(.post, "/api/users/merge", merge, headers: headers, to: url)
            #expect(merged?.status == 200)
            #expect(try await Self.names("users?q=", from: url) == ["visitor-2", "visitor-3"])
            #expect(try await Self.get("users/visitor-3", from: url).json == before)
            #expect(try await Self.get("users/visitor-1", from: url).status == 404)
        }
    }

    @Test func theFeedSaysWhichServerItIs() async throws {
        let emulator = Emulator()
        var names: Set<String> = []
        for _ in 1...2 {
            let server = EmulatorServer(emulator)
            let bytes = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                try await server.serve { url async throws in
                    group.addTask {
                        let request = "GET /_signet/feed HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        return try await HTTPConnection.exchange([Array(request.utf8)], with: url)
                    }
                    await until("a page listens") { server.pagesListening > 0 }
                }
                return try await group.next() ?? []
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let name = text.firstMatch(of: /event: server\r?\ndata: ([0-9A-F-]{36})\r?\n/)
            names.insert(try #require(name.map { String($0.output.1) }, "\(text)"))
        }
        #expect(names.count == 2)
    }

    private static func track(_ user: String, in project: String, to url: String) async throws {
        let body = #"{"userId":"\#(user)","preferUserId":true,"eventName":"seen"}"#
        let headers = [Self.json, ("Api-Key", project)]
        let answer = try await HTTPConnection.send(.post, "/api/events/track", body, headers: headers, to: url)
        #expect(answer?.status == 200)
    }

    private static func get(_ path: String, from url: String) async throws -> HTTPAnswer {
        try #require(try await HTTPConnection.send(.get, "/_signet/" + path, to: url))
    }

    private static func names(_ path: String, from url: String) async throws -> [String] {
        try await Self.get(path, from: url).json["users"]?.array?.compactMap { $0["name"]?.string }.sorted() ?? []
    }
}
#endif
