// SPDX-License-Identifier: Apache-2.0

#if SIGNET_TOOL
import ArgumentParser

/// `signet journal`.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Inspects the directory of a runtime.",
        discussion: """
            inspect, verify, export and explain do not change the directory, which may be in use. They read a copy \
            in the temporary folder (TMPDIR) and remove it, also when a signal other than SIGKILL ends them. Changes \
            during the copy may be missing from it.

            EXAMPLES
              signet journal inspect /var/lib/signet
              signet journal verify /var/lib/signet --json
              signet journal export /var/lib/signet > events.jsonl
              signet journal explain /var/lib/signet 7D3EA2C1-58F0-4C0B-9F3E-2B0C6A1D9E44
              SIGNET_SECRET=... signet journal resend /var/lib/signet --key us1-key
            """,
        subcommands: [
            InspectCommand.self, VerifyCommand.self, ExportCommand.self, ExplainCommand.self, ResendCommand.self,
        ]
    )
}

/// The directory that a subcommand reads.
struct JournalDirectory: ParsableArguments {
    @Argument(help: "The directory of a runtime.")
    var directory: String
}
#endif
