// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import SignetEmulator
import SignetServer
import SignetTransport
import Testing

import struct Foundation.Data
import class Foundation.FileManager
import struct Foundation.URL
import struct Foundation.UUID

/// What an emulator knows survives a restart.
@Suite struct EmulatorHistoryTests {
    @Test func whatThePlatformKnowsIsThereAfterARestart() async throws {
        try await Self.withFolder { folder in
            let first = try EmulatorHistory(directory: folder, configuration: Self.workspace())
            try await EmulatorServer(first).serve { url async throws in
                for request in Requests.all {
                    _ = try await HTTPConnection.send(
                        request.method,
                        request.path,
                        request.body,
                        headers: request.headers,
                        to: url
                    )
                }
                let criteria = #"{"criteria":"{\"count\":0,\"criteriaSets\":[],\"x\":1}"}"#
                let answer = try await HTTPConnection.send(
                    .put,
                    "/_signet/criteria",
                    criteria,
                    headers: [("Content-Type", "application/json")],
                    to: url
                )
                #expect(answer?.status == 200)
            }
            first.close()

            let second = try EmulatorHistory(directory: folder, configuration: Self.workspace())
            defer { second.close() }
            #expect(second.restoredRequests == Requests.all.count)
            #expect(second.emulator.users() == first.emulator.users())
            #expect(second.emulator.users().count > 2)
            #expect(second.emulator.batches() == first.emulator.batches())
            #expect(second.emulator.aliases() == first.emulator.aliases())
            #expect(second.emulator.requestCounts() == first.emulator.requestCounts())
            #expect(second.emulator.iterable.users() == first.emulator.iterable.users())
            #expect(second.emulator.iterable.requests() == first.emulator.iterable.requests())
            #expect(second.emulator.iterable.project == first.emulator.iterable.project)
            #expect(second.emulator.infobip.people() == first.emulator.infobip.people())
            #expect(second.emulator.infobip.installations() == first.emulator.infobip.installations())
            #expect(first.emulator.iterable.project.criteria.contains("x"))
        }
    }

    @Test func noSecretIsInTheFolder() async throws {
        try await Self.withFolder { folder in
            let history = try EmulatorHistory(directory: folder, configuration: Self.workspace())
            try await EmulatorServer(history).serve { url async throws in
                let headers = [("Content-Type", "application/json"), Requests.basic]
                _ = try await HTTPConnection.send(
                    .post,
                    "/v1/identify",
                    Requests.identity("c-77"),
                    headers: headers,
                    to: url
                )
            }
            history.close()
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            let all = try files.map {
                String(decoding: try Data(contentsOf: URL(filePath: folder + "/" + $0)), as: UTF8.self)
            }
            #expect(all.contains { $0.contains("c-77") })
            #expect(!all.contains { $0.contains("emulated-secret") || $0.contains(Requests.basic.1) })
        }
    }

    @Test func theFolderOfAnotherWorkspaceIsRefused() async throws {
        try await Self.withFolder { folder in
            try EmulatorHistory(directory: folder, configuration: Self.workspace()).close()
            for configuration in [
                EmulatorConfiguration(strategy: .link), EmulatorConfiguration(apiKey: "us1-other"),
            ] {
                let error = #expect(throws: EmulatorServerError.self) {
                    try EmulatorHistory(directory: folder, configuration: configuration)
                }
                #expect(error?.code == .invalidHistory)
            }
        }
    }

    @Test func aFolderHasOneEmulatorAtATime() async throws {
        try await Self.withFolder { folder in
            let first = try EmulatorHistory(directory: folder, configuration: Self.workspace())
            defer { first.close() }
            let error = #expect(throws: EmulatorServerError.self) {
                try EmulatorHistory(directory: folder, configuration: Self.workspace())
            }
            #expect(error?.code == .storage)
        }
    }

    @Test func anEmulatorThatForgetsEventsKnowsTheSameAfterARestart() async throws {
        var configuration = Self.workspace()
        configuration.keptEvents = 10
        try await Self.withFolder { folder in
            let first = try EmulatorHistory(directory: folder, configuration: configuration)
            for number in 0..<50 {
                let body = Requests.batch("b\(number)", customer: "c\(number % 3)")
                var headers = HTTPHeaders()
                for field in [("Content-Type", "application/json"), Requests.basic] {
                    headers.append(name: field.0, value: field.1)
                }
                let request = TransportRequest(
                    method: .post,
                    url: "http://emulator/v2/events",
                    headers: headers,
                    body: Array(body.utf8)
                )
                #expect(await first.emulator.handle(request).status == 202)
            }
            first.close()
            let second = try EmulatorHistory(directory: folder, configuration: configuration)
            defer { second.close() }
            #expect(second.restoredRequests == 50)
            #expect(second.emulator.users() == first.emulator.users())
            #expect(second.emulator.batches() == first.emulator.batches())
            #expect(!second.emulator.batches().isEmpty)
            #expect(second.emulator.totals().events == first.emulator.totals().events)
        }
    }

    private static func workspace() -> EmulatorConfiguration {
        EmulatorConfiguration(mpids: .counting(from: 1))
    }

    private static func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/signet-history-\(UUID())"
        defer {
            do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record("\(error)") }
        }
        try await body(folder)
    }
}
#endif
