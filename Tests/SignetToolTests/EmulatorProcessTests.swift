// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Foundation
import SignetEmulator
import SignetServer
import SignetTestSupport
import Testing

/// The emulator's process where it cannot listen.
@Suite(.watched) struct EmulatorProcessTests {
    private static let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/signet"

    @Test func anOccupiedPortIsRefusedWithASentence() async throws {
        try await EmulatorServer(Emulator()).serve { url async throws in
            let port = try #require(url.split(separator: ":").last)
            let (status, complaints) = try await Self.end(["emulator", "--port", String(port)])
            #expect(status == 2)
            #expect(complaints.hasPrefix("signet: Port \(port) of 127.0.0.1 is in use by another process."))
            // One line, and no names of the network library.
            #expect(complaints.split(separator: "\n").count == 1, "\(complaints)")
            #expect(!complaints.contains("errno") && !complaints.contains("NIO"), "\(complaints)")
        }
    }

    @Test func aForeignAddressIsRefusedWithASentence() async throws {
        let (status, complaints) = try await Self.end(["emulator", "--host", "203.0.113.1", "--no-page"])
        #expect(status == 2)
        #expect(complaints.contains("203.0.113.1 is no address of this machine."), "\(complaints)")
    }

    @Test(arguments: ["zsh", "bash", "fish"])
    func theShellCompletesTheSubcommands(shell: String) async throws {
        let (status, output) = try await Self.end(["--generate-completion-script", shell], readsOutput: true)
        #expect(status == 0)
        for name in ["emulator", "criteria", "journal", "store"] { #expect(output.contains(name)) }
    }

    /// Runs the program to its end; holds no thread meanwhile, for the server needs them.
    private static func end(
        _ arguments: [String],
        readsOutput: Bool = false
    ) async throws -> (status: Int32, text: String) {
        try await ownThread {
            let process = Process()
            process.executableURL = URL(filePath: Self.program)
            process.arguments = arguments
            let pipe = try start(process) {
                let pipe = Pipe()
                process.standardOutput = readsOutput ? pipe : FileHandle.nullDevice
                process.standardError = readsOutput ? FileHandle.nullDevice : pipe
                return pipe
            }
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text)
        }
    }
}
#endif
