// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Foundation
import Signet
import SignetEmulator
import SignetModel
import SignetTestSupport
import SignetTesting
import Testing

/// What the program leaves behind, however it ends: the copy that it reads holds what people did.
@Suite struct JournalProcessTests {
    private static let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/signet"

    @Test func aReaderThatHasEnoughLeavesNoCopy() async throws {
        try await Self.withEvents { folder, temporary in
            let script = #""$0" journal export "$1" | head -n 1; exit ${PIPESTATUS[0]}"#
            let process = Self.shell(script, folder, temporary)
            let text = try await Self.end(of: process, reading: \.standardOutput)
            #expect(text.hasPrefix(#"{"sequence":1,"#), "\(text)")
            #expect(process.terminationReason == .exit && process.terminationStatus == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: temporary)
            #expect(names.isEmpty)
        }
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: ["export", "inspect", "verify"]
    )
    func aFullDiskIsToldAndLeavesNoCopy(command: String) async throws {
        try await Self.withEvents { folder, temporary in
            let process = Self.shell(#""$0" journal \#(command) "$1" >/dev/full"#, folder, temporary)
            let text = try await Self.end(of: process, reading: \.standardError)
            #expect(text.contains("No space left"), "\(text)")
            #expect(process.terminationReason == .exit && process.terminationStatus == 2)
            let names = try FileManager.default.contentsOfDirectory(atPath: temporary)
            #expect(names.isEmpty)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalLeavesNoCopyThoughNobodyReads(number: Int32) async throws {
        try await Self.withEvents { folder, temporary in
            let process = Self.shell(#"exec "$0" journal export "$1""#, folder, temporary)
            // It is printing, and the rest is more than a pipe takes.
            try await Self.begin(process)
            let copies = try FileManager.default.contentsOfDirectory(atPath: temporary)
            #expect(copies.count == 1)
            kill(process.processIdentifier, number)
            try await Self.end(of: process)
            #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
            let names = try FileManager.default.contentsOfDirectory(atPath: temporary)
            #expect(names.isEmpty)
        }
    }

    @Test func whatAKilledProcessHasLeftTheNextRemovesButNothingThatIsInUse() async throws {
        try await Self.withEvents { folder, temporary in
            let processes = [0, 1].map { _ in Self.shell(#"exec "$0" journal export "$1""#, folder, temporary) }
            for process in processes { try await Self.begin(process) }
            let copies = try FileManager.default.contentsOfDirectory(atPath: temporary)
            #expect(copies.count == 2)
            kill(processes[0].processIdentifier, SIGKILL)
            try await Self.end(of: processes[0])
            let names = ["signet-scratch-file", "signet-else"]
            try Data().write(to: URL(filePath: temporary + "/" + names[0]))
            try FileManager.default.createDirectory(
                atPath: temporary + "/" + names[1],
                withIntermediateDirectories: false
            )
            let next = Self.shell(#""$0" journal verify "$1" >/dev/null"#, folder, temporary)
            try start(next)
            try await Self.end(of: next)
            #expect(next.terminationStatus == 0)
            let left = try FileManager.default.contentsOfDirectory(atPath: temporary)
            #expect(left.count == 3 && Set(left).isSuperset(of: names), "\(left)")
            kill(processes[1].processIdentifier, SIGTERM)
            try await Self.end(of: processes[1])
            let end = try FileManager.default.contentsOfDirectory(atPath: temporary)
            #expect(Set(end) == Set(names))
        }
    }

    /// Starts a process and waits until it has printed something; reads no more.
    private static func begin(_ process: Process) async throws {
        let lines = try start(process) {
            let lines = Pipe()
            process.standardOutput = lines
            return lines
        }
        _ = try #require(try await ownThread { try lines.fileHandleForReading.read(upToCount: 1) })
    }

    private static func end(of process: Process) async throws {
        try await ownThread { process.waitUntilExit() }
    }

    /// Runs a process and waits for its end.
    ///
    /// - Returns: What it wrote to the output.
    private static func end(
        of process: Process,
        reading output: ReferenceWritableKeyPath<Process, Any?>
    ) async throws -> String {
        let pipe = try start(process) {
            let pipe = Pipe()
            process[keyPath: output] = pipe
            return pipe
        }
        let bytes = try await ownThread { try pipe.fileHandleForReading.readToEnd() }
        try await Self.end(of: process)
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }

    private static func shell(_ script: String, _ folder: String, _ temporary: String) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script, Self.program, folder]
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary]) { $1 }
        return process
    }

    /// More events than a pipe takes, and a temporary folder of its own.
    private static func withEvents(_ body: (_ folder: String, _ temporary: String) async throws -> Void) async throws {
        try await RuntimeFolder.with { folder in
            let (directory, temporary) = (folder + "/signet", folder + "/temporary")
            try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
            try await withEmulatedSignet(in: directory, configure: { $0.sessions.beginsAtOpen = true }) { signet in
                signet.emulator.faults.injectAlways(.connectionRefused, on: .events)
                signet.emulator.faults.injectAlways(.connectionRefused, on: .bulkEvents)
                let installation = try await signet.runtime.open("tool")
                for number in 1...3000 { try installation.log(.custom("waiting \(number)")) }
            }
            try await body(directory, temporary)
        }
    }
}
#endif
