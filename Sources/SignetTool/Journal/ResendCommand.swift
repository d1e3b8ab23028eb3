// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
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
            It runs a runtime on the directory itself, which no other process may use meanwhile. It also sends the \
            waiting events as they were logged, without the onCreateBatch of the app. It reads the secret of the \
            workspace from the environment variable SIGNET_SECRET.

            EXAMPLES
              SIGNET_SECRET=... signet journal resend /var/lib/signet --key us1-key
              ... --url http://127.0.0.1:8765 --batch 7D3E... --within 60

            EXIT CODES
              0   the platform accepted all
              1   some were refused again or still wait, or an id names no dead letter
              2   the directory cannot be used
              64  invalid command line
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

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...86400).contains(self.within) else { throw ValidationError("--within must be from 1 to 86400.") }
        for id in self.batch where UUID(uuidString: id) == nil {
            throw ValidationError("--batch: \(id) is not a batch id.")
        }
        if let url = self.url {
            do throws(ServerURL.ParsingError) { _ = try ServerURL(url) } catch {
                throw ValidationError("--url: \(error.message)")
            }
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
            try self.output.give(outcome.json, outcome.text)
            guard outcome.isGood else { throw ToolExit.no }
        } catch let fault as ToolFault {
            Terminal.complain(fault.message)
            throw ToolExit.failed
        } catch let error as SignetError {
            Terminal.complain(error.message)
            throw [.timedOut, .uploadPaused].contains(error.code) ? ToolExit.no : ToolExit.failed
        }
    }

    private func resend() async throws -> ResendReport {
        let secret = Secret(ProcessInfo.processInfo.environment["SIGNET_SECRET"] ?? "")
        var configuration = SignetConfiguration(apiKey: self.key, secret: secret, directory: self.target.directory)
        // What is there is sent, however much it is.
        configuration.events.storage.maximumBytes = nil
        // The command says itself what becomes of the events.
        configuration.reportsToStandardError = false
        if let url = self.url { configuration.baseURL = try ServerURL(url) }
        let wanted = Set(self.batch.compactMap(UUID.init(uuidString:)))
        let progress = ProgressLine()
        defer { progress.end() }
        return try await withSignet(configuration, transport: URLSessionTransport()) { signet in
            var sent: Set<UUID> = []
            for batch in try await signet.deadLetters.list() where wanted.isEmpty || wanted.contains(batch.id) {
                if try await signet.deadLetters.resend(batch.id) { sent.insert(batch.id) }
            }
            try await progress.during {
                "sending: " + signet.statistics.eventsWaiting.of("event waits", "events wait")
            } _: {
                _ = try await signet.upload(within: .seconds(self.within))
            }
            let left = Set(try await signet.deadLetters.list().map(\.id))
            return ResendReport(wanted: wanted, sent: sent, left: left)
        }
    }
}

/// The result of resending batches.
struct ResendReport: Sendable {
    private let sent: Int
    private let left: Int
    private let refused: [UUID]
    private let unknown: [UUID]
    private let failed: Set<UUID>

    /// - Parameters:
    ///   - wanted: The requested ids; empty for all.
    ///   - sent: The ids that were sent again.
    ///   - left: The ids of all dead letters now.
    init(wanted: Set<UUID>, sent: Set<UUID>, left: Set<UUID>) {
        func sorted(_ ids: Set<UUID>) -> [UUID] { ids.sorted { $0.uuidString < $1.uuidString } }
        self.sent = sent.count
        self.left = left.count
        self.refused = sorted(sent.intersection(left))
        self.unknown = sorted(wanted.subtracting(sent))
        // Waiting events that were sent too may have been refused as well.
        self.failed = wanted.isEmpty ? left : sent.intersection(left)
    }

    /// True when no batch that was to be sent is a dead letter now.
    var isGood: Bool {
        self.unknown.isEmpty && self.failed.isEmpty
    }

    var json: JSONValue {
        func ids(_ ids: [UUID]) -> JSONValue { .array(ids.map { .string($0.uuidString) }) }
        return [
            "resent": .number(JSONNumber(Int64(self.sent))), "deadLettered": .number(JSONNumber(Int64(self.left))),
            "refusedAgain": ids(self.refused), "notFound": ids(self.unknown),
        ]
    }

    var text: String {
        let lines = [
            self.sent.of("batch was sent again; ", "batches were sent again; ")
                + self.left.of("is a dead letter now", "are dead letters now")
        ]
        return (lines + self.refused.map { "  \($0): refused again" } + self.unknown.map { "  \($0): not found" })
            .joined(separator: "\n")
    }
}
#endif
