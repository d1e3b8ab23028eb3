// SPDX-License-Identifier: Apache-2.0

import SignetCriteria

/// What the command line asks for.
struct Arguments {
    /// Why the command line makes no sense.
    struct Fault: Error, Hashable {
        let reason: String
    }

    static let usage = """
        usage: criteria-check FILE [--dialect strict|ios|both] [--json]
               criteria-check CRITERIA EVENTS [--dialect strict|ios|both] [--json]

        Shows which criterion the records of a visitor match, in each dialect. It sends nothing.

          FILE         a JSON list of {name, criteria, events, expected}; expected is the id of a criterion
                       or null. Prints each difference, and `N agree, M differ`
          CRITERIA     the criteria of a project, as Iterable serves them
          EVENTS       a JSON list of a visitor's records. Prints which criterion matches, and why
          --dialect D  strict: the documented meaning, the default for FILE; ios: the vendor's checker for iOS;
                       both: the default for CRITERIA and EVENTS
          --json       prints JSON
          --help       prints this help

        exit codes: 0 all agree (with CRITERIA and EVENTS: both were read), 1 some differ, or a criterion is refused,
                    2 a file cannot be read or has another format, 64 invalid command line
        """

    var files: [String] = []
    private var chosen: [CriteriaDialect]?
    var json = false
    var wantsHelp = false

    /// What was chosen; cases have one answer, and what is explained is compared.
    var dialects: [CriteriaDialect] {
        self.chosen ?? (self.files.count == 1 ? [.strict] : CriteriaDialect.allCases)
    }

    init(_ words: [String]) throws(Fault) {
        var rest = words[...]
        var takesOptions = true
        while let word = rest.popFirst() {
            switch word {
            case "--help" where takesOptions, "-h" where takesOptions: self.wantsHelp = true
            case "--json" where takesOptions: self.json = true
            case "--" where takesOptions: takesOptions = false
            case "--dialect" where takesOptions:
                guard let name = rest.popFirst() else { throw Fault(reason: "--dialect needs a name") }
                self.chosen = try Self.dialects(name)
            case let option where takesOptions && option.hasPrefix("--dialect="):
                self.chosen = try Self.dialects(String(option.dropFirst("--dialect=".count)))
            case let option where takesOptions && option.hasPrefix("-"):
                throw Fault(reason: "unknown option \(option)")
            case let file:
                guard !file.isEmpty else { throw Fault(reason: "the name of a file is empty") }
                self.files.append(file)
            }
        }
        guard self.wantsHelp || (1...2).contains(self.files.count) else {
            throw Fault(reason: self.files.isEmpty ? "a file is missing" : "at most two files are allowed")
        }
    }

    private static func dialects(_ name: String) throws(Fault) -> [CriteriaDialect] {
        switch name {
        case "strict": return [.strict]
        case "ios", "iOS": return [.iOS]
        case "both": return CriteriaDialect.allCases
        default: throw Fault(reason: "unknown dialect \(name)")
        }
    }
}
