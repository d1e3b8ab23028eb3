// SPDX-License-Identifier: Apache-2.0

/// What the command line asks for.
struct Arguments: Hashable {
    /// Why the command line makes no sense.
    struct Fault: Error, Hashable {
        let reason: String
    }

    static let usage = """
        usage: quickstart [TRACE] [--json FILE] [--visitors] [--serve [PORT]]

        Replays a trace of an app's visitors through the Signet runtime against the emulator in this process,
        draws what happened on a few installations, and prints what the emulator then knows. It needs no network.

          TRACE        a trace, one JSON object per line; the default is the bundled day of a shop
          --json FILE  also writes the outcome to FILE as JSON
          --visitors   adds unknown user activation: every visitor consents, a wish makes an unknown user, and a login
                       merges that user
          --serve [PORT]
                       then serves the live page on the outcome, at 127.0.0.1, until Ctrl-C; the port is 8765 if none is
                       given, 0 takes a free one. Needs the trait Tool: swift run --traits Tool quickstart --serve
          --help       prints this help

        exit codes: 0 success, 1 something was lost or failed, 2 the trace has an invalid line or cannot be read, or
                    --serve needs the trait, 64 invalid command line
        """

    var trace: String?
    var json: String?
    var activatesVisitors = false
    /// The port of the live page; nil if none is asked for.
    var port: Int?
    var wantsHelp = false

    private static let defaultPort = 8765

    init(_ arguments: [String]) throws(Fault) {
        var rest = arguments[...]
        var takesOptions = true
        while let argument = rest.popFirst() {
            switch argument {
            case "--help" where takesOptions, "-h" where takesOptions:
                self.wantsHelp = true
            case "--visitors" where takesOptions:
                self.activatesVisitors = true
            case "--serve" where takesOptions:
                // A trace is a file, and no file of ours has a number for its name.
                let word = rest.first.flatMap { $0.allSatisfy(\.isWholeNumber) && !$0.isEmpty ? $0 : nil }
                if word != nil { rest.removeFirst() }
                try self.setPort(word)
            case let option where takesOptions && option.hasPrefix("--serve="):
                try self.setPort(String(option.dropFirst("--serve=".count)))
            case "--" where takesOptions:
                takesOptions = false
            case "--json" where takesOptions:
                guard let file = rest.popFirst(), !file.isEmpty else { throw Fault(reason: "--json needs a file") }
                try self.setJSON(file)
            case let option where takesOptions && option.hasPrefix("--json="):
                guard option.count > "--json=".count else { throw Fault(reason: "--json needs a file") }
                try self.setJSON(String(option.dropFirst("--json=".count)))
            case let option where takesOptions && option.hasPrefix("-"):
                throw Fault(reason: "unknown option \(option)")
            case let path:
                guard self.trace == nil else { throw Fault(reason: "only one trace is allowed") }
                guard !path.isEmpty else { throw Fault(reason: "the name of the trace is empty") }
                self.trace = path
            }
        }
    }

    private mutating func setPort(_ word: String?) throws(Fault) {
        guard self.port == nil else { throw Fault(reason: "--serve is given twice") }
        guard let port = word.map({ Int($0) }) ?? Self.defaultPort, (0...65_535).contains(port) else {
            throw Fault(reason: "--serve needs a port from 0 to 65535, or none")
        }
        self.port = port
    }

    private mutating func setJSON(_ file: String) throws(Fault) {
        guard self.json == nil else { throw Fault(reason: "--json is given twice") }
        self.json = file
    }
}
