//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

#if Tool
import ArgumentParser

/// The command with its subcommands.
struct SignetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signet",
        abstract: "The emulated platform over HTTP, and what looks into its data.",
        discussion: """
            EXIT CODES
              0   it is done
              1   it was done, and the answer is no: criteria differ, a journal is damaged
              2   it could not be done: a file cannot be read, a port is taken
              64  the command line makes no sense

            EXAMPLES
              signet emulator --port 8080
              signet criteria criteria.json events.json
              signet journal inspect /var/lib/shop/signet
              signet replay day.jsonl --url http://127.0.0.1:8080
            """,
        subcommands: Self.commands
    )

    private static var commands: [any ParsableCommand.Type] {
        #if URLSessionTransport
        [EmulatorCommand.self, CriteriaCommand.self, JournalCommand.self, ReplayCommand.self]
        #else
        [EmulatorCommand.self, CriteriaCommand.self, JournalCommand.self]
        #endif
    }
}
#endif
