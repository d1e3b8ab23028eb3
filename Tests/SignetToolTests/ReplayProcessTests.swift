// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Foundation
import SignetEmulator
import SignetServer
import SignetTestSupport
import Testing

/// What a replay leaves behind that is ended in the middle: its runtime's folder holds what people did.
@Suite(.watched) struct ReplayProcessTests {
    private static let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/signet"
    private static let trace = """
        {"trace": 1, "start": 1763596800000, "environment": "development", "strategy": "default", "sessionTimeout": 60, \
        "identityPriority": ["customerid"], "uniqueIdentities": ["customerid"], "loginIdentities": ["customerid"]}
        {"at": 0, "installation": "a", "do": "launch"}
        {"at": 20, "installation": "a", "do": "login", "identities": {"customerid": "anna"}}
        """

    @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
    func aSignalLeavesNoFolderOrTheNextRemovesIt(number: Int32) async throws {
        try await RuntimeFolder.with { folder in
            let (trace, temporary) = (folder + "/trace.jsonl", folder + "/temporary")
            try Data(Self.trace.utf8).write(to: URL(filePath: trace))
            try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
            let emulator = Emulator()
            let gate = EmulatorGate()
            emulator.faults.inject(.held(gate), on: .login)
            try await EmulatorServer(emulator).serve { url async throws in
                let process = Self.replay(trace, url, temporary)
                async let ended: Void = Self.run(process)
                await gate.arrived()
                let folders = try FileManager.default.contentsOfDirectory(atPath: temporary)
                #expect(folders.count == 1)
                kill(process.processIdentifier, number)
                try await ended
                gate.open()
                #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
                let left = try FileManager.default.contentsOfDirectory(atPath: temporary)
                #expect(left == (number == SIGKILL ? folders : []), "\(left)")
                let next = Self.replay(trace, url, temporary)
                try await Self.run(next)
                #expect(next.terminationReason == .exit && next.terminationStatus == 0)
                let end = try FileManager.default.contentsOfDirectory(atPath: temporary)
                #expect(end.isEmpty, "\(end)")
            }
        }
    }

    /// Runs it to its end; holds no thread meanwhile, for the server needs them.
    private static func run(_ process: Process) async throws {
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do { try start(process) } catch { ended.resume(throwing: error) }
        }
    }

    private static func replay(_ trace: String, _ url: String, _ temporary: String) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["replay", trace, "--url", url, "--json"]
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        return process
    }
}
#endif
