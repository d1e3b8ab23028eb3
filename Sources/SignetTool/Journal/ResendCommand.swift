// SPDX-License-Identifier: Apache-2.0

#if Tool && URLSessionTransport
import ArgumentParser
import Signet
import SignetModel
import SignetTransport

import class FoundationEssentials.ProcessInfo
import struct FoundationEssentials.UUID

/// `signet journal resend`.
struct ResendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend",
        abstract: "Sends dead letters again: batches that the platform refused for good.",
        discussion: """
            It runs a runtime on the directory itself, which no other process may use meanwhile. It
            also sends the waiting events as they were logged, without the onCreateBatch of the app.
            It reads the secret of the workspace from the environment variable SIGNET_SECRET.

            EXAMPLES
              SIGNET_SECRET=... signet journal resend /var/lib/shop/signet --key us1-key
              ... --url http://127.0.0.1:8080 --batch 7D3E... --within 60

            EXIT CODES: 0 the platform accepted all, 1 some were refused again or still wait, or an id
            names no dead letter, 2 the directory cannot be used, 64 invalid command line
            """
    )

    @OptionGroup var target: JournalDirectory

    @Option(help: "The API key of the workspace.")
    var key: String

    @Option(help: "The base URL of another server than the platform, such as an emulator.")
    var url: String?

    @Option(help: "Send only the batch of this id; may be repeated.")
    var batch: [String] = []

    @Option(help: "The most seconds that the uploads may take.")
    var within: Int = 30

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...86400).contains(self.within) else { throw ValidationError("--within must be from 1 to 86400.") }
        for id in self.batch where UUID(uuidString: id) == nil {
            throw ValidationError("--batch: \(id) is not a batch id.")
        }
        guard ProcessInfo.processInfo.environment["SIGNET_SECRET"]?.isEmpty == false else {
            throw ValidationError(
                "The environment variable SIGNET_SECRET is missing. Set it to the secret of the workspace."
            )
        }
    }

    func run() async throws {
        do {
            // A runtime would create a missing directory.
            try DirectoryCopy.check(self.target.directory)
            let outcome = try await self.resend()
            if self.json { try Terminal.give(outcome.json) } else { try Terminal.give(outcome.text) }
            guard outcome.isGood else { throw ToolExit.no }
        } catch let fault as ToolFault {
            Terminal.complain(fault.message)
            throw ToolExit.failed
        } catch let error as SignetError {
            Terminal.complain(error.message)
            throw [.timedOut, .uploadPaused].contains(error.code) ? ToolExit.no : ToolExit.failed
        } catch let error as ServerURL.ParsingError {
            Terminal.complain(error.message)
            throw ToolExit.failed
        }
    }

    private func resend() async throws -> ResendReport {
        let secret = Secret(ProcessInfo.processInfo.environment["SIGNET_SECRET"] ?? "")
        var configuration = SignetConfiguration(apiKey: self.key, secret: secret, directory: self.target.directory)
        if let url = self.url { configuration.baseURL = try ServerURL(url) }
        let wanted = Set(self.batch.compactMap(UUID.init(uuidString:)))
        return try await withSignet(configuration, transport: URLSessionTransport()) { signet in
            var sent: Set<UUID> = []
            for batch in try await signet.deadLetters.list() where wanted.isEmpty || wanted.contains(batch.id) {
                if try await signet.deadLetters.resend(batch.id) { sent.insert(batch.id) }
            }
            try await signet.upload(within: .seconds(self.within))
            let left = Set(try await signet.deadLetters.list().map(\.id))
            return ResendReport(wanted: wanted, sent: sent, left: left)
        }
    }
}
#endif
