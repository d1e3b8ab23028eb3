//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What the command line asks for.
struct CommandLineOptions: Equatable {
    /// The trace; the bundled day when nil.
    var trace: String?
    /// Where the figures go; nowhere when nil.
    var json: String?

    static let usage = """
        usage: quickstart [TRACE] [--json FILE]

        Replays a trace of a shop's visitors through the Signet runtime against the embedded emulator, on a clock that is
        moved by hand, and shows what the platform then knows.

          TRACE        a trace in JSON lines; the bundled shop's day when left out
          --json FILE  also writes the figures as JSON
          --help       shows this

        Exit codes: 0 all went well, 1 something was lost or failed, 2 a bad line in the trace, 64 a wrong command line.

        example: swift run quickstart my-day.jsonl --json figures.json
        """

    /// What came of reading a command line.
    enum Parsed: Equatable {
        case options(CommandLineOptions)
        case help
        case wrong(String)
    }

    /// Reads a command line, without the name of the program.
    static func parse(_ arguments: [String]) -> Parsed {
        var options = CommandLineOptions()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                return .help
            case "--json":
                guard let file = rest.popFirst(), !file.isEmpty else { return .wrong("--json needs a file.") }
                options.json = file
            case _ where argument.hasPrefix("-"):
                return .wrong("\(argument) is not an option.")
            default:
                guard options.trace == nil else { return .wrong("One trace at a time.") }
                options.trace = argument
            }
        }
        return .options(options)
    }
}
