// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import Foundation
import SignetEmulator
import SignetServer
import SignetTestSupport
import Testing

/// The emulator's process where it cannot listen.
@Suite(.watched) struct EmulatorProcessTests {
    @Test func anOccupiedPortIsRefusedWithASentence() async throws {
        try await EmulatorServer(Emulator()).serve { url async throws in
            let port = try #require(url.split(separator: ":").last)
            let (status, complaints) = try await SignetProcess.end(["emulator", "--port", String(port)])
            #expect(status == 2)
            #expect(complaints.hasPrefix("signet: Port \(port) of 127.0.0.1 is in use by another process."))
            // One line, and no names of the network library.
            #expect(complaints.split(separator: "\n").count == 1, "\(complaints)")
            #expect(!complaints.contains("errno") && !complaints.contains("NIO"), "\(complaints)")
        }
    }

    @Test func aForeignAddressIsRefusedWithASentence() async throws {
        let (status, complaints) = try await SignetProcess.end(["emulator", "--host", "203.0.113.1", "--no-page"])
        #expect(status == 2)
        #expect(complaints.contains("203.0.113.1 is no address of this machine."), "\(complaints)")
    }

    @Test(arguments: ["zsh", "bash", "fish"])
    func theShellCompletesTheSubcommands(shell: String) async throws {
        let (status, output) = try await SignetProcess.end(["--generate-completion-script", shell], readsOutput: true)
        #expect(status == 0)
        for name in ["emulator", "criteria", "journal", "store"] { #expect(output.contains(name)) }
    }
}
#endif
