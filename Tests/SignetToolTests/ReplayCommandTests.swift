// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import SignetEmulator
import SignetServer
import Testing

import struct Foundation.Data
import class Foundation.FileManager
import struct Foundation.URL
import struct Foundation.UUID

@testable import SignetTool

/// A trace through a real runtime, over real HTTP.
@Suite struct ReplayCommandTests {
    private static let trace = """
        {"trace": 1, "start": 1763596800000, "environment": "development", "strategy": "default", "sessionTimeout": 60, \
        "identityPriority": ["customerid"], "uniqueIdentities": ["customerid"], "loginIdentities": ["customerid"]}
        {"at": 0, "installation": "a", "do": "launch"}
        {"at": 10, "installation": "a", "do": "screen", "name": "Home"}
        {"at": 20, "installation": "a", "do": "login", "identities": {"customerid": "anna"}}
        {"at": 30, "installation": "a", "do": "event", "name": "seen"}
        {"at": 40, "installation": "a", "do": "quit"}
        """

    @Test func whatATraceSaysArrives() async throws {
        let emulator = Emulator()
        try await Self.withTrace { path in
            try await EmulatorServer(emulator).serve { url async throws in
                let words = ["replay", path, "--url", url]
                try await #require(try SignetCommand.parseAsRoot(words) as? ReplayCommand).run()
            }
        }
        let anna = try #require(emulator.users().first { $0.identities.values.contains(["anna"]) })
        #expect(emulator.events(of: anna.mpid).contains { $0.name == "seen" && $0.timestamp == 1_763_596_800_030 })
        #expect(emulator.refusedBatches().isEmpty)
    }

    @Test func whoIsNotThereIsSaidNotToBe() async throws {
        try await Self.withTrace { path in
            let words = ["replay", path, "--url", "https://localhost.invalid", "--within", "1"]
            let command = try #require(try SignetCommand.parseAsRoot(words) as? ReplayCommand)
            await #expect(throws: ToolExit.failed) { try await command.run() }
        }
        let command = try #require(
            try SignetCommand.parseAsRoot(["replay", "/nowhere", "--url", "http://127.0.0.1:1"]) as? ReplayCommand
        )
        await #expect(throws: ToolExit.failed) { try await command.run() }
    }

    private static func withTrace(_ body: (String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/signet-trace-\(UUID()).jsonl"
        try Data(Self.trace.utf8).write(to: URL(filePath: path))
        defer {
            do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record("\(error)") }
        }
        try await body(path)
    }
}
#endif
