// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import Signet
import SignetEmulator
import SignetServer
import Testing

import class Foundation.FileManager
import struct Foundation.UUID
import func Foundation.setenv

@testable import SignetTool

/// `signet journal resend`, over HTTP, and how it ends.
@Suite struct ResendCommandTests {
    @Test func refusedBatchesAreSentAgainOverHTTP() async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder)
            let emulator = Emulator()
            try await EmulatorServer(emulator).serve { url async throws in try await Self.resend(folder, to: url) }
            let names = emulator.batches().reduce(0) { $0 + $1.eventCount }
            #expect(emulator.refusedBatches().isEmpty)
            #expect(names >= 4, "the one that was refused, and those that waited")
            let left = try Self.deadLetters(folder)
            #expect(left.isEmpty)
        }
    }

    @Test(arguments: [true, false]) func aBatchThatIsRefusedAgainIsAnAnswerOfNo(isNamed: Bool) async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder)
            let id = try #require(try Self.deadLetters(folder).first)
            let emulator = Emulator()
            emulator.faults.injectAlways(.refused(status: 400, code: "BAD", message: "no"), on: .events)
            emulator.faults.injectAlways(.refused(status: 400, code: "BAD", message: "no"), on: .bulkEvents)
            try await EmulatorServer(emulator).serve { url async throws in
                _ = await #expect(throws: ToolExit.no) {
                    try await Self.resend(folder, to: url, isNamed ? ["--batch", id.uuidString] : [])
                }
            }
            let left = try Self.deadLetters(folder)
            #expect(left.contains(id))
        }
    }

    @Test func theNamedBatchAloneDecides() async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder, refused: 2)
            let ids = try Self.deadLetters(folder)
            try #require(ids.count == 2)
            try await EmulatorServer(Emulator()).serve { url async throws in
                try await Self.resend(folder, to: url, ["--batch", ids[0].uuidString])
            }
            let left = try Self.deadLetters(folder)
            #expect(left == [ids[1]])
        }
    }

    @Test func anIDThatIsNotThereIsAnAnswerOfNo() async throws {
        try await RuntimeFolder.with { folder in
            try await RuntimeFolder.fill(folder)
            try await EmulatorServer(Emulator()).serve { url async throws in
                _ = await #expect(throws: ToolExit.no) {
                    try await Self.resend(folder, to: url, ["--batch", UUID().uuidString])
                }
            }
        }
    }

    @Test func whatIsNoDirectoryOfARuntimeIsNotMadeOne() async throws {
        try await RuntimeFolder.with { folder in
            for path in [folder, folder + "/sginet"] {
                await #expect(throws: ToolExit.failed) { try await Self.resend(path, to: "http://127.0.0.1:1") }
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.isEmpty)
        }
    }

    private static func resend(_ folder: String, to url: String, _ more: [String] = []) async throws {
        setenv("SIGNET_SECRET", "emulated-secret", 1)
        let words = ["journal", "resend", folder, "--key", "us1-emulated", "--url", url] + more
        try await #require(try SignetCommand.parseAsRoot(words) as? ResendCommand).run()
    }

    private static func deadLetters(_ folder: String) throws -> [UUID] {
        try DirectoryCopy.survey(folder) { survey in try survey.deadLetterBatches().map(\.id) }
    }
}
#endif
