// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser
import Signet

/// The command with its subcommands.
struct SignetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signet",
        abstract: "Serves the emulator over HTTP and inspects the files of a runtime.",
        discussion: """
            EXIT CODES
              0   the command succeeded
              1   it ran, and the answer is no: criteria differ, a journal is damaged
              2   it failed: a file cannot be read, a port is in use
              64  invalid command line, or an environment variable that is missing

            EXAMPLES
              signet emulator --port 8765
              signet criteria criteria.json events.json
              signet journal inspect /var/lib/signet
              signet replay day.jsonl --url http://127.0.0.1:8765
            """,
        version: SignetRuntime.version,
        subcommands: [
            EmulatorCommand.self, CriteriaCommand.self, JournalCommand.self, StoreCommand.self, ReplayCommand.self,
        ]
    )

    /// The first word of a complaint about the command line: the same as of the others, see ``Terminal/complain(_:)``.
    static var _errorLabel: String { "signet" }
}
#endif
