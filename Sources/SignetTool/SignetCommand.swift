// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser

/// The command with its subcommands.
struct SignetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signet",
        abstract: "Serves the emulator over HTTP and inspects the files of a runtime.",
        discussion: """
            EXIT CODES
              0   the command succeeded
              1   the command ran, and the result is negative: criteria differ, a journal is damaged
              2   the command failed: a file cannot be read, a port is in use
              64  invalid command line, or an environment variable that is missing

            EXAMPLES
              signet emulator --port 8080
              signet criteria criteria.json events.json
              signet journal inspect /var/lib/shop/signet
              signet replay day.jsonl --url http://127.0.0.1:8080
            """,
        subcommands: [
            EmulatorCommand.self, CriteriaCommand.self, JournalCommand.self, StoreCommand.self, ReplayCommand.self,
        ]
    )

    /// The first word of a complaint about the command line: the same as of the others, see ``Terminal/complain(_:)``.
    static var _errorLabel: String { "signet" }
}
#endif
