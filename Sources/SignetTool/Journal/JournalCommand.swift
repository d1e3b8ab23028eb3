//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import ArgumentParser

/// `signet journal`.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Looks into the directory of a runtime.",
        discussion: """
            inspect, verify and export read a copy, which they make in the temporary folder
            (TMPDIR) and remove, also when a signal other than SIGKILL ends them: the directory
            stays as it is, and may be in use. What goes on during the copy may be in it or not.

            EXAMPLES
              signet journal inspect /var/lib/shop/signet
              signet journal verify /var/lib/shop/signet --json
              signet journal export /var/lib/shop/signet > events.jsonl
              SIGNET_SECRET=... signet journal resend /var/lib/shop/signet --key us1-key
            """,
        subcommands: Self.commands
    )

    private static var commands: [any ParsableCommand.Type] {
        #if URLSessionTransport
        [InspectCommand.self, VerifyCommand.self, ExportCommand.self, ResendCommand.self]
        #else
        [InspectCommand.self, VerifyCommand.self, ExportCommand.self]
        #endif
    }
}

/// The directory that a subcommand reads.
struct JournalDirectory: ParsableArguments {
    @Argument(help: "The directory of a runtime.")
    var directory: String
}
#endif
