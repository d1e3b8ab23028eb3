//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What the command line asks for.
struct Arguments: Hashable {
    /// Why the command line makes no sense.
    struct Fault: Error, Hashable {
        let reason: String
    }

    static let usage = """
        usage: quickstart [TRACE] [--json FILE] [--visitors]

        Replays a trace of what the visitors of an app did through the Signet runtime, against the embedded
        emulator of the platform, and shows what the platform then knows. No network is needed.

          TRACE        a trace, one JSON object a line; the bundled day of a shop when left out
          --json FILE  also writes the outcome to FILE as JSON
          --visitors   with a project of unknown user activation: everybody agrees, who wishes for something becomes an
                       unknown user, and who logs in is merged
          --help       shows this

        exit codes: 0 all is well, 1 something was lost or failed, 2 the trace has a bad line or cannot be read,
                    64 the command line makes no sense
        """

    var trace: String?
    var json: String?
    var activatesVisitors = false
    var wantsHelp = false

    init(_ arguments: [String]) throws(Fault) {
        var rest = arguments[...]
        var takesOptions = true
        while let argument = rest.popFirst() {
            switch argument {
            case "--help" where takesOptions, "-h" where takesOptions:
                self.wantsHelp = true
            case "--visitors" where takesOptions:
                self.activatesVisitors = true
            case "--" where takesOptions:
                takesOptions = false
            case "--json" where takesOptions:
                guard let file = rest.popFirst(), !file.isEmpty else { throw Fault(reason: "--json needs a file") }
                try self.setJSON(file)
            case let option where takesOptions && option.hasPrefix("--json="):
                guard option.count > "--json=".count else { throw Fault(reason: "--json needs a file") }
                try self.setJSON(String(option.dropFirst("--json=".count)))
            case let option where takesOptions && option.hasPrefix("-"):
                throw Fault(reason: "there is no option \(option)")
            case let path:
                guard self.trace == nil else { throw Fault(reason: "there can be one trace only") }
                guard !path.isEmpty else { throw Fault(reason: "the name of the trace is empty") }
                self.trace = path
            }
        }
    }

    private mutating func setJSON(_ file: String) throws(Fault) {
        guard self.json == nil else { throw Fault(reason: "--json is given twice") }
        self.json = file
    }
}
